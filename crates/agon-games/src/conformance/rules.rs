//! The promises of rules: states that follow from seed and answers, and can be saved.

use agon_core::{Meta, Player, Progress};
use serde_json::Map;

use super::{Exam, Found, State, failed};
use crate::any::{AnyAnswers, AnyGame};

/// Too few and too many players are refused.
pub(super) fn players(exam: &Exam<'_>) -> Found {
    let Meta { min_players: min, max_players: max, .. } = exam.kind.meta();
    let seed = exam.options.seeds[0];
    for wrong in [0, min.saturating_sub(1), max + 1] {
        let is_refused = exam.kind.start(&exam.options.rules, wrong, seed).is_err();
        ensure!(is_refused, "a match of {wrong} starts, but {min} to {max} can play");
    }
    for &players in &exam.options.players {
        exam.start(players, seed)?;
    }
    Ok(format!("{min} to {max}; other numbers are refused"))
}

/// Settings survive JSON, and unknown ones are refused.
pub(super) fn settings(exam: &Exam<'_>) -> Found {
    let mut rules = exam.kind.full_rules(&exam.options.rules)?;
    let again = exam.kind.read_rules(&rules.to_string())?;
    ensure!(again == rules, "{rules} became {again} as JSON");
    let count = rules.as_object().map_or(0, Map::len);
    rules["no such setting"] = 1.into();
    let is_refused = exam.kind.full_rules(&rules).is_err();
    ensure!(is_refused, "an unknown setting is accepted; `deny_unknown_fields` would refuse it");
    Ok(format!("{count} settings survive JSON; unknown ones are refused"))
}

/// The same seed and answers give the same game.
pub(super) fn same_game(exam: &Exam<'_>) -> Found {
    let mut twin: Option<AnyGame> = None;
    let states = exam.walk(exam.options.max_steps, |state| {
        let now = match twin.take() {
            Some(mut twin) if state.step > 0 => {
                let answers = twin.scripted_answers(state.seed, state.step - 1);
                twin.step(&answers);
                twin
            }
            _ => exam.start(state.game.players(), state.seed)?,
        };
        let is_same = now == *state.game && now.state_hash() == state.game.state_hash();
        ensure!(is_same, "two matches with the same seed and answers differ");
        twin = Some(now);
        Ok(())
    })?;
    Ok(format!("{states} states are the same when played again"))
}

/// Decisions are sorted and belong to players who are not out; looking changes nothing.
pub(super) fn decisions(exam: &Exam<'_>) -> Found {
    let mut count = 0;
    let states = exam.walk(exam.options.max_steps, |state| {
        let decisions = state.game.decisions();
        let is_sorted = decisions.is_sorted_by(|a, b| a < b);
        ensure!(is_sorted, "not sorted by player and unit, or one comes twice: {decisions:?}");
        let hash = state.game.state_hash();
        for &decision in decisions {
            let player = decision.player;
            ensure!(!state.game.is_out(player)?, "player {player} is out, but has to decide");
            state.game.observation_json(decision)?;
        }
        ensure!(state.game.state_hash() == hash, "looking at the state changes its hash");
        count += decisions.len();
        Ok(())
    })?;
    Ok(format!("{count} decisions in {states} states"))
}

/// The standing names every player, and an outcome exactly when the game is over.
pub(super) fn standing(exam: &Exam<'_>) -> Found {
    let states = exam.walk(exam.options.max_steps, |state| {
        let standing = state.game.standing();
        let (named, players) = (standing.players.len(), state.game.players());
        ensure!(named == players, "it names {named} of {players} players: {standing:?}");
        let is_over = state.game.is_over();
        let has_outcome = standing.outcome.is_some();
        ensure!(has_outcome == is_over, "the game is over: {is_over}, but it says {standing:?}");
        let is_first = |player: &Player| standing.players[player.index()].place == 1;
        let is_led = Player::all(players).any(|player| is_first(&player));
        ensure!(is_led, "nobody is first: {standing:?}");
        let mut winners = standing.outcome.iter().flat_map(|outcome| &outcome.winners);
        ensure!(winners.all(is_first), "a winner is not first: {standing:?}");
        Ok(())
    })?;
    Ok(format!("{states} states"))
}

/// The hash changes if and only if the state does.
pub(super) fn hash(exam: &Exam<'_>) -> Found {
    let mut last: Option<AnyGame> = None;
    let states = exam.walk(exam.options.max_steps, |state| {
        let hash = state.game.state_hash();
        let copy = state.game.clone();
        ensure!(hash == copy.state_hash(), "a clone has another hash, or asking changes it");
        let Some(before) = last.replace(copy).filter(|_| state.step > 0) else { return Ok(()) };
        match (before == *state.game, before.state_hash() == hash) {
            (false, true) => failed("the state changed, but its hash did not"),
            (true, false) => failed("the hash changed, but the state did not"),
            _ => Ok(()),
        }
    })?;
    Ok(format!("{states} states: it changes exactly when they do"))
}

