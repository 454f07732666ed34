//! Tests of the playback over time: play, pause, step, seek, follow.

use std::time::Duration;

use agon_core::{Game as _, Seed};
use agon_games::GameId;
use agon_games::amoebas::{self, Amoebas};
use agon_games::any::{AnyAnswers, AnyGame, GameKind};
use agon_games::cellhack::{self, Cellhack};
use agon_match::replay::Replay;
use agon_view::{LiveStates, Playback, Redraw, ReplayStates, SharedStates, Speed, StateSource};

use crate::support::replay;

fn cells() -> cellhack::Rules {
    cellhack::Rules { width: 12, height: 10, turns: 40, ..cellhack::Rules::default() }
}

fn waters() -> amoebas::Rules {
    amoebas::Rules { world_size: 20, rounds: 40, ..amoebas::Rules::default() }
}

fn playback(replay: &Replay) -> Playback {
    Playback::new(Box::new(states(replay)))
}

fn states(replay: &Replay) -> ReplayStates {
    ReplayStates::new(replay, kind(replay)).expect("it can be played")
}

fn kind(replay: &Replay) -> &'static dyn GameKind {
    replay.header().game.parse::<GameId>().expect("it is a known game").kind()
}

/// Lets time pass, with a picture every 16 ms.
fn pass(playback: &mut Playback, from: u64, to: u64) {
    for ms in (from..to).step_by(16) {
        playback.tick(Duration::from_millis(ms));
    }
}

#[test]
fn it_plays_at_its_speed_and_stops_at_the_end() {
    let replay = replay::<Cellhack>(&cells(), 2, 100);
    let mut playback = playback(&replay);
    assert_eq!((playback.speed, playback.idle()), (Speed::ONE, None));
    playback.set_speed(Speed::ONE.faster().faster().faster());
    playback.toggle();
    pass(&mut playback, 50_000, 52_000);
    assert!((15..=16).contains(&playback.turn()), "8 turns a second for 2 s: {}", playback.turn());
    playback.toggle();
    let turn = playback.turn();
    pass(&mut playback, 52_000, 60_000);
    assert_eq!((playback.turn(), playback.playing, playback.idle()), (turn, false, None));
    playback.set_speed(Speed::FASTEST);
    playback.toggle();
    pass(&mut playback, 60_000, 61_000);
    assert_eq!((playback.step(), playback.is_at_end(), playback.playing), (40, true, false));
    playback.toggle();
    assert_eq!(
        (playback.step(), playback.playing),
        (0, true),
        "at the end it plays from the beginning"
    );
}

#[test]
fn every_state_is_the_one_of_the_replay_however_it_is_come_to() {
    let replay = replay::<Amoebas>(&waters(), 2, 10_000);
    let mut playback = playback(&replay);
    let steps = replay.steps();
    assert!(steps > 120, "rounds have many batches: {steps} steps");
    let at = |step: u64| replay.seek(kind(&replay), step).expect("there is such a step");
    let places =
        [steps, 0, steps / 2, steps / 2 - 1, steps / 2 + 3, 7, steps - 1, steps / 3, steps];
    for step in places.into_iter().chain((0..30).map(|back| steps - 3 * back)) {
        playback.seek(step);
        assert_eq!((playback.step(), playback.game() == &at(step)), (step, true), "step {step}");
    }
    playback.seek_fraction(0.25);
    assert_eq!(playback.step(), (steps as f64 / 4.0).round() as u64);
    playback.next_step();
    playback.previous_step();
    assert_eq!(playback.game(), &at(playback.step()));
}

