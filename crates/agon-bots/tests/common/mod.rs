//! Helpers of these tests: a small referee, and a folder in which tests write bots that misbehave.
// Each test program uses a part of this, and a failing test may panic anywhere.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::{fs, time::Duration};

use agon_bots::{
    BatchPart, Bot, BotSpec, Clock, HostOptions, Launcher, Level, Progress, SandboxOptions, Seat,
    Timing, Wait, open, turn_log::TurnRecord, wait::for_any,
};
use agon_core::{Fault, FaultKind, Game, Player, Seed, runs_by_player};
use agon_games::any::{AnyAnswers, AnyGame, FullGame};
use agon_games::cellhack::{Action, Answer, Cell, Cellhack, Position, Rules};

pub use agon_testkit::eventually;

/// A time that only a bug takes, however busy the machine is.
pub const AGES: Duration = Duration::from_secs(300);

/// A clock with which no good bot ever times out.
pub const PATIENT: Clock = Clock::cpu(AGES);

/// A match: bots, the game, and the faults so far.
pub struct Arena {
    pub game: AnyGame,
    pub step: u64,
    pub faults: Vec<Fault>,
    /// The turn records: step, player, record.
    pub turns: Vec<(u64, usize, TurnRecord)>,
    bots: Vec<Box<dyn Bot>>,
}

impl Arena {
    /// Opens the bots with these texts, and starts them.
    pub fn new(game: AnyGame, specs: &[&str], options: &HostOptions) -> Arena {
        let kind = game.kind();
        let specs: Vec<BotSpec> = specs.iter().map(|spec| spec.parse().unwrap()).collect();
        options.jvms.expect(&specs);
        let bots = specs.iter().map(|spec| open(kind, spec, options).unwrap()).collect();
        Arena::with_bots(game, bots)
    }

    pub fn with_bots(game: AnyGame, mut bots: Vec<Box<dyn Bot>>) -> Arena {
        let mut faults = Vec::new();
        let names: Vec<String> = (0..bots.len()).map(|n| format!("bot-{n}")).collect();
        for (player, bot) in Player::all(bots.len()).zip(&mut bots) {
            bot.start(Seat { game: &game, player, names: &names }, &mut faults);
        }
        Arena { game, step: 0, faults, turns: Vec::new(), bots }
    }

    /// Returns the bots, for tests that end them in order.
    pub fn into_bots(self) -> Vec<Box<dyn Bot>> {
        self.bots
    }

    /// Plays a step and returns the answers in their own type.
    pub fn answers<G: Game>(&mut self) -> Vec<G::Answer> {
        self.step().as_slice::<G>().unwrap().to_vec()
    }

    /// Plays a step and returns the answers.
    pub fn step(&mut self) -> AnyAnswers {
        let game = &self.game;
        let step = self.step;
        let decisions = game.decisions();
        let mut answers = game.kind().no_answers();
        answers.reset(decisions.len());
        let part = |player, range| BatchPart { game, step, player, decisions: &decisions[range] };
        for (player, range) in runs_by_player(decisions) {
            self.bots[player.index()].prepare(part(player, range), &mut self.faults);
        }
        for (player, range) in runs_by_player(decisions) {
            self.bots[player.index()].ask(part(player, range), &mut self.faults);
        }
        // Waits for all of them together, as the referee does.
        let asked =
            runs_by_player(decisions).map(|(player, range)| (player, range, Progress::Last));
        let mut asked: Vec<_> = asked.collect();
        let first: usize = self.faults.len();
        while !asked.is_empty() {
            for at in come(&asked.iter().map(|(_, _, progress)| progress).collect::<Vec<_>>()) {
                let (player, range, progress) = &mut asked[at];
                let answers = answers.part_mut(range.clone());
                let bot = &mut self.bots[player.index()];
                *progress = bot.collect(part(*player, range.clone()), answers, &mut self.faults);
            }
            asked.retain(|(_, _, progress)| !matches!(progress, Progress::Done));
        }
        self.faults[first..].sort_by_key(|fault| fault.player);
        for (player, _) in runs_by_player(decisions) {
            let turn_log = self.bots[player.index()].turn_log();
            self.turns.extend(turn_log.map(|turn_log| (step, player.index(), turn_log.turn())));
        }
        self.game.step(&answers);
        self.step += 1;
        answers
    }

    /// Plays at most this many steps.
    pub fn steps(&mut self, steps: u64) {
        for _ in 0..steps {
            if self.game.is_over() {
                break;
            }
            self.step();
        }
    }

    /// Returns the only fault.
    #[track_caller]
    pub fn only_fault(&self) -> &Fault {
        assert_eq!(self.faults.len(), 1, "{:#?}", self.faults);
        &self.faults[0]
    }

    /// Returns the only fault, which must be of this kind and player 0's.
    #[track_caller]
    pub fn expect_kind(&self, kind: FaultKind) -> &Fault {
        let fault = self.only_fault();
        assert_eq!((fault.kind, fault.player), (kind, Player(0)), "{fault:#?}");
        fault
    }

    /// Does the same with a fault of a program, which has evidence.
    #[track_caller]
    pub fn expect(&self, kind: FaultKind) -> &Fault {
        let fault = self.expect_kind(kind);
        assert_evidence(fault);
        fault
    }
}

