//! The conformance kit: what every game promises, checked by playing it.
//!
//! The tests of each game call [`check`].

mod actions;

use std::panic::{AssertUnwindSafe, catch_unwind};

use agon_core::{Codec, Game, GameExt, LegalActions, Player, Seed};

/// A promise that a game broke.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The promise, in a few words.
    pub promise: &'static str,
    /// Where and how it was broken.
    pub detail: String,
}

fn broken<T>(promise: &'static str, detail: impl Into<String>) -> Result<T, Violation> {
    Err(Violation { promise, detail: detail.into() })
}

fn set_up<G: Game>(rules: &G::Rules, players: usize, seed: Seed) -> Result<G, Violation> {
    G::new(rules, players, seed)
        .map_err(|e| Violation { promise: "starts with these rules", detail: e.to_string() })
}

/// Plays scripted games and checks all promises of [`Game`] and [`LegalActions`] on them.
///
/// Each seed is the seed of one match and of its script. A match is played for at most `max_steps`
/// steps; if the game names a limit, it must end within `max_steps`, so choose rules that end early
/// or a large number.
///
/// # Panics
/// If a promise is broken, naming the promise, the seed and the step.
pub fn check<G: LegalActions>(
    rules: &G::Rules,
    players: usize,
    seeds: impl IntoIterator<Item = u64>,
    max_steps: u64,
) {
    for seed in seeds {
        if let Err(violation) = find_violation::<G>(rules, players, Seed(seed), max_steps) {
            let Violation { promise, detail } = violation;
            panic!("{}, seed {seed}: broken promise \"{promise}\": {detail}", G::META.id);
        }
    }
}

/// Like [`check`] for one seed, with the first violation as a value.
///
/// # Errors
/// With the first promise found broken.
pub fn find_violation<G: LegalActions>(
    rules: &G::Rules,
    players: usize,
    seed: Seed,
    max_steps: u64,
) -> Result<(), Violation> {
    let play = || {
        check_players::<G>(rules, seed)?;
        check_settings::<G>(rules)?;
        check_play::<G>(rules, players, seed, max_steps)?;
        check_faults::<G>(rules, players, seed, max_steps)?;
        actions::check::<G>(rules, players, seed, max_steps)
    };
    catch_unwind(AssertUnwindSafe(play)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned()));
        broken("never panics", text.unwrap_or_default())
    })
}

/// Checks that too few and too many players are refused.
fn check_players<G: Game>(rules: &G::Rules, seed: Seed) -> Result<(), Violation> {
    for players in [G::META.min_players.saturating_sub(1), G::META.max_players + 1, 0] {
        if G::new(rules, players, seed).is_ok() {
            return broken("refuses a wrong number of players", format!("{players} were accepted"));
        }
    }
    Ok(())
}

/// Checks that settings survive JSON, and unknown ones are errors.
fn check_settings<G: Game>(rules: &G::Rules) -> Result<(), Violation> {
    let mut json = serde_json::to_value(rules).map_err(|e| failed("settings survive JSON", &e))?;
    let back: G::Rules =
        serde_json::from_value(json.clone()).map_err(|e| failed("settings survive JSON", &e))?;
    if back != *rules {
        return broken("settings survive JSON", format!("{rules:?} became {back:?}"));
    }
    json["no such setting"] = 1.into();
    match serde_json::from_value::<G::Rules>(json) {
        Ok(_) => broken("refuses unknown settings", "`no such setting` was accepted"),
        Err(_) => Ok(()),
    }
}

fn check_play<G: Game>(
    rules: &G::Rules,
    players: usize,
    seed: Seed,
    max_steps: u64,
) -> Result<(), Violation> {
    let mut game = set_up::<G>(rules, players, seed)?;
    let mut twin = set_up::<G>(rules, players, seed)?;
    let mut copies: Vec<(G, u64)> = Vec::new();
    for step in 0..max_steps {
        check_state(&game)
            .map_err(|v| Violation { detail: format!("step {step}: {}", v.detail), ..v })?;
        if game != twin || game.state_hash() != twin.state_hash() {
            return broken(
                "same seed and answers, same game",
                format!("step {step}: twins differ"),
            );
        }
        if game.is_over() {
            break;
        }
        // The distance between copies grows, so that long games do not take quadratic time.
        if step.is_power_of_two() || step < 3 {
            copies.push((game.clone(), game.state_hash()));
        }
        let answers = game.scripted_answers(seed, step);
        check_wire::<G>(&answers, step)?;
        let before = game.clone();
        twin.step(&answers);
        game.step(&answers);
        check_hash(&before, &game, step)?;
    }
    check_copies(&copies)?;
    for (copy, _) in copies.iter().chain([&(game.clone(), 0)]) {
        check_round_trip(copy, seed)?;
    }
    match game.progress().limit {
        Some(limit) if !game.is_over() => broken(
            "ends within its limit",
            format!("{max_steps} steps played, the limit is turn {limit}"),
        ),
        _ => Ok(()),
    }
}

/// Checks what must hold in every state.
fn check_state<G: Game>(game: &G) -> Result<(), Violation> {
    let decisions = game.decisions();
    if !decisions.is_sorted_by(|a, b| a < b) {
        return broken("decisions are sorted and unique", format!("{decisions:?}"));
    }
    if let Some(d) = decisions.iter().find(|d| d.player.index() >= game.players()) {
        return broken("decisions belong to players", format!("{d:?}"));
    }
    if let Some(d) = decisions.iter().find(|d| game.is_out(d.player)) {
        return broken("who is out does not decide", format!("{d:?}"));
    }
    let hash = game.state_hash();
    decisions.iter().for_each(|&d| drop(game.view(d)));
    if game.state_hash() != hash {
        return broken("looking changes nothing", "the state hash changed");
    }
    check_standing(game)
}