#[test]
fn turns_of_many_batches_are_gone_through_by_turns() {
    let replay = replay::<Amoebas>(&waters(), 2, 10_000);
    let at = |step: u64| replay.seek(kind(&replay), step).expect("there is such a step");
    let turn = |step: u64| at(step).progress().turn;
    let firsts: Vec<u64> =
        (0..=replay.steps()).filter(|&step| step == 0 || turn(step) != turn(step - 1)).collect();
    assert_eq!(firsts.len(), 41, "40 rounds and the end");
    let mut playback = playback(&replay);
    // Backwards without having passed; the end is the start of a turn that is never played.
    playback.to_end();
    for &first in firsts.iter().rev().skip(1) {
        playback.previous_turn();
        assert_eq!(playback.step(), first);
    }
    playback.previous_turn();
    assert_eq!(playback.step(), 0);
    for &first in &firsts[1..] {
        playback.next_turn();
        assert_eq!(playback.step(), first);
    }
    // From within a turn to its own beginning.
    playback.seek(firsts[5] + 3);
    playback.previous_turn();
    assert_eq!(playback.step(), firsts[5]);
    assert_eq!(playback.turn_start().expect("it can be played"), firsts[5]);
}

#[test]
fn a_step_moves_and_then_rests() {
    let replay = replay::<Cellhack>(&cells(), 2, 100);
    let mut playback = playback(&replay);
    playback.next_turn();
    assert_eq!((playback.instant().done, playback.instant().before.is_some()), (0.0, true));
    assert_eq!(playback.tick(Duration::from_secs(5)), Redraw::Yes);
    assert_eq!(playback.instant().done, 0.0, "the movement begins with the first picture of it");
    playback.tick(Duration::from_millis(5_100));
    let done = playback.instant().done;
    assert!(done > 0.1 && done < 0.9, "{done}");
    playback.tick(Duration::from_secs(6));
    assert_eq!((playback.instant().done, playback.instant().before.is_none()), (1.0, true));
    assert_eq!((playback.tick(Duration::from_secs(7)), playback.idle()), (Redraw::No, None));
}

#[test]
fn what_follows_a_wrong_answer_is_not_shown() {
    /// A source whose step 20 cannot be played.
    struct Broken(ReplayStates);
    impl StateSource for Broken {
        fn players(&self) -> &[String] {
            self.0.players()
        }
        fn steps(&self) -> u64 {
            self.0.steps()
        }
        fn is_complete(&self) -> bool {
            true
        }
        fn step(&self) -> u64 {
            self.0.step()
        }
        fn game(&self) -> &AnyGame {
            self.0.game()
        }
        fn answers(&mut self) -> Result<Option<&AnyAnswers>, agon_view::StateError> {
            self.0.answers()
        }
        fn advance(&mut self) -> Result<bool, agon_view::StateError> {
            let advanced = self.0.advance()?;
            if self.0.step() == 21 {
                return Err(
                    agon_match::replay::ReadError::NoSuchStep { step: 21, steps: 20 }.into()
                );
            }
            Ok(advanced)
        }
        fn seek(&mut self, step: u64) -> Result<(), agon_view::StateError> {
            self.0.seek(step.min(20))?;
            while self.0.step() < step {
                self.advance()?;
            }
            Ok(())
        }
        fn fork(&self) -> Box<dyn StateSource> {
            Box::new(Broken(self.0.clone()))
        }
    }
    let replay = replay::<Cellhack>(&cells(), 2, 100);
    let broken = || Playback::new(Box::new(Broken(states(&replay))));
    let mut playing = broken();
    playing.set_speed(Speed::FASTEST);
    playing.toggle();
    pass(&mut playing, 0, 1_000);
    let mut seeking = broken();
    seeking.to_end();
    for playback in [&mut playing, &mut seeking] {
        assert_eq!((playback.step(), playback.steps(), playback.is_at_end()), (20, 20, true));
        assert!(playback.trouble().is_some());
        let last = replay.seek(kind(&replay), 20).expect("there is such a step");
        assert_eq!(playback.game(), &last);
        playback.seek(39);
        assert_eq!((playback.step(), playback.playing), (20, false));
        playback.previous_turn();
        assert_eq!(playback.step(), 19);
    }
}

