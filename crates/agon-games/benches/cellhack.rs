//! Benchmarks of cellhack's rules without bots: a turn once all answers are known.

use agon_core::{Fold, Game, Purpose, Rng, Seed};
use agon_games::cellhack::{Action, Answer, Cell, Cellhack, Direction, Position, Rules};
use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};

#[path = "../tests/reference/cellhack.rs"]
#[allow(clippy::unwrap_used, reason = "written like a test")]
mod reference;
mod support;

const SIDE: u32 = 256;
const PLAYERS: u16 = 4;

/// Answers at random, whatever the cells see. Half of all cells go or divide, if they can; one in
/// eight writes its memory.
struct Answers {
    /// When the board is less than half full.
    growing: Vec<Answer>,
    /// When it is fuller: those that would divide die instead, as often as it takes.
    shrinking: Vec<Answer>,
}

impl Answers {
    fn new() -> Answers {
        let mut rng = Seed(7).stream(Purpose::Script, 0);
        let growing: Vec<_> = (0..SIDE * SIDE).map(|_| answer(&mut rng)).collect();
        let die = |answer: &Answer| match answer.action {
            Action::Split(_) if rng.chance(1, 3) => Answer { action: Action::Die, ..*answer },
            Action::Split(_) => Answer { action: Action::Rest, ..*answer },
            _ => *answer,
        };
        Answers { shrinking: growing.iter().map(die).collect(), growing }
    }

    /// The answers of a turn: always others, so that nothing can be learnt by heart.
    fn of(&self, game: &Cellhack) -> &[Answer] {
        let cells = game.decisions().len();
        let full = cells > (SIDE * SIDE / 2) as usize;
        let answers = if full { &self.shrinking } else { &self.growing };
        let from = game.progress().turn as usize * 1009 % (answers.len() - cells);
        &answers[from..from + cells]
    }
}

fn answer(rng: &mut Rng) -> Answer {
    let direction = *rng.pick(&Direction::ALL).expect("there are directions");
    let action = match rng.below(100) {
        0..30 => Action::Rest,
        30..50 => Action::Eat(direction),
        50..56 => Action::Feed(direction),
        56..80 => Action::Move(direction),
        80..96 => Action::Split(direction),
        _ => Action::Nothing,
    };
    Answer { action, memory: rng.chance(1, 8).then(|| rng.bits()) }
}

/// A board half full with cells in no order, some turns later.
fn start(answers: &Answers) -> Cellhack {
    let mut rng = Seed(8).stream(Purpose::Setup, 0);
    let rules = Rules { width: SIDE, height: SIDE, turns: 1_000_000, ..Rules::default() };
    let places = (0..SIDE).flat_map(|y| (0..SIDE).map(move |x| (x, y)));
    let taken: Vec<_> = places.filter(|_| rng.chance(1, 2)).collect();
    let cell = |(x, y)| {
        let player = rng.below(PLAYERS.into()) as u16;
        let energy = rng.between(20, 120) as u16;
        Cell { x, y, player, energy, memory: rng.bits() }
    };
    let cells = taken.into_iter().map(cell).collect();
    let position = Position { players: PLAYERS, turn: 0, cells, rocks: vec![] };
    let mut game =
        Cellhack::from_position(&rules, Seed(1), position).expect("the position fits the rules");
    for _ in 0..100 {
        game.step(answers.of(&game));
    }
    game
}

/// Plays turns: how many cells had one, and the last state.
fn play(start: &Cellhack, answers: &Answers, turns: u64) -> (u64, Cellhack) {
    let mut game = start.clone();
    let mut cells = 0;
    for _ in 0..turns {
        cells += game.decisions().len() as u64;
        game.step(answers.of(&game));
    }
    (cells, game)
}

fn play_reference(start: &Cellhack, answers: &Answers, turns: u64) -> Cellhack {
    let mut game = start.clone();
    for _ in 0..turns {
        let position =
            reference::turn(game.rules(), game.seed(), &game.position(), answers.of(&game));
        game = Cellhack::from_position(game.rules(), game.seed(), position)
            .expect("the reference keeps to the rules");
    }
    game
}

fn rules(c: &mut Criterion) {
    let answers = Answers::new();
    let start = start(&answers);
    let mut group = c.benchmark_group("cellhack: rules, 256x256 half full");
    group.sampling_mode(SamplingMode::Flat);
    let mut measure = |name, turns, known, end: &dyn Fn() -> u64| {
        group.throughput(Throughput::Elements(play(&start, &answers, turns).0));
        group.bench_function(name, |b| b.iter(|| assert_eq!(end(), known, "{name}")));
    };
    measure("agon", 100, 16_270_482_814_945_085_476, &|| fold(&play(&start, &answers, 100).1));
    measure("reference", 1, 6_193_711_005_262_748_332, &|| {
        fold(&play_reference(&start, &answers, 1))
    });
    group.finish();
}

fn fold(game: &Cellhack) -> u64 {
    let mut fold = Fold::new();
    fold.add(game.state_hash());
    fold.finish()
}

criterion_group! {
    name = cellhack;
    config = support::config();
    targets = rules
}
criterion_main!(cellhack);