fn check_standing<G: Game>(game: &G) -> Result<(), Violation> {
    let standing = game.standing();
    if standing.players.len() != game.players() {
        return broken("the standing names every player", format!("{standing:?}"));
    }
    if standing.outcome.is_some() != game.is_over() {
        return broken("an outcome exactly when over", format!("{:?}", standing.outcome));
    }
    let best = standing.players.iter().map(|p| p.place).min();
    if best != Some(1) {
        return broken("somebody is first", format!("{standing:?}"));
    }
    let winners = standing.outcome.iter().flat_map(|o| &o.winners);
    let unplaced = |w: &&Player| standing.players.get(w.index()).is_none_or(|p| p.place != 1);
    match winners.into_iter().find(unplaced) {
        Some(winner) => broken("winners are first", format!("player {winner}: {standing:?}")),
        None => Ok(()),
    }
}

/// Checks that a game can be saved as a position and loaded, through JSON and postcard, and then
/// continues the same way.
fn check_round_trip<G: Game>(game: &G, script: Seed) -> Result<(), Violation> {
    const PROMISE: &str = "save/load round trip";
    let turn = game.progress().turn;
    let position = game.position();
    let json = serde_json::to_string(&position).map_err(|e| failed(PROMISE, &e))?;
    let from_json: G::Position = serde_json::from_str(&json).map_err(|e| failed(PROMISE, &e))?;
    let binary = postcard::to_stdvec(&position).map_err(|e| failed(PROMISE, &e))?;
    let from_binary: G::Position =
        postcard::from_bytes(&binary).map_err(|e| failed(PROMISE, &e))?;
    for (format, loaded) in [("JSON", from_json), ("postcard", from_binary)] {
        if loaded != position {
            return broken(PROMISE, format!("turn {turn}: the position differs after {format}"));
        }
        let mut copy = G::from_position(game.rules(), game.seed(), loaded)
            .map_err(|e| failed(PROMISE, &format!("turn {turn}: own position refused: {e}")))?;
        if copy != *game
            || copy.state_hash() != game.state_hash()
            || copy.decisions() != game.decisions()
        {
            return broken(PROMISE, format!("turn {turn}: the game differs after {format}"));
        }
        let mut original = game.clone();
        for step in 0..3 {
            let answers = original.scripted_answers(script, step);
            if original.is_over() {
                break;
            }
            original.step(&answers);
            copy.step(&answers);
        }
        if copy != original {
            return broken(PROMISE, format!("turn {turn}: the games part ways after {format}"));
        }
    }
    Ok(())
}

fn check_wire<G: Game>(answers: &[G::Answer], step: u64) -> Result<(), Violation> {
    const PROMISE: &str = "answers survive their encodings";
    for answer in answers.iter().chain([&G::Answer::default()]) {
        let mut bytes = Vec::new();
        answer.encode(&mut bytes);
        let mut input = bytes.as_slice();
        let back = G::Answer::decode(&mut input).map_err(|e| failed(PROMISE, &e))?;
        if back != *answer || !input.is_empty() {
            return broken(PROMISE, format!("step {step}: {answer:?} became {back:?}"));
        }
        let json = serde_json::to_string(answer).map_err(|e| failed(PROMISE, &e))?;
        let back: G::Answer = serde_json::from_str(&json).map_err(|e| failed(PROMISE, &e))?;
        if back != *answer {
            return broken(
                PROMISE,
                format!("step {step}: {answer:?} became {back:?} through {json}"),
            );
        }
    }
    Ok(())
}

/// Checks that the hash changes if and only if the state does.
fn check_hash<G: Game>(before: &G, after: &G, step: u64) -> Result<(), Violation> {
    let hash_changed = before.state_hash() != after.state_hash();
    let state_changed = before != after;
    match (state_changed, hash_changed) {
        (true, false) => broken("the hash sees every change", format!("step {step}")),
        (false, true) => broken("the hash changes only with the state", format!("step {step}")),
        _ if after.state_hash() != after.clone().state_hash() => broken(
            "the hash changes only with the state",
            format!("step {step}: asking changes it"),
        ),
        _ => Ok(()),
    }
}

fn check_copies<G: Game>(copies: &[(G, u64)]) -> Result<(), Violation> {
    for (copy, hash) in copies {
        if copy.state_hash() != *hash {
            return broken("clones are independent", "playing on changed an older clone");
        }
        let mut first = copy.clone();
        let mut second = copy.clone();
        let answers = copy.scripted_answers(Seed(1), 0);
        first.step(&answers);
        second.step(&answers);
        if first != second {
            return broken(
                "clones are independent",
                "two clones went different ways with the same answers",
            );
        }
    }
    Ok(())
}

/// Plays a match with nothing but faults to its end.
fn check_faults<G: Game>(
    rules: &G::Rules,
    players: usize,
    seed: Seed,
    max_steps: u64,
) -> Result<(), Violation> {
    let mut game = set_up::<G>(rules, players, seed)?;
    for _ in 0..max_steps {
        if game.is_over() {
            return Ok(());
        }
        game.step_with(|_, _| G::Answer::default());
    }
    match game.progress().limit {
        Some(_) if !game.is_over() => broken("ends within its limit", "only faults were answered"),
        _ => Ok(()),
    }
}

fn failed(promise: &'static str, error: &dyn std::fmt::Display) -> Violation {
    Violation { promise, detail: error.to_string() }
}
