//! Finds out which bots of a plan can play, before the first match of a run.
//!
//! A tournament goes on without a bot that cannot be opened ([`Missing`]).

use std::{collections::BTreeSet, path::Path};

use agon_arena::{ArenaError, host_options, try_open};
use agon_bots::{BotKind, BotSpec, HostOptions, HostedGame, OpenError};
use agon_core::BotInfo;
use agon_files::input::read_regular;
use agon_games::with_game;
use anyhow::{Context, Error, Result, anyhow, bail};

use super::{
    Bots, Folder,
    bots::{Participant, ReadBot},
};
use crate::{
    Notice, Plan, Record, Tell, journal,
    plan::{Absent, Missing, Out},
    series::{Place, settings_of_plan},
};

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
    let sees_folder = with_game!(plan.game, G => <G as HostedGame>::SEES_FOLDER);
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
