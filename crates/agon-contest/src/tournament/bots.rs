//! The bots of a tournament's plan, and the keys of their matches.
//!
//! A tournament reuses a known result if its match has the same key: results of other runs, and
//! those in its journal that still hold, although bots may have changed.

use std::collections::{BTreeSet, HashMap};
use std::{path::Path, sync::Arc};

use agon_arena::{ArenaError, BotEntry, host_options, try_open};
use agon_bots::{Beyond, BotKind, BotSpec, HostOptions, OpenError, hosting};
use agon_core::BotInfo;
use agon_files::input::read_regular;
use anyhow::{Context, Error, Result, anyhow, bail};

use super::Folder;
use crate::plan::{Absent, Missing, Out};
use crate::series::{Place, entry, settings_of_plan};
use crate::{Entrant, Match, MatchKey, Notice, Plan, PlanBot, Record, Tell, journal};

/// Stands for the content of a bot that forfeits, in keys.
const FORFEIT: &str = "forfeit";

/// A bot whose files were read.
#[derive(Clone, Debug)]
pub(super) struct ReadBot {
    entry: Arc<BotEntry>,
    /// Describes its content, for keys.
    content: String,
    /// The same as older versions of Agon wrote it: digests did not cover folders, and built-in
    /// bots had no versions.
    old_content: String,
    /// Whether `content` covers everything that the bot can read.
    known: bool,
}

impl ReadBot {
    /// Reads the files of a bot. Later changes to them have no effect.
    pub(super) fn read(
        plan: &Plan,
        bot: &PlanBot,
        host: &HostOptions,
        tell: Tell<'_>,
    ) -> Result<ReadBot> {
        let entry = entry(&bot.spec, Some(&bot.name), host, tell)?;
        // Replays show the text in the plan, without the plan's folder.
        let mut entry = Arc::unwrap_or_clone(entry);
        entry.info.spec.clone_from(&bot.text);
        entry.info.version = entry.version(plan.game);
        let (beyond, known) = match entry.spec.beyond() {
            Beyond::Nothing => (String::new(), true),
            Beyond::Stamp(stamp) => (format!(" beside {stamp}"), true),
            Beyond::Unknown => (String::new(), false),
        };
        let kind = &entry.info.kind;
        let old = entry.spec.named_digest().unwrap_or(env!("CARGO_PKG_VERSION"));
        Ok(ReadBot {
            content: content(&entry.info, &bot.text) + &beyond,
            old_content: format!("{kind} {} {old}", bot.text),
            known,
            entry: Arc::new(entry),
        })
    }

    pub(super) fn entry(&self) -> &BotEntry {
        &self.entry
    }
}

/// A bot of a tournament.
#[derive(Debug)]
pub(super) enum Participant {
    /// It plays.
    Plays(ReadBot),
    /// It forfeits all matches that are open.
    Forfeits {
        /// Why.
        reason: String,
        /// What is known of it.
        info: BotInfo,
        /// Its content, if its files can be read or are known from an earlier run.
        content: Option<String>,
    },
}

impl Participant {
    /// Makes a bot that forfeits all open matches. `before` is what an earlier run knew of it.
    pub(super) fn forfeits(
        bot: &PlanBot,
        reason: String,
        read: Option<ReadBot>,
        before: Option<&BotInfo>,
    ) -> Participant {
        let (info, known) = match (read, before) {
            (Some(read), None) => (read.entry.info.clone(), Some(read.content)),
            (Some(read), Some(info)) if read.entry.info == *info => {
                (info.clone(), Some(read.content))
            }
            // What it was when it played counts, whatever has become of its files since.
            (_, Some(info)) => (info.clone(), Some(content(info, &bot.text))),
            (None, None) => {
                (BotInfo { spec: bot.text.clone(), ..BotInfo::new(&bot.name, "unknown") }, None)
            }
        };
        Participant::Forfeits { reason, info, content: known }
    }
}

/// The bots of a plan, in its order.
#[derive(Debug)]
pub struct Bots(Vec<Participant>);

impl Bots {
    pub(super) fn new(participants: Vec<Participant>) -> Bots {
        Bots(participants)
    }

    /// Has a bot forfeit all matches that are open. Returns whether it played until now.
    pub(super) fn forfeit(&mut self, number: usize, bot: &PlanBot, reason: String) -> bool {
        let Participant::Plays(read) = &self.0[number] else { return false };
        self.0[number] = Participant::forfeits(bot, reason, Some(read.clone()), None);
        true
    }

