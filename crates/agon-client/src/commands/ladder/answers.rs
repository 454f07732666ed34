//! What an author's bot answered when it was asked again, in words and as JSON.

use std::collections::BTreeMap;
use std::io::{self, Write};

use agon_arena::AnswerDifference;
use agon_console::{BAD, DIM, GOOD, difference};
use agon_core::text::escape;
use agon_core::text::number::{grouped, plural};
use agon_ladder::api::ArenaSummary;
use agon_ladder::ledger::{HandedIn, Report};
use serde::Serialize;

use super::own_bot::{AskedMatch, OwnBot};

/// The most matches that are shown.
const SHOWN: usize = 50;

/// Said if the bot answers the same questions in two ways.
const UNSTEADY: &str = "\
Asked twice, the bot gave different answers. So it uses a clock, or chance that does not come from
the `seed` of its first message. Other answers than the recorded ones then prove nothing.";

/// Said if the bot answers differently, and nobody knows why.
const STEADY: &str = "\
Other answers alone do not prove that somebody changed them. A bot also answers differently if it
uses a clock or chance other than the `seed` of its first message, or if the server has other
versions of its language and libraries. If it depends on nothing but its questions, it did not give
the recorded answers: ask the organisers.";

/// What a check with a bot found, as JSON.
#[derive(Debug, Serialize)]
pub(super) struct BotReport<'a> {
    #[serde(flatten)]
    report: &'a Report,
    bot: Asked<'a>,
}

#[derive(Debug, Serialize)]
struct Asked<'a> {
    /// The digest of its files.
    files: String,
    /// The versions with these files.
    versions: &'a [HandedIn],
    /// The matches that it was asked about.
    matches: &'a [AskedMatch],
    /// Whether it answered as recorded in all of them.
    same: bool,
}

impl<'a> BotReport<'a> {
    /// Returns the report of a check, with what the bot answered.
    pub(super) fn new(report: &'a Report, bot: &'a OwnBot<'_>) -> BotReport<'a> {
        let OwnBot { digest, versions, matches, .. } = bot;
        let same = bot.agrees();
        BotReport { report, bot: Asked { files: digest.to_string(), versions, matches, same } }
    }
}

/// Names of arenas by their ids; those without a name have their id.
#[derive(Debug, Default)]
pub(super) struct ArenaNames(BTreeMap<u64, String>);

impl ArenaNames {
    pub(super) fn of(arenas: &[ArenaSummary]) -> ArenaNames {
        let name = |arena: &ArenaSummary| (arena.id.cast_unsigned(), arena.slug.clone());
        ArenaNames(arenas.iter().map(name).collect())
    }

    fn get(&self, id: u64) -> String {
        let name = self.0.get(&id).map(|name| escape(name).into_owned());
        name.unwrap_or_else(|| id.to_string())
    }
}

/// Prints what the bot answered.
pub(super) fn print(bot: &OwnBot<'_>, names: &ArenaNames, out: &mut impl Write) -> io::Result<()> {
    let name = escape(&bot.packed.name);
    for HandedIn { arena, number, .. } in bot.versions.iter().take(SHOWN) {
        let arena = names.get(*arena);
        writeln!(out, "{GOOD}✓{GOOD:#} {name} is version {number} of a bot in {arena}")?;
    }
    if bot.matches.is_empty() {
        let text = "there is no replay yet of a match with these files, so nothing was asked";
        writeln!(out, "{DIM}–{DIM:#} {text}")?;
    }
    // Those that differ are what matters.
    let mut all: Vec<&AskedMatch> = bot.matches.iter().collect();
    all.sort_by_key(|one| one.first_difference.is_none());
    for one in all.iter().take(SHOWN) {
        print_match(one, names, out)?;
    }
    if all.len() > SHOWN {
        let left = plural((all.len() - SHOWN) as u64, "match");
        writeln!(out, "{DIM}and {left} more; --json has all{DIM:#}")?;
    }
    if !bot.agrees() {
        let is_unsteady = bot.matches.iter().any(|one| one.repeats == Some(false));
        writeln!(out, "\n{}", if is_unsteady { UNSTEADY } else { STEADY })?;
    }
    Ok(())
}

fn print_match(one: &AskedMatch, names: &ArenaNames, out: &mut impl Write) -> io::Result<()> {
    let AskedMatch { number, player, decisions, agreed, first_difference, .. } = one;
    let place = format!("{}, match {number}, player {player}", names.get(one.arena));
    let Some(first) = first_difference else {
        let text = match decisions {
            0 => "the bot was never asked".to_owned(),
            1 => "the only answer is the same".to_owned(),
            _ => format!("all {} answers are the same", grouped(*decisions)),
        };
        return writeln!(out, "{GOOD}✓{GOOD:#} {place}: {text}");
    };
    let AnswerDifference { step, turn, unit, recorded, now, recorded_fault, fault } = first;
    writeln!(
        out,
        "{BAD}✗{BAD:#} {place}: {} of {} the same; the first other one is in step {step}, turn \
         {turn}, unit {unit}",
        grouped(*agreed),
        plural(*decisions, "answer")
    )?;
    let mut lines = difference(recorded, now);
    for (label, fault) in [("recorded fault", recorded_fault), ("fault now", fault)] {
        lines.extend(fault.as_ref().map(|fault| (label, fault.kind.words().to_owned())));
    }
    let width = lines.iter().map(|(label, _)| label.len()).max().unwrap_or(0);
    for (label, text) in lines {
        writeln!(out, "    {DIM}{label:width$}{DIM:#}  {}", escape(&text))?;
    }
    Ok(())
}
