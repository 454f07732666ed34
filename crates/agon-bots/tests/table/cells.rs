//! The cells of the table of misbehaving bots: the bot for each, and its result.

use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::{collections::BTreeMap, fs, path::Path, sync::Mutex, thread, time::Duration};

use agon_bots::{Bot, Clock, HostOptions, Timing, clojure::Jvms, open};
use agon_core::{Player, Seed};
use agon_games::GameId;
use serde_json::{Value, json};

use crate::common::{AGES, Arena, eventually, script};

/// The misbehaviour of a bot, from its sixth question on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Way {
    /// Ends before its first question.
    Start,
    /// Ends at the question of step 5.
    Step5,
    /// Computes forever.
    Endless,
    /// Waits forever.
    Silent,
    /// Writes without end, or more than the limit.
    Flood,
    /// Writes something that is no answer.
    Garbage,
    /// Writes too many answers, or a part of one.
    Length,
}

impl Way {
    /// In the order of the table's columns.
    const ALL: [Way; 7] =
        [Way::Start, Way::Step5, Way::Endless, Way::Silent, Way::Flood, Way::Garbage, Way::Length];

    fn name(self) -> &'static str {
        ["start", "step 5", "endless", "silent", "flood", "garbage", "length"][self as usize]
    }
}

/// A bot for one cell of the table.
pub(crate) enum Made {
    /// The text for `open`.
    Spec(String),
    /// The same, with a process that must run meanwhile.
    Running(String, Child),
    /// Bots of this kind cannot do that.
    Impossible,
}

/// Makes the bot of a cell in a folder of its own.
pub(crate) type Make = fn(GameId, Way, &Path) -> Made;

/// A limit that a hanging bot reaches soon.
///
/// A good answer that misses it as well changes nothing in these columns.
const SOON: Duration = Duration::from_millis(60);

/// Plays all cells of a host with this many `workers`, and compares them with the table.
pub(crate) fn check_host(host: &str, make: Make, options: &HostOptions, workers: usize) {
    let expected = table(host);
    let cells: Vec<(GameId, Way)> =
        expected.keys().flat_map(|&game| Way::ALL.map(|way| (game, way))).collect();
    // Rezzo blames no bot for a tick in which the others left it no core. So one that computes
    // forever plays when they are done.
    let (last, first): (Vec<_>, Vec<_>) = cells
        .into_iter()
        .partition(|&(game, way)| game.meta().id == "rezzo" && way == Way::Endless);
    let found = Mutex::new(BTreeMap::new());
    for (cells, workers) in [(first, workers), (last, 1)] {
        let todo = Mutex::new(cells);
        thread::scope(|scope| {
            for _ in 0..workers {
                scope.spawn(|| {
                    loop {
                        let Some((game, way)) = todo.lock().unwrap().pop() else { return };
                        // Only a clock ends these; the others must not be late.
                        let is_timed = expected[&game][way as usize].ends_with("timeout");
                        let clock = match is_timed {
                            true => Clock { first: AGES, ..Clock::wall(SOON) },
                            false => Clock::cpu(AGES),
                        };
                        let options =
                            HostOptions { timing: Timing::Clock(clock), ..options.clone() };
                        let cell = cell(game, way, make, options);
                        found.lock().unwrap().insert((game, way), cell);
                    }
                });
            }
        });
    }
    let found = found.into_inner().unwrap();
    let row = |game: GameId, cells: &[String]| {
        let cells: Vec<String> = cells.iter().map(|cell| format!(" | {cell:9}")).collect();
        format!("{:10} | {host:7}{}", game.meta().id, cells.concat().trim_end())
    };
    // In a steady tick a bot that had no core is not at fault. On a busy machine that may be so in
    // one of two ticks.
    let cell = |game: GameId, way: Way| match found[&(game, way)].as_str() {
        "1 timeout" if game.meta().id == "rezzo" => "2 timeout".to_owned(),
        // A server that has just ended may refuse the question, or take it and hang up.
        "2 crash" if host == "address" => "2 closed+crash".to_owned(),
        other => other.to_owned(),
    };
    let found: Vec<String> =
        expected.keys().map(|&game| row(game, &Way::ALL.map(|way| cell(game, way)))).collect();
    let expected: Vec<String> = expected.iter().map(|(&game, cells)| row(game, cells)).collect();
    assert_eq!(found, expected, "rows as found, and as in table.txt");
}