/// Clones are independent.
pub(super) fn clones(exam: &Exam<'_>) -> Found {
    let mut copies: Vec<(AnyGame, u64, AnyAnswers)> = Vec::new();
    exam.walk(exam.options.max_steps, |state| {
        if state.is_sampled() && !state.game.is_over() {
            copies.push((state.game.clone(), state.game.state_hash(), state.answers.clone()));
        }
        Ok(())
    })?;
    for (copy, hash, answers) in &copies {
        ensure!(copy.state_hash() == *hash, "a match that continued changed an older clone");
        let mut both = [copy.clone(), copy.clone()];
        both.iter_mut().for_each(|game| game.step(answers));
        ensure!(both[0] == both[1], "the same answers led two clones to different states");
    }
    Ok(format!("{} clones", copies.len()))
}

/// A match can be saved as a position and loaded, and then continues the same way.
pub(super) fn save_and_load(exam: &Exam<'_>) -> Found {
    let mut count = 0;
    exam.walk(exam.options.max_steps, |state| {
        if !state.is_sampled() && !state.game.is_over() {
            return Ok(());
        }
        count += 1;
        round_trip(exam, state)
    })?;
    Ok(format!("{count} states, as JSON and as bytes"))
}

fn round_trip(exam: &Exam<'_>, state: &State<'_>) -> Found<()> {
    let game = state.game;
    let rules = game.rules();
    let json = game.position_json();
    let from_json = exam.kind.start_from_json(&rules, game.seed(), &json);
    let from_bytes = exam.kind.start_from_bytes(&rules, game.seed(), &game.position_bytes()?);
    for (form, loaded) in [("JSON", from_json), ("bytes", from_bytes)] {
        let mut loaded = loaded.or_else(|error| {
            failed(format!("the game refuses its own position, saved as {form}: {error}"))
        })?;
        let is_same = loaded == *game
            && loaded.state_hash() == game.state_hash()
            && loaded.decisions() == game.decisions()
            && loaded.position_json() == json;
        ensure!(is_same, "saved as {form} and loaded, it is another state: {json}");
        let mut game = game.clone();
        for step in 0..3 {
            if game.is_over() {
                break;
            }
            let answers = game.scripted_answers(state.seed, step);
            game.step(&answers);
            loaded.step(&answers);
        }
        ensure!(loaded == game, "saved as {form} and loaded, it continues in another way: {json}");
    }
    Ok(())
}

/// Answers survive their encodings.
pub(super) fn answer_formats(exam: &Exam<'_>) -> Found {
    let mut count = 0;
    exam.walk(exam.options.max_steps, |state| {
        count += state.answers.len();
        check_formats(exam, state.answers)
    })?;
    let mut default = exam.kind.no_answers();
    default.reset(1);
    check_formats(exam, &default)?;
    Ok(format!("{count} answers, as bytes, as JSON and as replies"))
}

fn check_formats(exam: &Exam<'_>, answers: &AnyAnswers) -> Found<()> {
    let mut bytes = Vec::new();
    answers.encode(&mut bytes);
    let mut input = bytes.as_slice();
    let mut copy = exam.kind.no_answers();
    copy.decode(answers.len() as u64, &mut input)?;
    ensure!(copy == *answers, "{answers:?} became {copy:?} as bytes");
    ensure!(input.is_empty(), "not all bytes of {answers:?} are read");
    for at in 0..answers.len() {
        let answer = answers.debug(at);
        let one = answers.part(at..at + 1);
        let json = answers.json(at);
        copy.as_mut().set_json(at, &json.to_string())?;
        ensure!(copy.part(at..at + 1) == one, "{answer:?} is another answer as {json}");
        let Some(reply) = answers.reply(at) else { continue };
        copy.as_mut().set_reply(at, &reply.to_string())?;
        ensure!(copy.part(at..at + 1) == one, "{answer:?} is another as the reply {reply}");
    }
    Ok(())
}

/// Matches end within their limit, also with faults alone.
pub(super) fn end(exam: &Exam<'_>) -> Found {
    let most = exam.options.max_steps;
    let mut longest = 0;
    let mut check = |state: &State<'_>| {
        let Progress { turn, limit } = state.game.progress();
        longest = longest.max(turn);
        let is_late = state.step == most && !state.game.is_over() && limit.is_some();
        ensure!(!is_late, "it is not over, in turn {turn}; shorter settings in `TINY` may help");
        Ok(())
    };
    exam.walk(most, &mut check)?;
    let faults = |game: &AnyGame, _, _| {
        let mut answers = exam.kind.no_answers();
        answers.reset(game.decisions().len());
        Ok(answers)
    };
    exam.walk_with(most, faults, &mut check).map_err(|stop| stop.within("with faults alone"))?;
    Ok(format!("the longest match took {longest} {}s", exam.kind.meta().turn_name))
}
