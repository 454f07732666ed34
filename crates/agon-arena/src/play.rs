//! Plays one match: opens its bots, plays it again while it is void, writes its replay.
//!
//! `agon play`, `agon check` and the workers of a pool all play matches with it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use std::{io::BufWriter, path::PathBuf, sync::Arc};

use agon_bots::{Bot, HostOptions, clojure::Jvms};
use agon_core::{BotInfo, Player, Seed};
use agon_games::any::GameKind;
use agon_match::{
    Control, Match, MatchError, MatchEvent, MatchOptions, Observer, ObserverError, Played, Suspect,
    Void, Waiting,
};
use serde_json::Value;

use crate::{ArenaError, BotEntry, Opener};

/// A match, with all that is needed to play it.
#[derive(Debug)]
pub struct MatchSetup<'a> {
    /// The game.
    pub kind: &'static dyn GameKind,
    /// The settings of the game.
    pub rules: &'a Value,
    /// The seed.
    pub seed: Seed,
    /// Who plays, in order of player number, with different names.
    pub bots: &'a [Arc<BotEntry>],
    /// How bots are run.
    pub host: &'a HostOptions,
    /// How the match is played.
    pub options: MatchOptions,
    /// The most attempts if the match is void again and again; at least 1.
    pub attempts: usize,
    /// Where the replay goes.
    pub replay: ReplayTarget,
    /// Once it is set, the match ends as interrupted.
    pub stop: &'a AtomicBool,
}

/// Where the replay of a match goes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ReplayTarget {
    /// There is none.
    #[default]
    None,
    /// To [`PlayedMatch::replay`].
    Memory,
    /// To a file.
    File(PathBuf),
}

/// A match that has been played.
#[derive(Clone, Debug)]
pub struct PlayedMatch {
    /// The last attempt. Void if all attempts were.
    pub played: Played,
    /// The replay, if it was to be kept in memory.
    pub replay: Option<Vec<u8>>,
    /// Why earlier attempts were void.
    pub void: Vec<Void>,
    /// How long the last attempt took with the start of its bots.
    pub time: Duration,
}

impl MatchSetup<'_> {
    /// Plays the match, and again while it is void. Each attempt opens the bots again.
    pub fn play(
        &self,
        opener: &mut dyn Opener,
        observer: &mut dyn Observer,
    ) -> Result<PlayedMatch, ArenaError> {
        let mut void = Vec::new();
        let mut late_alone: Vec<Option<Player>> = Vec::new();
        loop {
            let begun = Instant::now();
            let options = MatchOptions { suspect: suspect(&late_alone), ..self.options.clone() };
            let (played, replay) = self.play_once(options, opener, observer)?;
            let time = begun.elapsed();
            let is_last = void.len() + 1 >= self.attempts || self.stop.load(Ordering::Relaxed);
            match played.result.void {
                Some(why) if !is_last => {
                    void.push(why);
                    late_alone.push(played.late_alone);
                    observer.void(&played, void.len() as u32).map_err(MatchError::Observer)?;
                }
                _ => {
                    observer.end(&played).map_err(MatchError::Observer)?;
                    return Ok(PlayedMatch { played, replay, void, time });
                }
            }
        }
    }

    fn play_once(
        &self,
        options: MatchOptions,
        opener: &mut dyn Opener,
        observer: &mut dyn Observer,
    ) -> Result<(Played, Option<Vec<u8>>), ArenaError> {
        // Comes before bots are opened, which may take a while.
        let game = self.kind.start(self.rules, self.bots.len(), self.seed)?;
        // Matches do not share JVMs.
        let host = HostOptions { jvms: Jvms::default(), core: options.core, ..self.host.clone() };
        host.jvms.expect(self.bots.iter().map(|bot| &bot.spec));
        let bots = self.bots.iter().enumerate();
        let seats: Vec<_> = bots
            .map(|(number, bot)| self.seat(opener, number, bot, &host))
            .collect::<Result<_, _>>()?;
        let the_match = Match::new(game, seats, options)?;
        let at_once = self.host.stop.as_deref();
        play_match(the_match, &self.replay, self.stop, at_once, observer)
    }

    /// Opens the bot of a seat.
    fn seat(
        &self,
        opener: &mut dyn Opener,
        number: usize,
        bot: &BotEntry,
        host: &HostOptions,
    ) -> Result<(BotInfo, Box<dyn Bot>), ArenaError> {
        let opened = opener.open(self.kind, number, bot, host);
        let name = || bot.info.name.clone();
        let opened = opened.map_err(|source| ArenaError::Open { name: name(), source })?;
        let info = BotInfo { version: bot.spec.version(self.kind), ..bot.info.clone() };
        Ok((info, opened))
    }
}

/// Plays a match whose bots are open, until its end or until `stop` is set, and writes its replay.
/// Returns the replay if it was to be kept in memory.
pub fn play_opened(
    the_match: Match,
    replay: &ReplayTarget,
    stop: &AtomicBool,
    observer: &mut dyn Observer,
) -> Result<(Played, Option<Vec<u8>>), ArenaError> {
    play_match(the_match, replay, stop, None, observer)
}

