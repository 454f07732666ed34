//! Damaged input: positions and answers are refused, or usable.

use agon_core::{Rng, Seed};
use serde_json::{Map, Value};

use super::{Exam, FEW_STEPS, Found, caught, failed};
use crate::any::{AnyAnswers, AnyGame};

/// Changes some bytes, or the length.
pub(super) fn damage(bytes: &mut Vec<u8>, rng: &mut Rng) {
    for _ in 0..1 + rng.below(4) {
        if bytes.is_empty() {
            return;
        }
        let at = rng.index(bytes.len());
        match rng.below(6) {
            0 => bytes.truncate(at),
            1 => bytes.insert(at, rng.bits() as u8),
            2 => bytes[at] ^= 1 << rng.below(8),
            3 => bytes[at] = rng.below(10) as u8,
            4 => bytes[at] = bytes[at].wrapping_add(1),
            _ => bytes[at] = rng.bits() as u8,
        }
    }
}

/// Changes a setting.
fn damage_rules(rules: &mut Value, rng: &mut Rng) {
    let count = rules.as_object().map_or(0, Map::len);
    let mut values = rules.as_object_mut().into_iter().flat_map(Map::values_mut);
    let Some(value) = values.nth(rng.index(count.max(1))) else { return };
    *value = match value {
        Value::Bool(value) => (!*value).into(),
        _ => [0, 1, rng.below(100), rng.bits() >> 32, u64::MAX][rng.index(5)].into(),
    };
}

/// Damaged positions are refused, or can be played.
pub(super) fn positions(exam: &Exam<'_>) -> Found {
    let mut saved = Vec::new();
    exam.walk(FEW_STEPS, |state| {
        saved.push(state.game.position_bytes()?);
        Ok(())
    })?;
    let mut played = 0;
    for round in 0..exam.options.rounds {
        let mut rng = exam.rng(round);
        let mut rules = exam.kind.full_rules(&exam.options.rules)?;
        if rng.chance(1, 4) {
            damage_rules(&mut rules, &mut rng);
        }
        let mut bytes = saved[rng.index(saved.len())].clone();
        damage(&mut bytes, &mut rng);
        let load = || exam.kind.start_from_bytes(&rules, Seed(1), &bytes);
        let play = || load().map_or(Ok(0), |game| play_some(exam, game, Seed(round)));
        played += caught(play).map_err(|stop| {
            let position = caught(|| Ok(load()?.position_json()));
            let position = position.unwrap_or_else(|_| format!("of the bytes {bytes:?}"));
            stop.within(&format!("position {position}, settings {rules}"))
        })?;
    }
    let rounds = exam.options.rounds;
    Ok(format!("{rounds} tried: {played} can be played, the others are refused"))
}

/// Plays some steps, one of them with default answers alone. Returns 1.
fn play_some(exam: &Exam<'_>, mut game: AnyGame, script: Seed) -> Found<u64> {
    let position = game.position_bytes()?;
    let again = exam.kind.start_from_bytes(&game.rules(), game.seed(), &position)?;
    let is_same = again == game && again.state_hash() == game.state_hash();
    ensure!(is_same, "saved and loaded again, it is another state");
    for step in 0..6 {
        if game.is_over() {
            ensure!(game.standing().outcome.is_some(), "the game is over without an outcome");
            break;
        }
        let mut answers = game.scripted_answers(script, step);
        if step == 3 {
            answers.reset(answers.len());
        }
        game.step(&answers);
    }
    Ok(1)
}

/// Damaged answers are refused, or come back the same.
pub(super) fn answers(exam: &Exam<'_>) -> Found {
    let mut read = 0;
    exam.walk(FEW_STEPS, |state| {
        for at in 0..state.answers.len().min(8) {
            let answer = state.answers.part(at..at + 1);
            for round in 0..exam.options.rounds.div_ceil(20) {
                let rng = &mut exam.rng(state.step << 32 | round);
                read += damage_bytes(&answer, rng)? + damage_reply(&answer, rng)?;
            }
        }
        Ok(())
    })?;
    Ok(format!("{read} are still answers, the others are refused"))
}

/// Damages the bytes of an answer. Returns how many answers came of it.
fn damage_bytes(answer: &AnyAnswers, rng: &mut Rng) -> Found<u64> {
    let mut bytes = Vec::new();
    answer.encode(&mut bytes);
    damage(&mut bytes, rng);
    let (mut first, mut second) = (answer.clone(), answer.clone());
    if first.decode(1, &mut bytes.as_slice()).is_err() {
        return Ok(0);
    }
    bytes.clear();
    first.encode(&mut bytes);
    second.decode(1, &mut bytes.as_slice())?;
    ensure!(first == second, "{first:?} became {second:?} as bytes");
    Ok(1)
}

/// Damages the reply that stands for an answer. Returns how many answers came of it.
fn damage_reply(answer: &AnyAnswers, rng: &mut Rng) -> Found<u64> {
    let Some(reply) = answer.reply(0) else { return Ok(0) };
    let mut bytes = reply.to_string().into_bytes();
    damage(&mut bytes, rng);
    let (mut first, mut second) = (answer.clone(), answer.clone());
    let is_read = |text: &str| first.as_mut().set_reply(0, text).is_ok();
    if !str::from_utf8(&bytes).is_ok_and(is_read) {
        return Ok(0);
    }
    let Some(reply) = first.reply(0) else {
        return failed(format!("{first:?} was made of a reply, but has none"));
    };
    second.as_mut().set_reply(0, &reply.to_string())?;
    ensure!(first == second, "{first:?} became {second:?} as the reply {reply}");
    Ok(1)
}