/// Waits for answers, and returns the indices of those to collect.
///
/// Slow ones come when no other answer is awaited.
fn come(all: &[&Progress]) -> Vec<usize> {
    let wait = |progress: &&Progress| match progress {
        Progress::Waits(wait) => Some(wait.clone()),
        Progress::Done | Progress::Last => None,
    };
    let waits: Vec<Option<Wait>> = all.iter().map(wait).collect();
    if waits.iter().all(Option::is_none) {
        return (0..all.len()).collect();
    }
    let mut come = Vec::new();
    for_any(&waits.iter().map(Option::as_ref).collect::<Vec<_>>(), |at| come.push(at));
    come
}

/// Checks the evidence of a fault of a program that the arena has started.
#[track_caller]
pub fn assert_evidence(fault: &Fault) {
    let evidence = &fault.evidence;
    // The process did not exist yet, or had not been asked anything.
    if fault.kind == FaultKind::Start || fault.detail.contains("before it had been asked") {
        return;
    }
    assert!(!evidence.last_input.is_empty(), "{fault:#?}");
    let not_waited_for =
        fault.kind == FaultKind::Early || fault.detail.contains("does not read its messages");
    // The CPU time of a process that was gone when it was asked is unknown.
    let has_cpu = evidence.cpu_us.is_some() || fault.kind == FaultKind::Crash;
    assert!(not_waited_for || has_cpu && evidence.wall_us.is_some(), "{fault:#?}");
    if fault.kind == FaultKind::Crash && !fault.detail.contains("System/exit") {
        assert!(evidence.exit_status.is_some() || evidence.signal.is_some(), "{fault:#?}");
        assert!(evidence.peak_memory.is_some_and(|bytes| bytes > 0), "{fault:#?}");
    }
}

pub const REST: Answer = Answer { action: Action::Rest, memory: None };
pub const IDLE: Answer = Answer { action: Action::Nothing, memory: None };

/// Makes a row of distant cells of player 0, numbered in their memory, and a cell of player 1.
pub fn row(cells: u32) -> AnyGame {
    let rules = Rules { width: 2 * cells + 10, height: 9, ..Rules::default() };
    let cell = |n: u32| Cell { x: 2 * n, y: 2, player: 0, energy: 50, memory: n.into() };
    let other = Cell { x: 0, y: 6, player: 1, energy: 50, memory: 0 };
    let cells = (0..cells).map(cell).chain([other]).collect();
    let position = Position { players: 2, turn: 0, cells, rocks: vec![] };
    AnyGame::of(Cellhack::from_position(&rules, Seed(1), position).unwrap())
}

pub fn new_game<G: FullGame>(rules: &G::Rules, players: usize) -> AnyGame {
    AnyGame::of(G::new(rules, players, Seed(1)).unwrap())
}

/// Returns options with which no good bot ever times out.
pub fn patient() -> HostOptions {
    within(PATIENT)
}

/// Returns options with these time limits.
pub fn within(clock: Clock) -> HostOptions {
    // The tests of `agon-wasm`, which share this file, need no such program.
    let path = option_env!("CARGO_BIN_EXE_agon-native-host");
    let native_host = path.map(|path| Launcher { path: path.into(), args: vec![] });
    // These bots print the numbers of their processes and leave files. `agon/tests/hostile` tests
    // confined ones.
    let sandbox = SandboxOptions { level: Level::Off, ..SandboxOptions::default() };
    HostOptions { timing: Timing::Clock(clock), native_host, sandbox, ..HostOptions::default() }
}

/// A folder for the files of a test.
pub struct Workshop(tempfile::TempDir);

impl Workshop {
    pub fn new() -> Workshop {
        Workshop(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file and returns its path as text.
    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// Returns options with these time limits, and a cache in this folder.
    pub fn within(&self, clock: Clock) -> HostOptions {
        HostOptions { cache: Some(self.path("cache")), ..within(clock) }
    }

    /// Makes a bot that is a shell script; it writes its process group to the file `group`.
    pub fn sh(&self, script: &str) -> String {
        let group = self.path("group");
        let file = self.file("bot.sh", format!("echo $$ > {}\n{script}\n", group.display()));
        format!("sh {file}")
    }

    /// Returns the process group that a bot wrote to the file `group`.
    pub fn group(&self) -> String {
        eventually("the bot writes its process group", || {
            fs::read_to_string(self.path("group")).ok().filter(|text| text.ends_with('\n'))
        })
        .trim()
        .to_owned()
    }

    /// Waits until no process of the bot's group lives.
    #[track_caller]
    pub fn assert_group_gone(&self) {
        assert_gone(&self.group());
    }
}

/// Waits until no process of a group lives.
#[track_caller]
pub fn assert_gone(group: &str) {
    eventually("all processes of the bot are gone", || (!group_lives(group)).then_some(()));
}

/// Returns whether a process of the group runs; dead ones may still wait for their new parent.
fn group_lives(group: &str) -> bool {
    fs::read_dir("/proc").unwrap().flatten().any(|process| {
        let stat = fs::read_to_string(process.path().join("stat")).unwrap_or_default();
        // pid (name) state parent group ...
        let rest: Vec<&str> =
            stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        rest.len() > 2 && rest[2] == group && !["Z", "X"].contains(&rest[0])
    })
}

/// Returns the path of a script among the files of these tests.
pub fn script(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../agon-bots/tests/bots").join(name);
    path.to_str().unwrap().to_owned()
}

pub fn spec(text: &str) -> BotSpec {
    text.parse().unwrap()
}
