//! What people see and do: scenes can be painted and inspected, and what is offered is legal and
//! enough to play.

use std::collections::BTreeSet;

use agon_core::{Player, Rng, runs_by_player};

use super::{Exam, FEW_STEPS, Found, State, ensure_legal, failed};
use crate::any::{AnyGame, AnyOrders};
use crate::human::{ArrowKey, Choice, Gesture, Reaction};
use crate::scene::{Board, Place, Scene, Shape, Travel};

/// Gestures of a person who tries anything.
const TRIED: usize = 60;

/// Gestures that have to be enough for a turn.
const ENOUGH: usize = 20_000;

/// Scenes can be painted and inspected.
pub(super) fn pictures(exam: &Exam<'_>) -> Found {
    let series = exam.kind.series();
    let names: BTreeSet<&str> = series.iter().map(|series| series.id).collect();
    let is_word = |name: &&str| !name.is_empty() && name.bytes().all(|c| c.is_ascii_lowercase());
    let are_named = names.len() == series.len() && names.iter().all(is_word);
    ensure!(are_named, "series need words of their own as names: {names:?}");
    let states = exam.walk(FEW_STEPS, |state| {
        check_pictures(exam, state)?;
        for (number, series) in series.iter().enumerate() {
            let mut values = Vec::new();
            state.game.sample(number, &mut values);
            let is_full = values.len() == state.game.players();
            ensure!(is_full, "series `{}` needs a number per player: {values:?}", series.id);
        }
        Ok(())
    })?;
    Ok(format!("{states} states"))
}

fn check_pictures(exam: &Exam<'_>, state: &State<'_>) -> Found<()> {
    let game = state.game;
    let scene = game.scene();
    check_scene(&scene, game.players())?;
    for player in Player::all(game.players()) {
        let seen = game.scene_for(player)?;
        check_scene(&seen, game.players())?;
        (0..seen.board.places() as Place).for_each(|place| _ = game.inspect_for(player, place));
    }
    let (title, is_over) = (&scene.title, game.is_over());
    let is_said = title.starts_with("over: ") == is_over;
    ensure!(is_said, "`over: ` begins the title when the game is over ({is_over}): `{title}`");

    let mut found = BTreeSet::new();
    for place in 0..scene.board.places() as Place {
        ensure!(!game.inspect(place).is_empty(), "there is no fact about place {place}");
        found.extend(game.decision_at(place));
    }
    ensure!(!is_over || found.is_empty(), "the game is over, but places have {found:?}");
    // A board need not show which unit decides; one of the kit may show some.
    let are_found = found.is_empty() || game.decisions().iter().all(|it| found.contains(it));
    ensure!(exam.kind.lists_legal() || are_found, "places have only {found:?}");
    if !is_over {
        for travel in game.travels(state.answers) {
            check_travel(&scene.board, &travel)?;
        }
    }
    Ok(())
}

/// Checks that painters can rely on a scene.
fn check_scene(scene: &Scene, players: usize) -> Found<()> {
    let (cells, places) = (scene.cells.len(), scene.board.places());
    ensure!(cells == places, "a board of {places} places has {cells} cells");
    let is_sorted = scene.pieces.is_sorted_by(|a, b| a.id < b.id);
    ensure!(is_sorted, "pieces are not sorted by id: {:?}", scene.pieces);
    let marks = scene.marks.iter().map(|mark| (mark.place, mark.shape));
    let pieces = scene.pieces.iter().map(|piece| (piece.place, piece.shape));
    for (place, shape) in marks.chain(pieces) {
        ensure!((place as usize) < places, "place {place} is not on the board");
        if let Shape::Pointer(arrow) = shape {
            ensure!(arrow.0 < 8, "{arrow:?} is no direction");
        }
    }
    let lines = scene.players.len();
    ensure!(lines == players, "{lines} of {players} players have a line");
    for score in scene.players.iter().map(|line| &line.score) {
        let is_short = score.len() <= 40 && score.is_ascii();
        ensure!(is_short, "this score is not at most 40 characters of ASCII: {score:?}");
    }
    let title = &scene.title;
    ensure!(!title.is_empty() && title.is_ascii(), "this title is no ASCII: {title:?}");
    Ok(())
}

