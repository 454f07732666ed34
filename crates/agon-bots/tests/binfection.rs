//! Tests of runners for binfection, most of which misbehave.

use std::fs;

use agon_bots::{Clock, HostOptions, SandboxOptions};
use agon_core::{Fault, FaultKind, Player, runs_by_player};
use agon_games::any::AnyGame;
use agon_games::binfection::{Answer, Binfection, Rules};

use crate::common::{AGES, Arena, Workshop, new_game, patient, within};

/// A runner that moves all its cells up and counts its turns in its blob.
const GOOD: &str = r#"
import json, sys
with open(sys.argv[1]) as file:
    question = json.load(file)
turn = question["blob"].get("turn", 0)
me = {name}
moves = [{"x": cell["x"], "y": cell["y"], "direction": 0}
         for cell in question["cells"] if cell["owner"] == me]
with open(sys.argv[1], "w") as file:
    json.dump({"moves": moves, "blob": {"turn": turn + 1}}, file)
with open(me + ".turns", "a") as file:
    print(turn, file=file)
"#;

fn game() -> AnyGame {
    new_game::<Binfection>(&Rules { field_width: 12, field_height: 12, ..Rules::default() }, 2)
}

/// Returns options with the workshop as the user's folder.
fn here(workshop: &Workshop, clock: Clock) -> HostOptions {
    HostOptions { folder: Some(workshop.path("")), ..within(clock) }
}

/// Returns the fault of a runner, which makes no move in that turn.
///
/// Checks that the game continues and nothing is left.
#[track_caller]
fn check(script: &str, kind: FaultKind, clock: Clock) -> Fault {
    let workshop = Workshop::new();
    let mut arena =
        Arena::new(game(), &[&workshop.sh(script), "builtin:random"], &here(&workshop, clock));
    assert_eq!(arena.answers::<Binfection>()[0], Answer::default());
    assert_eq!(arena.step, 1);
    workshop.assert_group_gone();
    arena.expect(kind).clone()
}

const PATIENT: Clock = Clock::wall(AGES);

#[test]
fn good_runners_play_and_remember() {
    agon_testkit::needs!("python3");
    let workshop = Workshop::new();
    for name in ["bot-0", "bot-1"] {
        workshop.file(&format!("{name}.py"), GOOD.replace("{name}", &format!("{name:?}")));
    }
    let specs = ["python3 bot-0.py", "python3 bot-1.py"];
    let mut arena = Arena::new(game(), &specs, &here(&workshop, PATIENT));
    for _ in 0..3 {
        let owners: Vec<_> =
            runs_by_player(arena.game.decisions()).map(|(player, _)| player).collect();
        assert_eq!(owners, [Player(0), Player(1)]);
        let answers = arena.answers::<Binfection>();
        assert!(answers.iter().all(|answer| !answer.moves.is_empty()), "{answers:?}");
    }
    assert_eq!(arena.faults, []);
    let turns = fs::read_to_string(workshop.path("bot-1.turns")).unwrap();
    assert_eq!(turns, "0\n1\n2\n", "it starts in the user's folder and gets its blob back");
}

#[test]
fn runners_of_a_turn_run_at_the_same_time() {
    let workshop = Workshop::new();
    // Each waits for the other's sign: one after another they would wait forever.
    let runner = |me: &str, other: &str| {
        let file = workshop.file(
            &format!("{me}.sh"),
            format!(
                "touch {me}.sign; while ! [ -e {other}.sign ]; do sleep 0.01; done\n\
                 echo '{{\"moves\": [], \"blob\": {{}}}}' > $1\n"
            ),
        );
        format!("sh {file}")
    };
    let alice = runner("alice", "bob");
    let bob = runner("bob", "alice");
    let mut arena = Arena::new(game(), &[&alice, &bob], &here(&workshop, PATIENT));
    arena.step();
    assert_eq!(arena.faults, []);
}

