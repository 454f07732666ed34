//! A worker, which plays jobs.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::Instant,
};

use agon_bots::{Bot, HostOptions, HostedGame, clojure::Jvms};
use agon_core::BotInfo;
use agon_match::{Control, Match, MatchOptions, Moment, Played};

use crate::{BotEntry, Finished, Job, RunError};

/// Where and how a worker plays.
pub(crate) struct Worker<'a, G: HostedGame> {
    pub(crate) rules: &'a G::Rules,
    pub(crate) host: &'a HostOptions,
    /// The core that its matches stay on.
    pub(crate) core: Option<usize>,
    pub(crate) attempts: u32,
    /// Whether the current match is to be given up.
    pub(crate) abandon: &'a AtomicBool,
}

impl<G: HostedGame> Worker<'_, G> {
    /// Plays a match until it is not void; `None` if it was given up.
    pub(crate) fn play(&self, job: &Job) -> Result<Option<Finished>, RunError> {
        for void in 0.. {
            let begun = Instant::now();
            let (played, replay) = self.play_once(job)?;
            if played.result.interrupted {
                return Ok(None);
            }
            let Some(why) = played.result.void else {
                let ticket = job.ticket;
                let result = played.result;
                let time = begun.elapsed();
                return Ok(Some(Finished { ticket, result, replay, void, time }));
            };
            if void + 1 >= self.attempts {
                let players: Vec<&str> =
                    job.seats.iter().map(|bot| bot.info.name.as_str()).collect();
                let players = players.join(" and ");
                let seed = job.seed;
                let attempts = void + 1;
                return Err(RunError::Void { players, seed, attempts, void: why });
            }
        }
        unreachable!("the attempts are counted")
    }

    fn play_once(&self, job: &Job) -> Result<(Played<G>, Option<Vec<u8>>), RunError> {
        let game = G::new(self.rules, job.seats.len(), job.seed)?;
        // JVMs take in the species of one match only.
        let host = HostOptions { jvms: Jvms::default(), ..self.host.clone() };
        host.jvms.expect(job.seats.iter().map(|bot| &bot.spec));
        let seats = job.seats.iter().map(|bot| seat(bot, &host)).collect::<Result<_, _>>()?;
        let options = MatchOptions { core: self.core, faults_kept: 1, ..MatchOptions::default() };
        let the_match = Match::new(game, seats, options)?;
        let mut watch = |_: &Moment<'_, G>| match self.abandon.load(Ordering::Relaxed) {
            true => Control::Stop,
            false => Control::Continue,
        };
        if job.record {
            let (played, bytes) = the_match.record(Vec::new(), &mut watch)?;
            Ok((played, Some(bytes)))
        } else {
            Ok((the_match.run(&mut watch)?, None))
        }
    }
}

/// Opens a bot.
pub(crate) fn open<G: HostedGame>(
    bot: &BotEntry,
    host: &HostOptions,
) -> Result<Box<dyn Bot<G>>, RunError> {
    agon_bots::open(&bot.spec, host)
        .map_err(|source| RunError::Open { name: bot.info.name.clone(), source })
}

fn seat<G: HostedGame>(
    bot: &BotEntry,
    host: &HostOptions,
) -> Result<(BotInfo, Box<dyn Bot<G>>), RunError> {
    let info = BotInfo { version: bot.spec.version::<G>(), ..bot.info.clone() };
    Ok((info, open(bot, host)?))
}
