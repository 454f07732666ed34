//! `agon check GAME BOT`: a numbered examination of a bot.
//!
//! [`mod@matches`] starts the bot and lets it play; each examination judges by what was seen there.

mod answers;
mod examination;
mod matches;
mod opening;
mod report;
mod resources;
mod time;
mod watched;

use std::{io::Write, time::Duration};

use agon_bots::{BotKind, BotSpec, Clock, HostOptions, HostedGame, OpenError, Timing};
use agon_core::{BotInfo, Seed};
use agon_games::{GameId, with_game};
use agon_spec::MatchSettings;
use anyhow::Result;

use self::{
    examination::{Examination, Topic},
    matches::{ExaminedBot, Examiner},
    report::Head,
};
use crate::{Exit, cli::CheckArgs, sandbox::machine, settings};

/// Examines a bot and prints the report.
pub(crate) fn check(args: &CheckArgs, out: &mut impl Write) -> Result<Exit> {
    let id: GameId = args.game.parse()?;
    with_game!(id, G => check_game::<G>(args, out))
}

fn check_game<G: HostedGame>(args: &CheckArgs, out: &mut impl Write) -> Result<Exit> {
    // Whole matches that do not take long.
    let short = [G::SHORT, G::CHECKED].concat();
    let short = if args.full || args.rules.is_some() { Vec::new() } else { short };
    let sets: Vec<String> = short.into_iter().map(str::to_owned).chain(args.sets.clone()).collect();
    let limit = args.time.map(|limit| Timing::Clock(Clock::cpu(Duration::from_millis(limit))));
    let settings = MatchSettings { sandbox: args.sandbox.settings(), ..MatchSettings::default() };
    let examiner = Examiner::<G> {
        spec: args.bot.parse()?,
        rules: settings::load::<G>(args.rules.as_deref(), &sets)?,
        host: HostOptions {
            timing: limit.unwrap_or_default(),
            examine: true,
            time_peers: true,
            announce: None,
            ..agon_arena::host_options(&settings, &machine())
        },
        seed: args.seed.unwrap_or(Seed(1)),
        games: args.games,
        max_turns: args.turns,
    };
    let Some((info, examinations)) = examine(&examiner, args.memory)? else {
        return Ok(Exit::Interrupted);
    };
    let head = Head {
        game: G::META.id,
        rules: serde_json::to_value(&examiner.rules)?,
        name: examiner.spec.name(),
        spec: &args.bot,
        info: info.as_ref(),
        seed: examiner.seed,
    };
    if args.json {
        report::print_json(&head, &examinations, out)?;
    } else {
        report::print(&head, &examinations, out)?;
    }
    Ok(if report::passed(&examinations) { Exit::Done } else { Exit::Negative })
}

/// All examinations in order, and what is known of the bot if it opens; `None` if somebody pressed
/// Ctrl-C.
///
/// # Errors
/// If the arena cannot examine: it cannot set up the game, or lacks what it needs to load the bot.
fn examine<G: HostedGame>(
    examiner: &Examiner<G>,
    memory: Option<u64>,
) -> Result<Option<(Option<BotInfo>, Vec<Examination>)>> {
    let spec = &examiner.spec;
    match examiner.open() {
        Ok((info, bot)) => {
            let Some(seen) = examiner.examine(bot)? else { return Ok(None) };
            let mut all = vec![opening::opens(spec, Ok(&info))];
            all.extend(judge(&seen, spec, memory));
            Ok(Some((Some(info), all)))
        }
        Err(error) if is_the_arenas(&error) => Err(error.into()),
        Err(error) => {
            let mut all = vec![opening::opens(spec, Err(&error))];
            all.extend(
                Topic::ALL[1..].iter().map(|&topic| Examination::not_reached(topic, Topic::Opens)),
            );
            Ok(Some((None, all)))
        }
    }
}

/// Whether the arena is to blame, and not the bot.
fn is_the_arenas(error: &OpenError) -> bool {
    matches!(
        error,
        OpenError::NoCompiler { .. }
            | OpenError::Cache { .. }
            | OpenError::NoWasm
            | OpenError::WasmHost(_)
            | OpenError::NoJava { .. }
            | OpenError::NoClojure
            | OpenError::BadClojure { .. }
            | OpenError::NoJvm { .. }
            | OpenError::Prepare { .. }
    )
}

/// The examinations of a bot that opens.
fn judge(seen: &ExaminedBot, spec: &BotSpec, memory: Option<u64>) -> Vec<Examination> {
    let kind: BotKind = spec.kind();
    vec![
        opening::starts(seen),
        opening::first_answer(seen),
        answers::legal(seen),
        answers::protocol(seen),
        time::time(seen),
        resources::memory(seen, memory),
        resources::end_of_input(seen, kind),
        answers::same_answers(seen),
        resources::stderr(seen),
    ]
}