/// A live match at its start, its state, and a playback of it.
fn live(turns: u32) -> (SharedStates, AnyGame, Playback) {
    let rules = cellhack::Rules { turns, ..cells() };
    let start = Cellhack::new(&rules, 2, Seed(1)).expect("the rules allow it");
    let start = AnyGame::of(start);
    let shared = SharedStates::new(start.clone());
    let states = LiveStates::new(shared.clone(), vec!["ann".into(), "bob".into()]);
    (shared, start, Playback::new(Box::new(states)))
}

/// Plays some more steps of a live match.
fn push(shared: &SharedStates, game: &mut AnyGame, steps: u64) {
    for _ in 0..steps {
        let answers = game.scripted_answers(Seed(3), game.progress().turn);
        game.step(&answers);
        shared.push(&answers, game);
    }
}

#[test]
fn a_match_that_is_being_played_is_followed_until_somebody_goes_back() {
    let (shared, start, mut playback) = live(40);
    let mut game = start.clone();
    assert!(playback.following && playback.is_live());
    push(&shared, &mut game, 1);
    pass(&mut playback, 0, 50);
    assert_eq!((playback.step(), playback.instant().before.is_some()), (1, true));
    push(&shared, &mut game, 9);
    pass(&mut playback, 50, 100);
    assert_eq!((playback.step(), playback.game() == &game), (10, true));
    playback.previous_turn();
    push(&shared, &mut game, 5);
    pass(&mut playback, 100, 1_000);
    assert_eq!((playback.step(), playback.following, playback.steps()), (9, false, 15));
    playback.to_end();
    push(&shared, &mut game, 5);
    pass(&mut playback, 1_000, 1_100);
    assert_eq!((playback.step(), playback.following), (20, true));
    // It starts again, and is over at once.
    shared.begin_anew(start.clone());
    let mut game = start;
    pass(&mut playback, 1_100, 1_200);
    assert_eq!((playback.step(), playback.following), (0, true));
    push(&shared, &mut game, 40);
    shared.complete();
    pass(&mut playback, 1_200, 1_300);
    assert_eq!((playback.step(), playback.is_at_end(), playback.playing), (40, true, false));
}

#[test]
fn a_match_at_full_speed_can_be_watched_from_its_start() {
    let (shared, mut game, mut playback) = live(40);
    push(&shared, &mut game, 30);
    playback.play_from_start();
    playback.set_speed(Speed::ONE.faster().faster());
    pass(&mut playback, 0, 2_000);
    assert!((6..=8).contains(&playback.step()), "{}", playback.step());
    playback.set_speed(Speed::FASTEST);
    pass(&mut playback, 2_000, 3_000);
    assert_eq!((playback.step(), playback.following), (30, true), "it has caught up");
}

#[test]
fn a_match_that_is_over_at_once_is_still_shown_from_its_start() {
    let (shared, mut game, mut playback) = live(40);
    playback.play_from_start();
    // The first picture comes before the first step.
    pass(&mut playback, 0, 100);
    assert_eq!((playback.step(), playback.following), (0, false));
    push(&shared, &mut game, 40);
    shared.complete();
    assert_eq!(playback.speed, Speed::ONE);
    pass(&mut playback, 100, 3_200);
    assert!((2..=4).contains(&playback.step()), "{}", playback.step());
}

#[test]
fn the_speed_from_the_start_grows_with_the_match_until_somebody_chooses_one() {
    let (shared, mut game, mut playback) = live(1_000);
    playback.play_from_start();
    push(&shared, &mut game, 10);
    pass(&mut playback, 0, 50);
    assert_eq!(playback.speed, Speed::of_match(10));
    push(&shared, &mut game, 390);
    pass(&mut playback, 50, 100);
    assert_eq!(playback.speed, Speed::of_match(400));
    playback.set_speed(Speed::ONE);
    shared.complete();
    pass(&mut playback, 100, 200);
    assert_eq!(playback.speed, Speed::ONE);
}
