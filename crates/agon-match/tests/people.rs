//! Tests of people who play at a viewer: they press keys, and the match continues in another
//! thread.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::thread;
use std::time::{Duration, Instant};

use agon_bots::{Bot, BotSpec, BuiltinBot, HumanBot, Patience};
use agon_core::{Player, Purpose, Rng, Seed};
use agon_games::{GameId, any::GameKind, scene::Fact};
use agon_match::{Control, Match, MatchEvent, MatchOptions, MatchResult, replay::Replay};
use agon_view::{
    App, HumanPlayer, Input, Key, LiveStates, Notes, PromptQueue, SharedStates, Viewer,
};

/// Longer than any of these matches takes, on any machine.
const PATIENCE: Duration = Duration::from_secs(300);

/// The settings of a small map of rezzo.
const MAP: &[&str] = &["width=40", "height=40"];

/// A match in which some players are people.
struct Table {
    kind: &'static dyn GameKind,
    sets: &'static [&'static str],
    bots: Vec<BotSpec>,
    options: MatchOptions,
    patience: Patience,
}

impl Table {
    fn new(game: GameId, sets: &'static [&'static str], bots: &[&str]) -> Table {
        let bots = bots.iter().map(|text| text.parse().unwrap()).collect();
        let options = MatchOptions::default();
        Table { kind: game.kind(), sets, bots, options, patience: Patience::Endless }
    }

    fn turns(mut self, turns: u64) -> Table {
        self.options.max_turns = Some(turns);
        self
    }

    /// Plays; `person` acts at the viewer whenever somebody is asked there, until it says that it
    /// leaves.
    fn play(self, mut person: impl FnMut(&mut Viewer) -> bool) -> (MatchResult, Replay) {
        let Table { kind, sets, bots, options, patience } = self;
        let rules = kind.changed_rules(sets).unwrap();
        let game = kind.start(&rules, bots.len(), Seed(5)).unwrap();
        let desk = PromptQueue::default();
        let names: Vec<String> = bots.iter().map(BotSpec::name).collect();
        let is_person = |spec: &BotSpec| spec.info().unwrap().kind == "human";
        let people =
            Player::all(bots.len()).filter(|player| is_person(&bots[player.index()])).collect();
        let seat = |spec: &BotSpec| {
            let bot: Box<dyn Bot> = match is_person(spec) {
                true => Box::new(HumanBot::new(desk.clone(), patience)),
                false => Box::new(BuiltinBot::find(kind, &spec.name(), &[]).unwrap()),
            };
            (spec.info().unwrap(), bot)
        };
        let the_match = Match::new(game.clone(), bots.iter().map(seat).collect(), options).unwrap();
        let reel = SharedStates::new(game);
        let player = HumanPlayer::new(desk.clone(), names.clone(), people);
        let mut viewer =
            Viewer::new(LiveStates::new(reel.clone(), names), Notes::default()).with_person(player);
        thread::scope(|scope| {
            let playing = scope.spawn(|| {
                let mut observer = |event: &MatchEvent<'_>| {
                    if event.step > 0 {
                        reel.push(event.led_by, event.game);
                    }
                    Control::Continue
                };
                let (played, file) = the_match.record(Vec::new(), &mut observer).unwrap();
                reel.complete();
                desk.end();
                (played.result, Replay::open(file.as_slice()).unwrap())
            });
            let began = Instant::now();
            let mut now = Duration::ZERO;
            let mut stays = true;
            while stays && !playing.is_finished() {
                assert!(began.elapsed() < PATIENCE, "{:?}", viewer.status());
                now += Duration::from_millis(16);
                viewer.tick(now);
                if viewer.status().choices.is_empty() {
                    thread::yield_now();
                } else {
                    stays = person(&mut viewer);
                }
            }
            drop(viewer);
            playing.join().unwrap()
        })
    }
}