/// Does the work of [`play_opened`]; with `at_once` the match ends even while it waits for bots.
fn play_match(
    the_match: Match,
    replay: &ReplayTarget,
    stop: &AtomicBool,
    at_once: Option<&AtomicBool>,
    observer: &mut dyn Observer,
) -> Result<(Played, Option<Vec<u8>>), ArenaError> {
    let observer = &mut Stoppable { observer, stop, at_once };
    let mut bytes = Vec::new();
    let result = match replay {
        ReplayTarget::None => the_match.run(observer),
        ReplayTarget::Memory => the_match.record(&mut bytes, observer).map(|(played, _)| played),
        ReplayTarget::File(path) => {
            let out = BufWriter::new(agon_files::create(path)?);
            the_match.record(out, observer).map(|(played, _)| played)
        }
    };
    let bytes = (*replay == ReplayTarget::Memory).then_some(bytes);
    match (result, replay) {
        (Ok(played), _) => Ok((played, bytes)),
        (Err(error @ MatchError::Panic(_)), ReplayTarget::File(path)) => {
            let message = format!("{error}; {} has the steps before it", path.display());
            Err(ArenaError::Panic { message, replay: None })
        }
        (Err(error @ MatchError::Panic(_)), _) => {
            Err(ArenaError::Panic { message: error.to_string(), replay: bytes })
        }
        (Err(source @ MatchError::Replay(_)), ReplayTarget::File(path)) => {
            Err(ArenaError::Record { path: path.display().to_string(), source })
        }
        (Err(error), _) => Err(error.into()),
    }
}

/// An observer that also ends the match once a flag is set.
struct Stoppable<'a> {
    observer: &'a mut dyn Observer,
    /// Ends it after a step.
    stop: &'a AtomicBool,
    /// Ends it even while it waits for bots.
    at_once: Option<&'a AtomicBool>,
}

impl Stoppable<'_> {
    fn or_stop(&self, control: Result<Control, ObserverError>) -> Result<Control, ObserverError> {
        if self.stop.load(Ordering::Relaxed) { control.map(|_| Control::Stop) } else { control }
    }
}

impl Observer for Stoppable<'_> {
    fn begin(&mut self, event: &MatchEvent<'_>) -> Result<Control, ObserverError> {
        let control = self.observer.begin(event);
        self.or_stop(control)
    }

    fn step(&mut self, event: &MatchEvent<'_>) -> Result<Control, ObserverError> {
        let control = self.observer.step(event);
        self.or_stop(control)
    }

    fn waiting(&mut self, waiting: &Waiting) {
        self.observer.waiting(waiting);
    }

    fn keeps_waiting(&self) -> bool {
        !self.at_once.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}

/// Returns the bot that alone was late in all earlier attempts, once they are enough.
///
/// Otherwise a bot that finds a way to make the arena stand still could undo a match for ever.
fn suspect(late_alone: &[Option<Player>]) -> Option<Suspect> {
    let player = (*late_alone.last()?)?;
    let attempts = late_alone.iter().rev().take_while(|late| **late == Some(player)).count();
    (attempts >= Suspect::ATTEMPTS).then_some(Suspect { player, attempts })
}

#[cfg(test)]
mod tests {
    use agon_bots::{BatchPart, Progress};
    use agon_core::{Fault, Game};
    use agon_games::any::{AnswersMut, AnyGame};
    use agon_match::replay::Replay;
    use agon_testkit::bare::Bare;
    use agon_testkit::broken::{Broken, BrokenRules, Defect};
    use agon_testkit::toy::ToyAnswer;

    use super::*;

    /// A bot that gives the default answer in step 2.
    struct Forgetful;

    impl Bot for Forgetful {
        fn collect(
            &mut self,
            part: BatchPart<'_>,
            mut answers: AnswersMut<'_>,
            _: &mut Vec<Fault>,
        ) -> Progress {
            answers.of_game::<Bare<Broken>>().fill(ToyAnswer(u8::from(part.step != 2)));
            Progress::Done
        }
    }

    fn panic(target: &ReplayTarget) -> (String, Option<Vec<u8>>) {
        let bots = ["tom", "amy"].map(|name| {
            let bot: Box<dyn Bot> = Box::new(Forgetful);
            (BotInfo::new(name, "builtin"), bot)
        });
        // It panics at the default answer.
        let rules = BrokenRules { defect: Defect::RefusesFaults, ..BrokenRules::default() };
        let game = AnyGame::of(Bare(Broken::new(&rules, 2, Seed(5)).unwrap()));
        let the_match = Match::new(game, bots.into(), MatchOptions::default()).unwrap();
        let stop = AtomicBool::new(false);
        match play_match(the_match, target, &stop, None, &mut ()) {
            Err(ArenaError::Panic { message, replay }) => (message, replay),
            _ => panic!("no panic"),
        }
    }

    #[test]
    fn a_panic_of_the_rules_names_its_match_and_leaves_the_steps_before_it() {
        let (message, replay) = panic(&ReplayTarget::Memory);
        let begin = "a match of tom and amy on seed 5 panicked in step 2 of toy: ";
        assert!(message.starts_with(begin), "{message}");
        assert_eq!(panic(&ReplayTarget::None).0, message);
        assert_eq!(Replay::open(replay.unwrap()).unwrap().steps(), 2);

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("night.agon");
        let (message, _) = panic(&ReplayTarget::File(path.clone()));
        assert!(message.ends_with("night.agon has the steps before it"), "{message}");
        assert_eq!(Replay::open(std::fs::read(path).unwrap()).unwrap().steps(), 2);
    }

    #[test]
    fn who_alone_was_late_again_and_again_is_suspect() {
        let suspect = |late: &[i32]| {
            let late: Vec<_> =
                late.iter().map(|&player| u16::try_from(player).ok().map(Player)).collect();
            suspect(&late).map(|suspect| (suspect.player.0, suspect.attempts))
        };
        assert_eq!([suspect(&[]), suspect(&[1]), suspect(&[1, 0])], [None; 3]);
        assert_eq!([suspect(&[-1, -1]), suspect(&[1, 1, -1]), suspect(&[1, -1, 1])], [None; 3]);
        assert_eq!(suspect(&[1, 1]), Some((1, 2)));
        assert_eq!(suspect(&[-1, 0, 1, 1, 1]), Some((1, 3)));
    }
}
