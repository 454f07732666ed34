#!/bin/sh
# Writes the files of this folder, or of another one, with the program that you name:
#
#     make.sh target/release/agon [FOLDER]
#
# It needs python3, cc, clang with wasm-ld, make, Java, Clojure, and agon-wasm-host beside agon.
set -eu
agon=$(realpath "$1")
here=$(realpath "$(dirname "$0")")
mkdir -p "${2:-$here}"
out=$(realpath "${2:-$here}")
source=$(realpath "$here/../../../..")
games="cellhack cluster amoebas binfection rezzo"

work=$(mktemp -d)
peers=
trap '[ -z "$peers" ] || kill $peers; rm -rf "$work"' EXIT
cd "$work"
# Without databases of results, which older versions make.
export NO_COLOR=1 PYTHONDONTWRITEBYTECODE=1 AGON_DATABASE_HOST=
for folder in replays expected cup compare tune; do
    rm -rf "${out:?}/$folder"
done
mkdir "$out/replays" "$out/expected"

# Settings for short matches on small boards.
small() {
    case $1 in
        cellhack) echo "--set width=10 --set height=10 --set turns=20" ;;
        cluster) echo "--set side=4" ;;
        amoebas) echo "--set world_size=8 --set rounds=10" ;;
        binfection) echo "--set field_width=6 --set field_height=5 --set turns_limit=12" ;;
        rezzo) echo "--set width=16 --set height=12 --set max_ticks=40" ;;
    esac
}

# A weak built-in bot and a strong one.
weak() { if [ "$1" = amoebas ]; then echo builtin:mindless-divider; else echo builtin:random; fi; }
strong() {
    case $1 in
        cellhack) echo builtin:swarm ;;
        cluster) echo builtin:searcher ;;
        amoebas) echo builtin:brood ;;
        binfection) echo builtin:general ;;
        rezzo) echo builtin:wanderer ;;
    esac
}

# play NAME SEED BOT...: plays a match. The name starts with the game.
play() {
    replay=$out/replays/$1.agon seed=$2 game=${1%%-*}
    shift 2
    # shellcheck disable=SC2046
    "$agon" play "$game" "$@" $(small "$game") --seed "$seed" --replay "$replay" >>log
}

# person NAME SEED KEYS BOT...: plays a match in which a person types these keys.
person() {
    replay=$out/replays/$1.agon seed=$2 keys=$3 game=${1%%-*}
    shift 3
    # shellcheck disable=SC2046
    python3 drive.py keys "$keys" "$replay" "$agon" play "$game" "$@" $(small "$game") \
        --seed "$seed" --view terminal --replay "$replay"
}

# fail FOLDER CODE: lets a bot of a starter kit fail in some steps.
fail() {
    sed -i "s|^    (void)length|    if (((const agon_question *)question)->step $2;\n&|" "$1/bot.c"
}

# The bots, each in a folder of its own.
for bot in any rezzo; do
    mkdir "$bot"
    cp "$here/bots/$bot.py" "$bot"
done
cp "$here/bots/drive.py" .
cp -r "$source/examples/bots" examples
cp "$here/bots/wrong.sh" examples/binfection
cp "$source/crates/agon/tests/bots/cluster.py" examples/cluster/wrong.py
cp -r "$source/crates/agon-bots/tests/bots/clojure" clojure
for game in $games; do
    for bot in good crash silent; do
        "$agon" new "$game" c "$game-$bot" >>log
    done
    "$agon" new "$game" wasm "$game-module" >>log
    # In cellhack one bot crashes until it stays out. The others fail once or twice.
    case $game in cellhack) when='> 4' ;; *) when='/ 2 == 3' ;; esac
    fail "$game-crash" "$when) __builtin_trap()"
    fail "$game-module" '== 5) __builtin_trap()'
    fail "$game-silent" '/ 2 == 3) return 0'
    for bot in good silent; do
        make -C "$game-$bot" bot.so >>log
    done
    make -C "$game-module" bot.wasm >>log
done