fn key(name: &str) -> Key {
    match name {
        "Space" => Key::Char(' '),
        "Up" => Key::Up,
        "Right" => Key::Right,
        "Down" => Key::Down,
        "Left" => Key::Left,
        "Return" => Key::Enter,
        "Backspace" => Key::Backspace,
        "Esc" => Key::Escape,
        other => Key::Char(other.chars().next().unwrap()),
    }
}

/// Presses any of the keys that are offered.
fn press_something(viewer: &mut impl App, rng: &mut Rng) -> bool {
    let offers = viewer.status().choices;
    let offer = rng.pick(&offers).unwrap();
    viewer.input(Input::Key(key(&offer.key)));
    true
}

fn script() -> Rng {
    Seed(1).stream(Purpose::Script, 0)
}

fn check(table: Table, turns: u64) {
    let mut rng = script();
    let kind = table.kind;
    let (result, replay) = table.turns(turns).play(|viewer| press_something(viewer, &mut rng));
    assert!(result.faults.is_empty(), "{:?}", result.faults);
    assert!(result.turns == turns || result.standing.outcome.is_some(), "{result:?}");
    assert!(replay.verify(kind).is_proven());
}

#[test]
fn a_person_plays_a_match_of_cluster() {
    let mut columns = 0;
    let bots = ["rosa=human", "builtin:random"];
    let (result, replay) = Table::new(GameId::Cluster, &["side=4"], &bots).play(|viewer| {
        let offers = viewer.status().choices;
        let is_offered = |label: &str| offers.iter().any(|offer| offer.label.contains(label));
        if !is_offered("to the left") {
            viewer.input(Input::Key(Key::Char('r')));
            viewer.input(Input::Key(Key::Char('1')));
            return true;
        }
        viewer.input(Input::Key(Key::Char('1')));
        columns += 1;
        for _ in 0..columns % 3 {
            viewer.input(Input::Key(Key::Right));
        }
        viewer.input(Input::Key(Key::Enter));
        true
    });
    assert!(result.standing.outcome.is_some() && !result.interrupted);
    assert!(result.faults.is_empty(), "{:?}", result.faults);
    let verdict = replay.verify(GameId::Cluster.kind());
    assert!(verdict.is_proven(), "{verdict}");
    let players = &replay.header().players;
    assert_eq!((players[0].name.as_str(), players[0].kind.as_str()), ("rosa", "human"));
    assert_eq!(players[0].digest, None);
}

#[test]
fn people_play_some_turns_of_all_games() {
    check(Table::new(GameId::Rezzo, MAP, &["human", "builtin:wanderer"]), 12);
    let field = &["field_width=12", "field_height=9"];
    check(Table::new(GameId::Binfection, field, &["builtin:random", "human"]), 6);
    let board = &["width=12", "height=9"];
    check(Table::new(GameId::Cellhack, board, &["human", "builtin:random"]), 6);
    let world = &["world_size=12"];
    check(Table::new(GameId::Amoebas, world, &["builtin:mindless", "human"]), 6);
}

#[test]
fn two_people_take_turns_at_one_viewer() {
    let sets = &["side=3", "max_rounds=4"];
    let table = Table::new(GameId::Cluster, sets, &["rosa=human", "tom=human"]);
    let mut rng = script();
    let mut asked = vec![];
    let (result, _) = table.play(|viewer| {
        let message = viewer.status().message.unwrap();
        asked.extend(message.split_once(": ").map(|(name, _)| name.to_owned()));
        press_something(viewer, &mut rng)
    });
    assert!(result.standing.outcome.is_some());
    asked.dedup();
    assert!(asked.len() >= 2 && asked.chunks(2).all(|turns| turns[0] == "rosa"), "{asked:?}");
}

#[test]
fn whoever_leaves_interrupts_the_match_before_the_step() {
    let mut moves = 0;
    let (result, replay) =
        Table::new(GameId::Cluster, &[], &["human", "builtin:greedy"]).play(|viewer| {
            moves += 1;
            if moves == 3 {
                return false;
            }
            for key in [Key::Char('1'), Key::Enter] {
                viewer.input(Input::Key(key));
            }
            true
        });
    assert!(result.interrupted && result.standing.outcome.is_none(), "{result:?}");
    assert_eq!((result.steps, result.faults.len()), (4, 0));
    assert_eq!(replay.steps(), 4);
}