/// Reads the rows of a host in `table.txt`: the cells of each game.
fn table(host: &str) -> BTreeMap<GameId, Vec<String>> {
    let lines =
        include_str!("table.txt").lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let mut rows =
        lines.map(|line| line.split('|').map(|word| word.trim().to_owned()).collect::<Vec<_>>());
    let head = rows.next().expect("a header");
    assert_eq!(head[2..], Way::ALL.map(|way| way.name().to_owned()));
    rows.filter(|row| row[1] == host)
        .map(|row| (row[0].parse().unwrap(), row[2..].to_vec()))
        .collect()
}

/// Returns rules for short matches, long enough for all misbehaviours, and an opponent.
fn short(game: GameId) -> (Value, &'static str) {
    match game {
        // For a world of another size the JVM of a species would start twice.
        GameId::Amoebas => (json!({ "rounds": 30 }), "builtin:mindless"),
        GameId::Battlesnake => (json!({ "ruleset": "wrapped", "map": "empty" }), "builtin:careful"),
        GameId::Binfection => {
            (json!({ "field_width": 10, "field_height": 10, "turns_limit": 9 }), "builtin:general")
        }
        GameId::Cellhack => (json!({ "width": 12, "height": 12, "turns": 30 }), "builtin:grower"),
        GameId::Cluster => (json!({ "side": 4 }), "builtin:random"),
        GameId::Rezzo => (json!({ "width": 40, "height": 40, "max_ticks": 70 }), "builtin:random"),
        #[allow(unreachable_patterns, reason = "there may be further games")]
        _ => unreachable!("only six games are in the table"),
    }
}

fn cell(game: GameId, way: Way, make: Make, options: HostOptions) -> String {
    let folder = tempfile::tempdir().unwrap();
    let (spec, running) = match make(game, way, folder.path()) {
        Made::Impossible => return "-".to_owned(),
        Made::Spec(spec) => (spec, None),
        Made::Running(spec, child) => (spec, Some(child)),
    };
    let cache = options.cache.clone().unwrap_or_else(|| folder.path().join("cache"));
    let options = HostOptions {
        cache: Some(cache),
        folder: Some(folder.path().to_owned()),
        jvms: Jvms::default(),
        ..options
    };
    let open = |spec: &str| open(game.kind(), &spec.parse().unwrap(), &options);
    let (rules, opponent) = short(game);
    let cell = match open(&spec) {
        Err(error) => {
            // Visible if the test fails.
            eprintln!("{game:?}, {way:?}: {error}");
            "refused".to_owned()
        }
        Ok(bot) => play(game, &rules, [bot, open(opponent).unwrap()]),
    };
    if let Some(mut child) = running {
        child.kill().unwrap();
        child.wait().unwrap();
    }
    cell
}

/// Plays to the end.
///
/// Returns the first bot's place and the kinds of its faults.
fn play(game: GameId, rules: &Value, bots: [Box<dyn Bot>; 2]) -> String {
    let game = game.kind().start(rules, 2, Seed(1)).unwrap();
    let mut arena = Arena::with_bots(game, bots.into());
    let mut kinds: Vec<String> = Vec::new();
    let mut told = 0;
    while !arena.game.is_over() {
        let before = arena.game.clone();
        let answers = arena.step();
        let is_illegal = before.breaches(0..answers.len(), &answers).is_some();
        let new = arena.faults[told..].iter().map(|fault| {
            assert_eq!(fault.player, Player(0), "{fault:#?}");
            format!("{:?}", fault.kind).to_lowercase()
        });
        kinds.extend(new.chain(is_illegal.then(|| "illegal".to_owned())));
        told = arena.faults.len();
    }
    let mut cell = arena.game.standing().players[0].place.to_string();
    for (i, kind) in kinds.iter().enumerate() {
        if !kinds[..i].contains(kind) {
            cell.push_str(if cell.len() == 1 { " " } else { "+" });
            cell.push_str(kind);
        }
    }
    cell
}

