//! Examines a bot: ten numbered checks, which `agon check` prints.
//!
//! | module | contents |
//! | --- | --- |
//! | `matches` | topics and results; starts the bot, and plays matches with it |
//! | `watched` | the bot under observation |
//! | `answers`, `resources` | the ten examinations, which judge what was seen |

mod answers;
mod matches;
mod resources;
mod watched;

use agon_arena::ArenaGame;
use agon_bots::{BotKind, BotSpec};
use agon_core::{BotInfo, Game};
use anyhow::Result;

use self::matches::ExaminedBot;

pub use matches::{ATTEMPTS, Case, Examination, Examiner, Status, Topic, Watcher};

/// Examines a bot. Returns what is known of it if it opens, and all examinations in order; `None`
/// if somebody stopped it.
///
/// # Errors
/// If the arena cannot examine: it cannot set up the game, or lacks what it needs to load the bot.
pub fn examine<G: ArenaGame>(
    examiner: &Examiner<'_, G>,
    memory: Option<u64>,
) -> Result<Option<(Option<BotInfo>, Vec<Examination>)>> {
    let spec = &examiner.spec;
    match examiner.open() {
        Ok((info, sees, bot)) => {
            let Some(seen) = examiner.examine(bot)? else { return Ok(None) };
            let mut all = vec![answers::opens(spec, Ok(sees.as_slice()))];
            all.extend(judge(&seen, spec, memory));
            name_game::<G>(&mut all);
            Ok(Some((Some(info), all)))
        }
        Err(error) if error.is_lack_of_the_machine() => Err(error.into()),
        Err(error) => {
            let mut all = vec![answers::opens(spec, Err(&error))];
            all.extend(
                Topic::ALL[1..].iter().map(|&topic| Examination::not_reached(topic, Topic::Opens)),
            );
            name_game::<G>(&mut all);
            Ok(Some((None, all)))
        }
    }
}

/// Names the game in the commands of the remedies.
fn name_game<G: Game>(examinations: &mut [Examination]) {
    for remedy in examinations.iter_mut().filter_map(|examination| examination.remedy.as_mut()) {
        *remedy = remedy.replace("GAME", G::META.id);
    }
}

/// Makes the examinations of a bot that opens, except the first one.
fn judge(seen: &ExaminedBot, spec: &BotSpec, memory: Option<u64>) -> Vec<Examination> {
    let kind: BotKind = spec.kind();
    vec![
        answers::starts(seen),
        answers::first_answer(seen),
        answers::legal(seen),
        answers::protocol(seen),
        resources::time(seen),
        resources::memory(seen, memory),
        resources::end_of_input(seen, kind),
        answers::same_answers(seen),
        resources::stderr(seen),
    ]
}