    /// Returns how many bots play.
    pub(super) fn playing(&self) -> usize {
        self.0.iter().filter(|bot| matches!(bot, Participant::Plays(_))).count()
    }

    /// Returns the seats of a match, from 0, whose bots forfeit it.
    pub(super) fn forfeits(&self, game: &Match) -> Vec<usize> {
        let forfeits = |seat: &usize| {
            matches!(self.0[game.seats[*seat].index()], Participant::Forfeits { .. })
        };
        (0..game.seats.len()).filter(forfeits).collect()
    }

    /// Returns the names of bots that forfeit, with the reasons.
    pub(super) fn out(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().filter_map(|bot| match bot {
            Participant::Plays(_) => None,
            Participant::Forfeits { reason, info, .. } => Some((&*info.name, &**reason)),
        })
    }

    /// Returns the bots of a match in which nobody forfeits, in order of seats.
    pub(super) fn seats(&self, game: &Match) -> Vec<Arc<BotEntry>> {
        let entry = |bot: &Participant| match bot {
            Participant::Plays(bot) => Arc::clone(&bot.entry),
            Participant::Forfeits { info, .. } => panic!("{} forfeits", info.name),
        };
        game.seats.iter().map(|entrant| entry(&self.0[entrant.index()])).collect()
    }

    /// Returns the key of a match that is played: a hash of all that its result depends on.
    pub(super) fn key(&self, plan: &Plan, game: &Match) -> String {
        self.key_of(plan, game, |bot| match bot {
            Participant::Plays(bot) => &bot.content,
            Participant::Forfeits { content, .. } => content.as_deref().unwrap_or_default(),
        })
    }

    /// Returns the key of a match that the bots forfeit who forfeit now.
    pub(super) fn forfeit_key(&self, plan: &Plan, game: &Match) -> String {
        self.key_of(plan, game, |bot| match bot {
            Participant::Plays(bot) => &bot.content,
            Participant::Forfeits { .. } => FORFEIT,
        })
    }

    /// Returns the key that older versions of Agon gave to the match.
    fn old_key(&self, plan: &Plan, game: &Match) -> String {
        self.key_of(plan, game, |bot| match bot {
            Participant::Plays(bot) => &bot.old_content,
            Participant::Forfeits { .. } => "",
        })
    }

    fn key_of(&self, plan: &Plan, game: &Match, content: fn(&Participant) -> &str) -> String {
        let contents: Vec<&str> = self.0.iter().map(content).collect();
        MatchKey::new(plan, game, &contents).to_string()
    }

    /// Returns whether the key of a match covers everything that its bots can read.
    ///
    /// A program that runs elsewhere, or that can read other files, may have changed unnoticed.
    pub(super) fn are_known(&self, game: &Match) -> bool {
        let known = |bot: &Participant| match bot {
            Participant::Plays(bot) => bot.known,
            Participant::Forfeits { content, .. } => content.is_some(),
        };
        game.seats.iter().all(|entrant| known(&self.0[entrant.index()]))
    }

    /// Returns what is known of each bot, in order of the plan.
    pub fn infos(&self) -> Vec<BotInfo> {
        let info = |bot: &Participant| match bot {
            Participant::Plays(bot) => bot.entry.info.clone(),
            Participant::Forfeits { info, .. } => info.clone(),
        };
        self.0.iter().map(info).collect()
    }
}

/// Describes the content of a bot, as far as it is known.
fn content(info: &BotInfo, text: &str) -> String {
    let BotInfo { kind, digest, covers, version, .. } = info;
    let content = match (version, digest, covers) {
        (Some(version), ..) => format!("version {version}"),
        (None, Some(digest), Some(covers)) => format!("{covers} {digest}"),
        (None, ..) => "none".to_owned(),
    };
    format!("{kind} {text} {content}")
}

/// Why results of older versions do not hold.
pub(super) const OLDER: &str = "an older Agon played it, which did not note all files of bots and \
    no versions of built-in ones";

/// Returns whether a result still holds: its bots are what they were when it was played.
fn holds(plan: &Plan, bots: &Bots, record: &Record) -> bool {
    let Some(game) = match_of(plan, record) else { return true };
    let forfeits = bots.forfeits(&game);
    if record.forfeits.is_empty() {
        // Nobody can tell whether a bot has changed that cannot be read any more.
        let is_unknown = !forfeits.is_empty() && !bots.are_known(&game);
        is_unknown || bots.key(plan, &game) == record.key
    } else {
        record.forfeits == forfeits && bots.forfeit_key(plan, &game) == record.key
    }
}