fn write(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Makes programs that speak the JSON Lines protocol.
pub(crate) fn json_lines(_: GameId, way: Way, _: &Path) -> Made {
    match way {
        Way::Start => Made::Spec("jsonl:sh -c 'exit 3'".to_owned()),
        _ => Made::Spec(format!("jsonl:python3 {} '{}'", script("table.py"), way.name())),
    }
}

/// Makes the same at the other end of a socket.
pub(crate) fn connected(_: GameId, way: Way, folder: &Path) -> Made {
    let socket = folder.join("bot.sock");
    let bot = Command::new("python3")
        .args([&script("table.py"), way.name()])
        .arg(&socket)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    eventually("the bot listens", || socket.exists().then_some(()));
    Made::Running(format!("connect:{}", socket.display()), bot)
}

/// Returns the command line of a web server that plays Battlesnake.
fn web_server(way: Way) -> String {
    let mode = match way {
        // It must listen before that, so it ends at the first question.
        Way::Start | Way::Step5 => "crash",
        Way::Endless => "compute",
        Way::Silent => "slow",
        Way::Flood => "flood",
        Way::Garbage => "no http",
        Way::Length => "short",
    };
    let first = if way == Way::Start { 0 } else { 5 };
    format!("exec python3 {} '{mode}' {first} 1000", script("snake.py"))
}

/// Makes web servers that the arena starts.
pub(crate) fn started_server(_: GameId, way: Way, _: &Path) -> Made {
    match way {
        Way::Start => Made::Spec("http:sh -c 'exit 3'".to_owned()),
        _ => Made::Spec(format!("http:sh -c \"{}\"", web_server(way))),
    }
}

/// Makes web servers that run already.
pub(crate) fn running_server(_: GameId, way: Way, _: &Path) -> Made {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let command = format!("HOST=127.0.0.1 PORT={} {}", free.port(), web_server(way));
    let server = Command::new("sh").args(["-c", &command]).stderr(Stdio::null()).spawn().unwrap();
    eventually("the server listens", || TcpStream::connect(free).ok());
    Made::Running(format!("http://{free}"), server)
}

/// Makes bots that speak each game's own protocol.
pub(crate) fn own(game: GameId, way: Way, folder: &Path) -> Made {
    match game {
        GameId::Amoebas => species(way, folder),
        GameId::Binfection => runner(way, folder),
        GameId::Cellhack => cell_function(way, folder),
        GameId::Cluster => program("cluster.py", way, folder),
        GameId::Rezzo => program("rezzo.py", way, folder),
        #[allow(unreachable_patterns, reason = "there may be further games")]
        _ => unreachable!("only five games are in the table"),
    }
}

fn program(name: &str, way: Way, folder: &Path) -> Made {
    let mode = match way {
        Way::Start => return Made::Spec("sh -c 'exit 3'".to_owned()),
        Way::Step5 => "exit",
        Way::Endless => "spin",
        Way::Silent => "hang",
        Way::Flood => "flood",
        Way::Garbage => "garbage",
        Way::Length => "length",
    };
    Made::Spec(format!("python3 {} {mode} 5 {}", script(name), folder.join("group").display()))
}

fn runner(way: Way, folder: &Path) -> Made {
    let misbehave = match way {
        Way::Start => "sys.exit(3)",
        Way::Step5 => "turn < 5 or sys.exit(3)",
        Way::Endless => "while turn >= 5: pass",
        Way::Silent => "turn < 5 or time.sleep(1000)",
        Way::Flood => "reply = 'x' * (40 << 20) if turn >= 5 else reply",
        Way::Garbage => "reply = 'up' if turn >= 5 else reply",
        Way::Length => "reply = reply[:-1] if turn >= 5 else reply",
    };
    let source = format!(
        "import json, sys, time\nturn = json.load(open(sys.argv[1]))['blob'].get('turn', 0)\n\
         reply = json.dumps({{'moves': [], 'blob': {{'turn': turn + 1}}}})\n{misbehave}\n\
         open(sys.argv[1], 'w').write(reply)\n"
    );
    Made::Spec(format!("python3 {}", write(folder, "runner.py", &source)))
}

fn species(way: Way, folder: &Path) -> Made {
    let misbehave = match way {
        Way::Length => return Made::Impossible,
        Way::Start | Way::Step5 => "(System/exit 3)",
        Way::Endless => "(loop [] (recur))",
        Way::Silent => "(Thread/sleep 1000000)",
        Way::Flood => "(while true (println \"xxxxxxxx\"))",
        Way::Garbage => "{:cmd :eat}",
    };
    let at_start = if way == Way::Start { misbehave } else { "" };
    let source = format!(
        "(ns bad)\n(def asked (atom -1))\n{at_start}\n(defn Evam [energy health species env \
         data]\n  (if (< (swap! asked inc) 5) {{:cmd :rest}} {misbehave}))\n"
    );
    Made::Spec(write(folder, "bad.clj", &source))
}

fn cell_function(way: Way, folder: &Path) -> Made {
    let misbehave = match way {
        Way::Flood | Way::Length => return Made::Impossible,
        Way::Start | Way::Step5 => "exit(3);",
        Way::Endless => "for (volatile int i = 0;; i = 1) {}",
        Way::Silent => "sleep(1000);",
        Way::Garbage => "return 0;",
    };
    let at_start = if way == Way::Start { misbehave } else { "" };
    let source = format!(
        "#include <stdlib.h>\n#include <unistd.h>\n#include \"cellhack/player.h\"\n\
         __attribute__((constructor)) static void start(void) {{ {at_start} }}\n\
         uint8_t cell_decide_action(uint8_t *env, uint8_t energy, uint64_t *memory) {{\n\
         static int asked; (void)env; (void)energy; (void)memory;\n\
         if (asked++ >= 5) {{ {misbehave} }}\nreturn REST; }}\n"
    );
    Made::Spec(write(folder, "bad.c", &source))
}

/// Makes C functions that answer whole batches, as a native library.
pub(crate) fn native(game: GameId, way: Way, folder: &Path) -> Made {
    batch(game, way, folder, "extern unsigned sleep(unsigned);", "sleep(1000);")
}

/// Makes a C function that answers whole batches.
///
/// `declare` comes before it, and `sleep` makes it silent.
pub(crate) fn batch(game: GameId, way: Way, folder: &Path, declare: &str, sleep: &str) -> Made {
    let (good, bad) = match game {
        GameId::Amoebas => ("action = AMOEBAS_REST", "action = 99"),
        GameId::Binfection => (
            "answered = 1, answer->moves_offset = sizeof *answer",
            "moves = 1, answer->moves_offset = 1 << 30",
        ),
        GameId::Cellhack => ("action = CELLHACK_REST", "action = 99"),
        GameId::Cluster => ("action = CLUSTER_ROTATE, answer->cycles = 1", "action = 99"),
        GameId::Rezzo => ("action = REZZO_LEFT", "action = 99"),
        #[allow(unreachable_patterns, reason = "there may be further games")]
        _ => unreachable!("only five games are in the table"),
    };
    let misbehave = match way {
        Way::Start | Way::Step5 => "__builtin_trap();".to_owned(),
        Way::Endless => "for (volatile int i = 0;; i = 1) {}".to_owned(),
        Way::Silent => sleep.to_owned(),
        Way::Flood => "length = room_bytes + 1;".to_owned(),
        Way::Garbage => format!(
            "for (uint32_t i = 0; i < n; i++) {{ GAME(answer) *answer = answers + i; \
             answer->{bad}; }}"
        ),
        Way::Length => "length = n * sizeof *answers - 1;".to_owned(),
    };
    let at_start = if way == Way::Start { "__builtin_trap();" } else { "" };
    let id = game.meta().id;
    let source = format!(
        "#include \"agon/{id}.h\"\n#define GAME(name) \
         {id}_##name\n{declare}\nAGON_EXPORT(agon_abi) uint32_t agon_abi(void) {{ {at_start} \
         return AGON_ABI; }}\nAGON_EXPORT(agon_decide)\nuint32_t agon_decide(const void *question, \
         uint32_t bytes, void *room, uint32_t room_bytes) {{\nstatic int asked;\nuint32_t n = \
         ((const agon_question *)question)->decisions;\nGAME(answer) *answers = room;\nuint32_t \
         length = n * sizeof *answers;\n(void)bytes; (void)room_bytes;\nfor (uint32_t i = 0; i < \
         n; i++) {{ GAME(answer) *answer = answers + i; answer->{good}; }}\nif (asked++ >= 5) {{ \
         {misbehave} }}\nreturn length; }}\n"
    );
    Made::Spec(write(folder, "bad.c", &source))
}