#[test]
fn a_limit_makes_faults_and_a_tick_does_not() {
    let table = |patience| {
        let table = Table::new(GameId::Rezzo, MAP, &["human", "builtin:wanderer"]).turns(3);
        Table { patience, ..table }.play(|_| true).0
    };
    let millisecond = Duration::from_millis(1);
    let limited = table(Patience::Limit(millisecond));
    assert_eq!(limited.faults.len(), 3, "{:?}", limited.faults);
    assert!(
        limited.faults.iter().all(|fault| fault.detail.contains("gave no orders within 0.001 s"))
    );
    let ticking = table(Patience::Tick(millisecond));
    assert_eq!((ticking.faults.len(), ticking.turns), (0, 3));
}

#[test]
fn people_see_what_their_bots_would_see_until_the_match_is_over() {
    let field = &["field_width=30", "field_height=30"];
    let mut rng = script();
    let mut seen = vec![];
    Table::new(GameId::Binfection, field, &["human", "builtin:random"]).turns(3).play(|viewer| {
        let playback = viewer.playback();
        assert_eq!(playback.eyes, Some(Player(0)));
        let expected = playback.game().scene_for(Player(0)).unwrap();
        assert_eq!(*playback.scene(), expected);
        seen.push(playback.game().progress().turn);
        press_something(viewer, &mut rng)
    });
    assert!(seen.contains(&2), "{seen:?}");
}

#[test]
fn people_learn_of_no_cell_more_than_their_bots() {
    use agon_view::Button;
    let mut looks = 0;
    Table::new(GameId::Rezzo, MAP, &["human", "builtin:wanderer"]).turns(3).play(|viewer| {
        let game = viewer.playback().game().clone();
        for (x, y) in [(40.0, 40.0), (300.0, 300.0), (335.0, 560.0), (600.0, 100.0)] {
            viewer.input(Input::Move { x, y });
            viewer.input(Input::Press(Button::Right));
            viewer.input(Input::Release(Button::Right));
            let status = viewer.status();
            let Some(place) = status.selected else { continue };
            let known = game.inspect_for(Player(0), place);
            // A player's own number has the name beside it.
            let line = |fact: &Fact| match (&*fact.name, &*fact.value) {
                ("player", "0") => "player: human (0)".to_owned(),
                (name, value) => format!("{name}: {value}"),
            };
            let known: Vec<String> = known.iter().map(line).collect();
            assert_eq!(status.inspector, known, "{place}");
            looks += 1;
        }
        viewer.input(Input::Key(Key::Enter));
        true
    });
    assert!(looks >= 6, "{looks}");
}

#[test]
fn people_see_no_chart_of_what_is_hidden_before_the_end() {
    let map = &["width=40", "height=40", "max_ticks=3"];
    let mut seen = vec![];
    Table::new(GameId::Rezzo, map, &["human", "builtin:wanderer"]).turns(3).play(|viewer| {
        if viewer.status().chart.is_none() {
            viewer.input(Input::Key(Key::Char('c')));
        }
        let chart = viewer.status().chart.unwrap();
        seen.push((chart.hidden, chart.turns));
        viewer.input(Input::Key(Key::Enter));
        true
    });
    assert_eq!(seen, [(true, 0); 3]);
    // Everybody sees all of a game of cluster.
    let mut seen = vec![];
    let table = Table::new(GameId::Cluster, &["side=3"], &["human", "builtin:random"]).turns(4);
    table.play(|viewer| {
        if viewer.status().chart.is_none() {
            viewer.input(Input::Key(Key::Char('c')));
        }
        seen.push(viewer.status().chart.unwrap().hidden);
        for key in [Key::Char('1'), Key::Enter] {
            viewer.input(Input::Key(key));
        }
        true
    });
    assert_eq!(seen, [false; 2]);
}