#[test]
fn a_failing_runner_makes_no_move_even_if_it_wrote_some() {
    let script = "echo '{\"moves\": [], \"blob\": {}}' > $1; echo sorry >&2; echo really; exit 3";
    let fault = check(script, FaultKind::Crash, PATIENT);
    assert_eq!(fault.evidence.exit_status, Some(3));
    assert_eq!(fault.evidence.stderr_tail, "sorry\nreally\n");
}

#[test]
fn what_is_no_reply_costs_the_move_and_holds_nobody_up() {
    use FaultKind::{Flood, Garbage};
    for (script, kind, detail) in [
        ("exit 0", Garbage, "still holds the question"),
        ("truncate -s 1T $1", Flood, "more than"),
        ("rm $1; mkfifo $1", Garbage, ""),
        ("rm $1; mkdir $1", Garbage, ""),
        ("rm $1; ln -s /dev/zero $1", Garbage, ""),
        ("rm $1", Garbage, ""),
    ] {
        let fault = check(script, kind, PATIENT);
        assert!(fault.detail.contains(detail), "{script}: {}", fault.detail);
    }
    let fault = check("echo 'up, up, up' > $1", Garbage, PATIENT);
    assert_eq!(fault.evidence.last_output, "up, up, up\\n");
    let fault = check("echo '{\"moves\": {}, \"blob\": {}}' > $1", Garbage, PATIENT);
    assert_eq!(fault.detail, "`moves` is an object, not a list", "without a hint");
}

#[test]
fn a_flood_of_talk_is_no_harm() {
    let workshop = Workshop::new();
    let script = workshop.sh(
        "head -c 1000000 /dev/zero; head -c 1000000 /dev/zero >&2; echo '{\"moves\": [], \"blob\": \
         {}}' > $1",
    );
    let mut arena = Arena::new(game(), &[&script, "builtin:random"], &patient());
    arena.step();
    assert_eq!(arena.faults, []);
}

#[test]
fn the_next_turn_has_the_same_sandbox_and_finds_nothing_of_the_last_one() {
    let workshop = Workshop::new();
    let script = workshop.file(
        "bot.sh",
        r#"folder="${1%/*}"
now="$(readlink /proc/self/ns/net) $(ls "$folder" | tr '\n' ' ')$(ls /tmp | wc -l)"
touch "$folder/left" /tmp/left
case "$(cat "$1")" in
*'"blob":{}'*) echo "{\"moves\": [], \"blob\": \"$now\"}" >"$1" ;;
*"$now"*) echo same >&2; exit 3 ;;
*) echo "$now" "$(cat "$1")" >&2; exit 4 ;;
esac
"#,
    );
    let options = HostOptions { sandbox: SandboxOptions::default(), ..patient() };
    let mut arena = Arena::new(game(), &[&format!("sh {script}"), "builtin:random"], &options);
    arena.steps(2);
    assert_eq!(arena.expect(FaultKind::Crash).evidence.stderr_tail, "same\n");
}

#[test]
fn bad_moves_are_counted_in_one_fault() {
    let workshop = Workshop::new();
    let script = workshop.sh(
        "echo '{\"moves\": [1, {\"x\": 1}, {\"x\": 999, \"y\": 0, \"direction\": 0}], \"blob\": \
         {}}' > $1",
    );
    let mut arena = Arena::new(game(), &[&script, "builtin:random"], &patient());
    arena.step();
    let fault = arena.expect(FaultKind::Illegal);
    assert_eq!(fault.count, 3);
    assert!(fault.detail.contains("(999, 0) is not the bot's"), "{}", fault.detail);
}

#[test]
fn a_runner_is_tried_again_in_the_next_turn() {
    let workshop = Workshop::new();
    let script = workshop
        .sh("[ -e seen ] || { touch seen; exit 1; }; echo '{\"moves\": [], \"blob\": {}}' > $1");
    let mut arena = Arena::new(game(), &[&script, "builtin:random"], &here(&workshop, PATIENT));
    arena.steps(3);
    assert_eq!(arena.expect(FaultKind::Crash).step, 0);
    assert!(!arena.game.decisions().is_empty());
}
