//! What is hidden from a player changes nothing that the player gets: no message to the bot, no
//! picture, and no answer of a built-in bot.

use agon_core::{Decision, Params, Player, Purpose, QuickStreams, Seed, runs_by_player};
use serde_json::Value;

use super::{Exam, FEW_STEPS, Found, State, Stop, damage::damage};
use crate::any::AnyGame;

/// Compares states with others that look the same to a bot.
pub(super) fn secrets(exam: &Exam<'_>) -> Found {
    let mut compared = 0;
    exam.walk(FEW_STEPS, |state| {
        for round in 0..exam.options.rounds.div_ceil(10) {
            if let Some(other) = other_state(exam, state, round) {
                compared += compare(exam, state.game, &other)?;
            }
        }
        Ok(())
    })?;
    if compared == 0 {
        let reason = "no two states were found that look the same to a player";
        return Err(Stop::NotApplicable(reason.to_owned()));
    }
    Ok(format!("{compared} times a player could not tell two states apart"))
}

/// Returns a state that may look the same to a player, because only hidden things differ.
fn other_state(exam: &Exam<'_>, state: &State<'_>, round: u64) -> Option<AnyGame> {
    let rules = state.game.rules();
    let rng = &mut exam.rng(state.step << 32 | round);
    let seed = Seed(rng.bits());
    let saved = state.game.position_bytes().ok()?;
    let mut bytes = saved.clone();
    match round % 3 {
        // Another deal.
        1 if state.step == 0 => {
            return exam.kind.start(&rules, state.game.players(), seed).ok();
        }
        // Two things change places, such as cards: many games refuse all other changes.
        1 => bytes.swap(rng.index(saved.len()), rng.index(saved.len())),
        _ if round > 0 => damage(&mut bytes, rng),
        _ => {}
    }
    // In the first round only the seed differs.
    let is_other = round == 0 || bytes != saved;
    is_other.then(|| exam.kind.start_from_bytes(&rules, seed, &bytes).ok())?
}

/// Returns how many players cannot tell the states apart.
fn compare(exam: &Exam<'_>, game: &AnyGame, other: &AnyGame) -> Found<u64> {
    let mut compared = 0;
    for (player, part) in runs_by_player(game.decisions()) {
        let decisions = &game.decisions()[part];
        let is_asked = decisions.iter().all(|decision| other.decisions().contains(decision));
        if !is_asked || question(game, decisions) != question(other, decisions) {
            continue;
        }
        compared += 1;
        let here = given(exam, game, player, decisions)?;
        let there = given(exam, other, player, decisions)?;
        for ((what, here), (_, there)) in here.iter().zip(&there) {
            ensure!(here == there, "{what}: player {player} sees more:\n{here}\n{there}");
        }
    }
    Ok(compared)
}

/// The question to a bot. It says which states are the same to the bot.
fn question(game: &AnyGame, decisions: &[Decision]) -> Vec<u8> {
    let mut question = Vec::new();
    game.write_question(1, decisions, &mut question);
    question
}

/// Everything else that a player gets, by name.
fn given(
    exam: &Exam<'_>,
    game: &AnyGame,
    player: Player,
    decisions: &[Decision],
) -> Found<Vec<(String, String)>> {
    let names: Vec<String> = (0..game.players()).map(|player| format!("bot {player}")).collect();
    let mut start = Vec::new();
    game.write_start(player, &names, &mut start);
    // The seed in this message is the bot's own.
    let setup = serde_json::from_slice::<Value>(&start)?["setup"].to_string();
    let mut flat = Vec::new();
    game.write_batch(1, decisions, &mut flat);
    let mut all = vec![
        ("the first message".to_owned(), setup),
        ("flat memory".to_owned(), format!("{flat:?}")),
    ];
    for &decision in decisions {
        let masks = [game.legal_actions(decision)?, game.effective_actions(decision)?];
        all.push(("masks".to_owned(), format!("{masks:?}")));
    }
    for builtin in exam.kind.builtins() {
        let mut bot = exam.kind.policy(builtin.name, &Params::new(builtin.params, [])?)?;
        let mut streams = QuickStreams::new(Seed(1), Purpose::Script);
        let mut answers = exam.kind.no_answers();
        answers.reset(decisions.len());
        bot.decide(game, 1, decisions, &mut streams, answers.as_mut());
        all.push((format!("the built-in bot {}", builtin.name), format!("{answers:?}")));
    }
    // Of other games people see more than one question says: those to all units of a turn.
    if exam.kind.lists_legal() {
        let scene = game.scene_for(player)?;
        let places = 0..scene.board.places() as u32;
        let facts: Vec<_> = places.map(|place| game.inspect_for(player, place)).collect();
        all.extend([
            ("the picture".to_owned(), format!("{scene:?}")),
            ("the inspector".to_owned(), format!("{facts:?}")),
            ("facts beside the board".to_owned(), format!("{:?}", game.seen_beside(player))),
            ("hints".to_owned(), format!("{:?}", game.hints(&game.orders(player)))),
        ]);
    }
    Ok(all)
}