# Kinds of bots that all games take.
first=1
for game in $games; do
    weak=$(weak "$game") strong=$(strong "$game")
    first=$((first + 100))
    play "$game-builtin-1" $((first + 1)) "$strong" "$weak"
    play "$game-c-2" $((first + 2)) "$game-crash/bot.c" "$weak"
    play "$game-library-1" $((first + 3)) "$game-good/bot.so" "$weak"
    play "$game-library-2" $((first + 4)) "$weak" "$game-silent/bot.so"
    play "$game-wasm-1" $((first + 5)) "wasm:$game-good/bot.c" "$weak"
    play "$game-wasm-2" $((first + 6)) "$weak" "$game-module/bot.wasm"
    play "$game-jsonl-1" $((first + 7)) "jsonl:python3 any/any.py good" "$weak"
    play "$game-jsonl-2" $((first + 8)) "$weak" "rosa=jsonl:python3 any/any.py wrong"
    for how in good leaves; do
        python3 any/any.py "$how" "$how-$game.sock" &
        peers="$peers $!"
        until [ -S "$how-$game.sock" ]; do sleep 0.05; done
    done
    play "$game-connect-1" $((first + 9)) "connect:./good-$game.sock" "$weak"
    play "$game-connect-2" $((first + 10)) "$weak" "connect:./leaves-$game.sock"
    # A person who gives no orders in time.
    person "$game-human-2" $((first + 11)) "" "$weak" tom=human --human-time 0.1 --turns 3
    # A match that starts from a position of another one.
    "$agon" replay ask "$out/replays/$game-builtin-1.agon" --step 4 --bot "$weak" \
        --against "$strong" --replay "$out/replays/$game-position.agon" >>log || [ $? = 1 ]
done

# Half a million decisions, so that the replay has a key frame.
"$agon" play cellhack builtin:grower builtin:grower --set width=40 --set height=40 \
    --set rest_base=60 --turns 360 --seed 61 --replay "$out/replays/cellhack-keyframe.agon" >>log
# Matches that end before the rules say so: by --turns, by Ctrl-C. Two files lack their end.
for game in cellhack cluster; do
    play "$game-limit" 0xfedcba9876543210 "$(weak "$game")" "$(strong "$game")" --turns 3
    # shellcheck disable=SC2046
    timeout --signal=INT 2 "$agon" play "$game" "jsonl:python3 any/any.py slow" builtin:random \
        $(small "$game") --no-clock --seed 62 \
        --replay "$out/replays/$game-interrupted.agon" >>log || [ $? = 124 ]
done
cut() { head -c "$2" "$out/replays/$1.agon"; }
cut cellhack-keyframe 4800 >"$out/replays/cellhack-cut.agon"
cut cluster-builtin-1 500 >"$out/replays/cluster-cut.agon"

# Built-in bots, with parameters and other settings.
play cellhack-builtin-2 11 builtin:hunter "builtin:grower?rich=70" builtin:swarm --set rest_base=9
play cluster-builtin-2 12 "builtin:searcher?width=2" builtin:greedy --set bag=9 --set hand_size=3
play amoebas-builtin-2 13 "builtin:mutating?rate=90" "builtin:nasty?target=weakest" builtin:mindless
play binfection-builtin-2 14 "builtin:general?caution=80" builtin:spreader builtin:random
play rezzo-builtin-2 15 "builtin:raider?patience=100" builtin:random --set base_of=any

# Native code of the examples.
play cellhack-c-1 21 examples/cellhack/drifter.c examples/cellhack/pioneers.c
play cluster-c-1 22 builtin:greedy examples/cluster/planner.cpp
play amoebas-c-1 23 examples/amoebas/grazer.c builtin:mindless
play binfection-c-1 24 examples/binfection/tide.c builtin:random
play rezzo-c-1 25 rezzo-good/bot.c builtin:wanderer

# Programs that speak the game's own protocol. The second one of each game fails.
play cluster-program-1 31 "python3 examples/cluster/greedy.py" builtin:random
play cluster-program-2 32 "python3 examples/cluster/wrong.py illegal" builtin:random
play binfection-program-1 33 examples/binfection/alice.sh examples/binfection/bob.sh
play binfection-program-2 34 examples/binfection/wrong.sh builtin:random --turns 2
play rezzo-program-1 35 "python3 examples/rezzo/guard.py" builtin:random
play rezzo-program-2 36 "python3 rezzo/rezzo.py" builtin:random