/// Checks that a travel leads to one of the eight neighbours.
fn check_travel(board: &Board, travel: &Travel) -> Found<()> {
    let Board::Grid { width, height, wraps } = *board else {
        return failed("only grids can have travels");
    };
    let step = |from: u32, to: u32, size: u32| {
        let way = from.abs_diff(to);
        if wraps { way.min(size - way) } else { way }
    };
    let across = step(travel.from % width, travel.to % width, width);
    let down = step(travel.from / width, travel.to / width, height);
    let is_there = travel.from.max(travel.to) < width * height;
    ensure!(is_there && across.max(down) == 1, "{travel:?} does not lead to a neighbour");
    Ok(())
}

/// Any gestures are taken, what is submitted is legal, and what is offered is enough to play.
pub(super) fn people(exam: &Exam<'_>) -> Found {
    exam.walk(FEW_STEPS, |state| try_gestures(state, &mut exam.rng(state.step)))?;
    let mut turns = 0;
    for &players in &exam.options.players {
        turns += play_as_offered(exam, players)?;
    }
    Ok(format!("{turns} {}s played with what is offered", exam.kind.meta().turn_name))
}

/// Has the first player try anything.
fn try_gestures(state: &State<'_>, rng: &mut Rng) -> Found<()> {
    let game = state.game;
    let Some((player, range)) = runs_by_player(game.decisions()).next() else { return Ok(()) };
    let places = game.scene().cells.len();
    let mut orders = game.orders(player);
    let mut answers = state.answers.clone();
    for _ in 0..TRIED {
        let gesture = any_gesture(&game.hints(&orders).choices, places, rng);
        if game.act(&mut orders, gesture) == Reaction::Submitted {
            for at in range {
                game.carry_out(&orders, game.decisions()[at], answers.part_mut(at..at + 1));
                ensure_legal(game, at, &answers)?;
            }
            break;
        }
    }
    Ok(())
}

/// Mostly one that is offered.
fn any_gesture(choices: &[Choice], places: usize, rng: &mut Rng) -> Gesture {
    match rng.below(8) {
        0 => Gesture::Pick(rng.index(places) as u32),
        1 => Gesture::Type(char::from(b' ' + rng.below(95) as u8)),
        2 => Gesture::Go(ArrowKey::ALL[rng.index(4)]),
        3 => [Gesture::Confirm, Gesture::Undo, Gesture::Cancel][rng.index(3)],
        _ => rng.pick(choices).map_or(Gesture::Confirm, |choice| choice.act),
    }
}

/// Plays a match with people in all seats who do nothing but what is offered. Returns its turns.
fn play_as_offered(exam: &Exam<'_>, players: usize) -> Found<u64> {
    let seed = exam.options.seeds[0];
    let mut game = exam.start(players, seed)?;
    let mut rng = exam.rng(1);
    // The orders of each player, with their turn.
    let mut given: Vec<Option<(u64, AnyOrders)>> = vec![None; players];
    for step in 0..exam.options.max_steps {
        exam.place.set(Some((players, seed, step)));
        let turn = game.progress().turn;
        let mut answers = game.scripted_answers(seed, step);
        for (player, range) in runs_by_player(game.decisions()) {
            let orders = match given[player.index()].take() {
                Some((of, orders)) if of == turn => orders,
                _ => orders_as_offered(&game, player, &mut rng)?,
            };
            for at in range {
                game.carry_out(&orders, game.decisions()[at], answers.part_mut(at..at + 1));
                ensure_legal(&game, at, &answers)?;
            }
            given[player.index()] = Some((turn, orders));
        }
        if game.is_over() {
            break;
        }
        game.step(&answers);
    }
    Ok(game.progress().turn)
}

fn orders_as_offered(game: &AnyGame, player: Player, rng: &mut Rng) -> Found<AnyOrders> {
    let mut orders = game.orders(player);
    for _ in 0..ENOUGH {
        let hints = game.hints(&orders);
        ensure!(!hints.message.is_empty(), "the hints do not say what to do");
        let choices = hints.choices.iter().map(|choice| choice.act);
        let marked = hints.marks.iter().map(|mark| Gesture::Pick(mark.place));
        let acts: Vec<Gesture> =
            if rng.chance(1, 6) { marked.collect() } else { choices.collect() };
        let Some(&act) = rng.pick(&acts) else { continue };
        if game.act(&mut orders, act) == Reaction::Submitted {
            return Ok(orders);
        }
    }
    failed(format!("{ENOUGH} gestures did not lead to orders: {:?}", game.hints(&orders)))
}