/// Returns the match of a record, if all its bots are in the plan.
fn match_of(plan: &Plan, record: &Record) -> Option<Match> {
    let entrant =
        |name: &String| plan.bots.iter().position(|bot| bot.name == *name).map(Entrant::from_index);
    let seats = record.seats.iter().map(entrant).collect::<Option<_>>()?;
    Some(Match { id: record.id, seats, seed: record.seed })
}

/// Returns whether an older version of Agon wrote all these results, with the same bots as far as
/// its keys show.
pub(super) fn are_older(plan: &Plan, bots: &Bots, records: &[Record]) -> bool {
    let is_older = |record: &Record| {
        match_of(plan, record).is_none_or(|game| bots.old_key(plan, &game) == record.key)
    };
    records.iter().all(is_older)
}

/// Returns the names of bots that have changed since their matches were played.
pub(super) fn changed<'a>(plan: &'a Plan, bots: &Bots, records: &'a [Record]) -> Vec<&'a str> {
    let (hold, do_not): (Vec<&Record>, Vec<&Record>) =
        records.iter().partition(|record| holds(plan, bots, record));
    let of = |records: &[&'a Record]| -> BTreeSet<&'a str> {
        records.iter().flat_map(|record| record.seats.iter().map(String::as_str)).collect()
    };
    // A bot with a result that holds has not changed.
    let same = of(&hold);
    let suspects = of(&do_not);
    let changed: BTreeSet<&str> = suspects.difference(&same).copied().collect();
    let names = if changed.is_empty() { suspects } else { changed };
    plan.bots.iter().map(|bot| bot.name.as_str()).filter(|name| names.contains(name)).collect()
}

/// Results of other runs, by the keys of their matches.
#[derive(Debug, Default)]
pub(super) struct Known(HashMap<String, (Record, Arc<Folder>)>);

impl Known {
    /// Adds the results of journals of a folder; those that are there already stay.
    pub(super) fn add<P: AsRef<Path>>(
        &mut self,
        folder: &Folder,
        journals: impl IntoIterator<Item = P>,
    ) -> Result<()> {
        let folder = Arc::new(folder.clone());
        for path in journals {
            let path = path.as_ref();
            let bytes =
                read_regular(path).with_context(|| format!("cannot read {}", path.display()))?;
            let records = journal::read(&bytes, path)?.records;
            // A forfeit says nothing of another run.
            for record in records.into_iter().filter(|record| record.forfeits.is_empty()) {
                self.0.entry(record.key.clone()).or_insert_with(|| (record, Arc::clone(&folder)));
            }
        }
        Ok(())
    }

    /// Takes out the result with this key, if it was played in this folder.
    pub(super) fn take_of(&mut self, key: &str, folder: &Folder) -> Option<(Record, Arc<Folder>)> {
        let (_, from) = self.0.get(key)?;
        if from.path() == folder.path() { self.take(key) } else { None }
    }

    /// Takes out the result with this key, and returns it with the folder of its replay.
    pub(super) fn take(&mut self, key: &str) -> Option<(Record, Arc<Folder>)> {
        self.0.remove(key)
    }
}

/// What people hear whose plan is for volunteers, which older versions of Agon had.
const PUBLIC: &str = "the plan says `public`, which means nothing any more: only workers that you \
    trust play on other machines; leave it out";

/// Who takes part in a tournament.
#[derive(Debug)]
pub(super) struct Roster {
    /// The plan without the bots that are left out.
    pub(super) plan: Plan,
    /// Its bots.
    pub(super) bots: Bots,
    /// The bots that cannot be opened: they are left out, or forfeit.
    pub(super) absent: Vec<Absent>,
}

/// What an earlier run in the same folder left.
struct Earlier {
    /// The digest of the journal's plan.
    plan: Option<String>,
    /// The results of the journal that is continued.
    records: Vec<Record>,
    /// What was known of the bots.
    infos: Vec<BotInfo>,
}

/// A bot of the whole plan while it is examined.
struct Candidate {
    read: Option<ReadBot>,
    /// Why it cannot play; `None` if it can, as far as is known.
    error: Option<String>,
}

impl Roster {
    /// Reads the files of all bots of a plan, and opens each once if there is something to play.
    /// `place`: where they play.
    ///
    /// # Errors
    /// If too few bots can play, if the machine lacks what some bots need, or with all bots that
    /// cannot be opened if the plan says `missing = "stop"`.
    pub(super) fn of(
        whole: &Plan,
        folder: &Folder,
        machine: &HostOptions,
        place: &Place,
        tell: Tell<'_>,
    ) -> Result<Roster> {
        let earlier = Earlier::read(folder);
        let machine = HostOptions { time_peers: true, ..machine.clone() };
        let host = host_options(&settings_of_plan(whole), &machine);
        let mut candidates = read(whole, folder.path(), &host, tell)?;
        if place.remote.is_some() {
            pack_all(whole, &mut candidates);
        }
        if whole.bots.iter().any(|bot| bot.about.is_public) {
            tell(Notice::Note(PUBLIC.to_owned()));
        }
        if !is_over(whole, &candidates, &earlier) {
            open(whole, &mut candidates, &host)?;
        }
        let failed = whole.bots.iter().zip(&candidates);
        let errors: Vec<String> = failed
            .filter_map(|(bot, one)| Some(format!("{}: {}", bot.name, one.error.as_ref()?)))
            .collect();
        if whole.about.missing == Missing::Stop && !errors.is_empty() {
            bail!("{}", errors.join("\n"));
        }
        let absent = absent(whole, &candidates, &earlier);
        let plan = whole.without(&absent).map_err(|error| {
            anyhow!("{}", [vec![error.to_string()], errors].concat().join("\n"))
        })?;
        let mut participants = Vec::new();
        let mut listed = absent.clone();
        for (bot, candidate) in whole.bots.iter().zip(candidates) {
            if absent.iter().any(|absent| absent.name == bot.name) {
                continue;
            }
            if let (Some(error), None) = (&candidate.error, &bot.about.out) {
                listed.push(Absent::new(&bot.name, error).forfeiting());
            }
            let reason = bot.about.out.as_ref().map(Out::words).or(candidate.error);
            participants.push(match (reason, candidate.read) {
                (None, Some(read)) => Participant::Plays(read),
                (reason, read) => {
                    let info = earlier.infos.iter().find(|info| info.name == bot.name);
                    Participant::forfeits(bot, reason.unwrap_or_default(), read, info)
                }
            });
        }
        let bots = Bots::new(participants);
        for Absent { name, error, .. } in &absent {
            tell(Notice::Note(format!("{name} does not play: {error}")));
        }
        for (name, reason) in bots.out() {
            tell(Notice::Note(format!("{name} forfeits all open matches: {reason}")));
        }
        Ok(Roster { plan, bots, absent: listed })
    }
}

impl Earlier {
    fn read(folder: &Folder) -> Earlier {
        let file = folder.journal();
        // What is damaged is told when the journal is opened.
        let contents = read_regular(&file).ok().and_then(|bytes| journal::read(&bytes, &file).ok());
        let (header, records) = contents.map_or((None, Vec::new()), |it| (it.header, it.records));
        let plan = header.map(|header| header.plan);
        Earlier { plan, records, infos: folder.read_bots().unwrap_or_default() }
    }

    /// Returns the names of bots with results.
    fn players(&self) -> BTreeSet<&str> {
        let played = self.records.iter().filter(|record| record.forfeits.is_empty());
        played.flat_map(|record| record.seats.iter().map(String::as_str)).collect()
    }
}

/// Reads the files of all bots.
fn read(plan: &Plan, folder: &Path, host: &HostOptions, tell: Tell<'_>) -> Result<Vec<Candidate>> {
    let foreign = vec![plan.file.clone(), folder.to_owned()];
    let sees_folder = hosting(plan.game.kind()).sees_folder;
    let host = HostOptions { foreign, sees_folder, game: Some(plan.game), ..host.clone() };
    let one = |bot| match ReadBot::read(plan, bot, &host, tell) {
        Ok(read) => Ok(Candidate { read: Some(read), error: None }),
        Err(error) if is_person(&bot.spec) => Err(error),
        // It forfeits in any case.
        Err(_) if bot.about.out.is_some() => Ok(Candidate { read: None, error: None }),
        Err(error) if is_lack(&error) => Err(error),
        Err(error) => Ok(Candidate { read: None, error: Some(format!("{error:#}")) }),
    };
    let context = |name: &str| format!("{}: the bot {name}", plan.file.display());
    plan.bots.iter().map(|bot| one(bot).with_context(|| context(&bot.name))).collect()
}

/// Notes which bots cannot travel to other machines.
fn pack_all(plan: &Plan, candidates: &mut [Candidate]) {
    for (bot, candidate) in plan.bots.iter().zip(candidates) {
        if let Some(read) = candidate.read.as_ref().filter(|_| bot.about.out.is_none())
            && let Err(error) = agon_remote::pack(plan.game, read.entry())
        {
            let error = error.to_string();
            let named = format!("{}: ", bot.name);
            candidate.error = Some(error.strip_prefix(&named).unwrap_or(&error).to_owned());
        }
    }
}

/// Opens each bot once that is to play, and notes which ones cannot be opened.
fn open(plan: &Plan, candidates: &mut [Candidate], host: &HostOptions) -> Result<()> {
    let mut lacks = Vec::new();
    for (bot, candidate) in plan.bots.iter().zip(candidates) {
        let is_out = bot.about.out.is_some() || candidate.error.is_some();
        let Some(read) = candidate.read.as_ref().filter(|_| !is_out) else { continue };
        let Err(errors) = try_open(plan.game, [read.entry()], host) else { continue };
        for error in errors {
            match error {
                ArenaError::Open { source, .. } if !source.is_lack_of_the_machine() => {
                    candidate.error = Some(source.to_string());
                }
                error => lacks.push(error.to_string()),
            }
        }
    }
    if lacks.is_empty() { Ok(()) } else { Err(anyhow!("{}", lacks.join("\n"))) }
}

/// Returns whether a bot is a person, which is a mistake in the plan.
fn is_person(text: &str) -> bool {
    text.parse::<BotSpec>().is_ok_and(|spec| spec.kind() == BotKind::Human)
}

/// Returns whether the machine lacks something, which is no reason to leave a bot out.
fn is_lack(error: &Error) -> bool {
    error.chain().any(|cause| {
        cause.downcast_ref::<OpenError>().is_some_and(OpenError::is_lack_of_the_machine)
    })
}

/// Returns the bots that are left out.
///
/// Those that have played are not: they forfeit what is open.
fn absent(plan: &Plan, candidates: &[Candidate], earlier: &Earlier) -> Vec<Absent> {
    if plan.about.missing == Missing::Forfeit {
        return Vec::new();
    }
    let players = earlier.players();
    let failed = plan.bots.iter().zip(candidates);
    failed
        .filter(|(bot, _)| !players.contains(bot.name.as_str()))
        .filter_map(|(bot, candidate)| Some(Absent::new(&bot.name, candidate.error.as_ref()?)))
        .collect()
}

/// Returns whether all is played already, if the bots play whose files can be read.
fn is_over(whole: &Plan, candidates: &[Candidate], earlier: &Earlier) -> bool {
    let Ok(plan) = whole.without(&absent(whole, candidates, earlier)) else { return false };
    let is_out = |name: &str| {
        let mut bots = whole.bots.iter().zip(candidates);
        let found = bots.find(|(bot, _)| bot.name == name);
        found.is_some_and(|(bot, one)| bot.about.out.is_some() || one.error.is_some())
    };
    // A bot that forfeited may play now.
    let still_out = |record: &Record| record.forfeits.iter().all(|&at| is_out(&record.seats[at]));
    earlier.plan == Some(plan.digest())
        && earlier.records.iter().all(still_out)
        && plan.resume(&earlier.records).is_ok_and(|schedule| schedule.is_finished())
}

#[cfg(test)]
mod tests {
    use agon_core::Coverage;

    use super::*;

    #[test]
    fn a_new_version_of_a_built_in_bot_has_another_content() {
        let builtin = |version| BotInfo { version: Some(version), ..BotInfo::new("a", "builtin") };
        assert_eq!(content(&builtin(1), "builtin:greedy"), "builtin builtin:greedy version 1");
        assert_ne!(content(&builtin(2), "builtin:greedy"), content(&builtin(1), "builtin:greedy"));
        let program = |digest: Option<&str>, covers| {
            let digest = digest.map(str::to_owned);
            content(
                &BotInfo { digest, covers: Some(covers), ..BotInfo::new("a", "program") },
                "./a",
            )
        };
        assert_eq!(program(Some("12"), Coverage::Folder), "program ./a folder 12");
        assert_ne!(program(Some("12"), Coverage::File), program(Some("12"), Coverage::Folder));
        assert_eq!(program(None, Coverage::None), "program ./a none");
    }
}
