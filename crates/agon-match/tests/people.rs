//! Tests of people who play at a viewer: they press keys, and the match continues in another
//! thread.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::thread;
use std::time::{Duration, Instant};

use agon_bots::{Bot, BotSpec, BuiltinBot, HumanBot, Patience};
use agon_core::{Game as _, Player, Purpose, Rng, Seed};
use agon_games::scene::{Fact, Render as _};
use agon_games::{
    BuiltinBots, amoebas::Amoebas, binfection::Binfection, cellhack::Cellhack, cluster::Cluster,
    human::HumanInput, jsonl::JsonGame, rezzo::Rezzo,
};
use agon_match::{Control, Match, MatchEvent, MatchOptions, MatchResult, replay::Replay};
use agon_view::{
    App, HumanPlayer, Input, Key, LiveStates, Notes, PromptQueue, SharedStates, Viewer,
};

/// Longer than any of these matches takes, on any machine.
const PATIENCE: Duration = Duration::from_secs(300);

/// A match in which some players are people.
struct Table<G: BuiltinBots> {
    rules: G::Rules,
    bots: Vec<BotSpec>,
    options: MatchOptions,
    patience: Patience,
}

impl<G: BuiltinBots + HumanInput + JsonGame> Table<G> {
    fn new(rules: G::Rules, bots: &[&str]) -> Table<G> {
        let bots = bots.iter().map(|text| text.parse().unwrap()).collect();
        Table { rules, bots, options: MatchOptions::default(), patience: Patience::Endless }
    }

    fn turns(mut self, turns: u64) -> Table<G> {
        self.options.max_turns = Some(turns);
        self
    }

    /// Plays; `person` acts at the viewer whenever somebody is asked there, until it says that it
    /// leaves.
    fn play(self, mut person: impl FnMut(&mut Viewer<G>) -> bool) -> (MatchResult, Replay) {
        let Table { rules, bots, options, patience } = self;
        let game = G::new(&rules, bots.len(), Seed(5)).unwrap();
        let desk = PromptQueue::default();
        let names: Vec<String> = bots.iter().map(BotSpec::name).collect();
        let is_person = |spec: &BotSpec| spec.info().unwrap().kind == "human";
        let people =
            Player::all(bots.len()).filter(|player| is_person(&bots[player.index()])).collect();
        let seat = |spec: &BotSpec| {
            let bot: Box<dyn Bot<G>> = match is_person(spec) {
                true => Box::new(HumanBot::new(desk.clone(), patience)),
                false => Box::new(BuiltinBot::find(G::BUILTINS, &spec.name(), &[]).unwrap()),
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
                let mut observer = |event: &MatchEvent<'_, G>| {
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

fn check<G: BuiltinBots + HumanInput + JsonGame>(rules: G::Rules, bots: &[&str], turns: u64) {
    let mut rng = script();
    let (result, replay) =
        Table::<G>::new(rules, bots).turns(turns).play(|viewer| press_something(viewer, &mut rng));
    assert!(result.faults.is_empty(), "{:?}", result.faults);
    assert!(result.turns == turns || result.standing.outcome.is_some(), "{result:?}");
    assert!(replay.verify::<G>().is_proven());
}

#[test]
fn a_person_plays_a_match_of_cluster() {
    let rules = agon_games::cluster::Rules { side: 4, ..Default::default() };
    let mut columns = 0;
    let (result, replay) =
        Table::<Cluster>::new(rules, &["rosa=human", "builtin:random"]).play(|viewer| {
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
    let verdict = replay.verify::<Cluster>();
    assert!(verdict.is_proven(), "{verdict}");
    let players = &replay.header().players;
    assert_eq!((players[0].name.as_str(), players[0].kind.as_str()), ("rosa", "human"));
    assert_eq!(players[0].digest, None);
}

#[test]
fn people_play_some_turns_of_all_games() {
    let map = agon_games::rezzo::Rules { width: 40, height: 40, ..Default::default() };
    check::<Rezzo>(map, &["human", "builtin:wanderer"], 12);
    let field =
        agon_games::binfection::Rules { field_width: 12, field_height: 9, ..Default::default() };
    check::<Binfection>(field, &["builtin:random", "human"], 6);
    let board = agon_games::cellhack::Rules { width: 12, height: 9, ..Default::default() };
    check::<Cellhack>(board, &["human", "builtin:random"], 6);
    let world = agon_games::amoebas::Rules { world_size: 12, ..Default::default() };
    check::<Amoebas>(world, &["builtin:mindless", "human"], 6);
}

#[test]
fn two_people_take_turns_at_one_viewer() {
    let rules = agon_games::cluster::Rules { side: 3, max_rounds: 4, ..Default::default() };
    let mut rng = script();
    let mut asked = vec![];
    let (result, _) = Table::<Cluster>::new(rules, &["rosa=human", "tom=human"]).play(|viewer| {
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
    let rules = agon_games::cluster::Rules::default();
    let mut moves = 0;
    let (result, replay) =
        Table::<Cluster>::new(rules, &["human", "builtin:greedy"]).play(|viewer| {
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
    let rules = || agon_games::rezzo::Rules { width: 40, height: 40, ..Default::default() };
    let table = |patience| {
        let table = Table::<Rezzo>::new(rules(), &["human", "builtin:wanderer"]).turns(3);
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
    let rules =
        agon_games::binfection::Rules { field_width: 30, field_height: 30, ..Default::default() };
    let mut rng = script();
    let mut seen = vec![];
    Table::<Binfection>::new(rules, &["human", "builtin:random"]).turns(3).play(|viewer| {
        let playback = viewer.playback();
        assert_eq!(playback.eyes, Some(Player(0)));
        let expected = playback.game().scene_for(Player(0));
        assert_eq!(*playback.scene(), expected);
        seen.push(playback.game().progress().turn);
        press_something(viewer, &mut rng)
    });
    assert!(seen.contains(&2), "{seen:?}");
}

#[test]
fn people_learn_of_no_cell_more_than_their_bots() {
    use agon_view::Button;
    let rules = agon_games::rezzo::Rules { width: 40, height: 40, ..Default::default() };
    let mut looks = 0;
    Table::<Rezzo>::new(rules, &["human", "builtin:wanderer"]).turns(3).play(|viewer| {
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
    let rules =
        || agon_games::rezzo::Rules { width: 40, height: 40, max_ticks: 3, ..Default::default() };
    let mut seen = vec![];
    Table::<Rezzo>::new(rules(), &["human", "builtin:wanderer"]).turns(3).play(|viewer| {
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
    let rules = agon_games::cluster::Rules { side: 3, ..Default::default() };
    let mut seen = vec![];
    Table::<Cluster>::new(rules, &["human", "builtin:random"]).turns(4).play(|viewer| {
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