# Species in Clojure.
play amoebas-clojure-1 41 examples/amoebas/settlers.clj examples/amoebas/hermit.clj
play amoebas-clojure-2 42 clojure/throws.clj examples/amoebas/hermit.clj --share-jvm --turns 3

# People.
person cellhack-human-1 51 "* s RIGHT RETURN * m UP RETURN" rosa=human builtin:random
person cluster-human-1 52 "1 RIGHT RETURN" rosa=human builtin:random
person amoebas-human-1 53 "* d 6 RETURN * r RETURN" rosa=human builtin:mindless
person binfection-human-1 54 "* RIGHT RETURN * DOWN RETURN" rosa=human builtin:random
person rezzo-human-1 55 "UP UP SPACE RIGHT" rosa=human builtin:random

# What the program reports of them.
for replay in "$out"/replays/*.agon; do
    info=$("$agon" replay info --json "$replay")
    printf '{"file":"%s","info":%s}\n' "$(basename "$replay")" "$info"
done >"$out/expected/replays.jsonl"
bot() { "$agon" replay info "$out/replays/$1.agon" --bot "$2" --json; }
{
    bot cluster-program-2 wrong
    bot amoebas-jsonl-2 rosa
} >"$out/expected/bots.jsonl"

# A tournament, two comparisons and a tuning. Each stops in the middle.
cat >cup.toml <<'PLAN'
game = "cluster"
seed = 71
bots = ["builtin:searcher?width=20", "builtin:searcher", "builtin:greedy",
    "ida=builtin:random?rotate=40", "builtin:random"]

[settings]
side = 7

[format]
kind = "swiss"
rounds = 3
PLAN
duel="compare --game cluster builtin:greedy builtin:searcher?width=1 --elo1 1 --seed 72 \
    --set side=3 --out compare/duel"
pool="compare --game binfection builtin:spreader builtin:random \
    --against builtin:general builtin:random --players 3 --seed 73 \
    --set field_width=8 --set field_height=8 --set turns_limit=15 --out compare/pool"
tune="tune --game amoebas builtin:mindless-divider --param probability=5..60 --seed 74 \
    --set world_size=16 --set rounds=80 --matches 60 --verify 20 --out tune"
python3 drive.py stop cup/journal.jsonl 6 \
    "$agon" tournament cup.toml --out cup -j 1 >>log && exit 1 || [ $? = 130 ]
# shellcheck disable=SC2086
{
    "$agon" $duel --max 8 >>log || [ $? = 1 ]
    "$agon" $pool --max 12 >>log || [ $? = 1 ]
    python3 drive.py stop tune/tune.jsonl 25 "$agon" $tune -j 1 >>log && exit 1 || [ $? = 130 ]
}
# The plan's path on this machine is of no use elsewhere. The chart is drawn again.
sed -i 's|"file": ".*"|"file": "cup.toml"|' cup/plan.json
rm tune/tune.svg
cp -r cup compare tune "$out"

# What the program reports of them before and after it plays the rest. A line has the file in
# expected/, the exit code and the command.
tr -s ' ' >"$out/expected/commands.txt" <<COMMANDS
cup-begun.txt 0 tournament report cup
cup-begun.json 0 tournament report cup --json
cup.json 0 tournament resume cup --json
cup.txt 0 tournament report cup
compare-duel-begun.txt 1 $duel --max 8
compare-duel.jsonl 1 $duel --max 16 --json
compare-duel.txt 1 $duel --max 16
compare-pool-begun.txt 1 $pool --max 12
compare-pool.jsonl 1 $pool --max 36 --json
compare-pool.txt 1 $pool --max 36
tune.json 0 $tune --json
tune.txt 0 $tune
COMMANDS
while read -r file code words; do
    # shellcheck disable=SC2086
    "$agon" $words >"$out/expected/$file" && got=0 || got=$?
    [ "$got" = "$code" ] || { echo "agon $words ended with $got, not $code" >&2; exit 1; }
done <"$out/expected/commands.txt"
