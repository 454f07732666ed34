//! From what was typed to a match that has been played.

use std::{
    fs::File,
    hash::{BuildHasher, RandomState},
    path::PathBuf,
    sync::{
        Once,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use agon_bots::{Bot, BotKind, BotSpec, Clock, HostOptions, Hosted, Timing, unique_names};
use agon_core::{Game, Seed};
use agon_games::Lineup;
use agon_match::{Control, Match, MatchOptions, Moment, Played, pin};
use anyhow::{Context, Result, bail};

use crate::{cli::MatchArgs, log::Log, output::Bar};

/// A match to be played.
#[derive(Debug)]
pub(crate) struct Setup<G: Game> {
    pub(crate) rules: G::Rules,
    pub(crate) seed: Seed,
    pub(crate) bots: Vec<BotSpec>,
    pub(crate) host: HostOptions,
    pub(crate) replay: Option<PathBuf>,
    pub(crate) log: Option<PathBuf>,
    pub(crate) max_turns: Option<u64>,
    pub(crate) pace: Option<Duration>,
}

impl<G: Hosted> Setup<G> {
    /// A match of these bots; of the game's own if there are none.
    ///
    /// # Errors
    /// If a text names no bot, or there are fewer bots than the game needs.
    pub(crate) fn new(rules: G::Rules, bots: &[String], args: &MatchArgs) -> Result<Setup<G>> {
        let bots = if bots.is_empty() { show::<G>() } else { bots.to_vec() };
        let specs = bots.iter().map(|text| text.parse());
        let specs = specs.collect::<Result<Vec<BotSpec>, _>>()?;
        let names = unique_names(specs.iter().map(BotSpec::name));
        let specs: Vec<BotSpec> = specs.into_iter().zip(&names).map(rename).collect();
        if specs.len() < G::META.min_players {
            let (game, least, given) = (G::META.id, G::META.min_players, specs.len());
            bail!(
                "{game} needs at least {least} players, but {given} was given; `builtin:NAME` adds one \
                 (`agon bots {game}` lists them)"
            );
        }
        let timing = match (args.no_clock, args.time) {
            (true, _) => Timing::Unlimited,
            (false, Some(limit)) => Timing::Clock(Clock::cpu(Duration::from_millis(limit))),
            (false, None) => Timing::Game,
        };
        let (c_as_wasm, wasm_memory) = (args.wasm, args.wasm_memory);
        let host = HostOptions { timing, c_as_wasm, wasm_memory, ..HostOptions::default() };
        let seed = args.seed.unwrap_or_else(fresh_seed);
        let (replay, log) = (args.replay.clone(), args.log.clone());
        Ok(Setup { rules, seed, bots: specs, host, replay, log, max_turns: None, pace: None })
    }

    /// Gives the bots other names, in order.
    pub(crate) fn rename(&mut self, names: &[String]) {
        let names = unique_names(names.iter().map(|name| name.replace(char::is_control, "_")));
        let bots = std::mem::take(&mut self.bots);
        self.bots = bots.into_iter().zip(&names).map(rename).collect();
    }

    /// Plays, with a progress bar where somebody sees it; `observer` sees every state.
    ///
    /// # Errors
    /// If the rules do not allow the match, a bot cannot be opened, or the replay cannot be written.
    pub(crate) fn play(self, observer: impl FnMut(&Moment<'_, G>) -> Result<()>) -> Result<Played<G>> {
        // Before bots are opened, which may take a while.
        G::new(&self.rules, self.bots.len(), self.seed)?;
        handle_interrupts();
        let bots = self.bots.iter().map(|spec| Ok(agon_bots::open::<G>(spec, &self.host)?));
        let bots = bots.collect::<Result<_>>()?;
        self.play_with(bots, observer)
    }

    /// Plays with these as the bots, which are open already.
    ///
    /// # Errors
    /// As [`Setup::play`].
    pub(crate) fn play_with(
        self,
        open: Vec<Box<dyn Bot<G>>>,
        mut observer: impl FnMut(&Moment<'_, G>) -> Result<()>,
    ) -> Result<Played<G>> {
        let Setup { rules, seed, bots, host: _, replay, log, max_turns, pace } = self;
        let game = G::new(&rules, bots.len(), seed)?;
        let stop = interrupted();
        let infos = bots.iter().map(|spec| Ok(spec.info()?)).collect::<Result<Vec<_>>>()?;
        let mut log = log.map(|folder| Log::create(&folder, &game, &infos)).transpose()?;
        let seats = infos.into_iter().zip(open).collect();
        let options = MatchOptions { max_turns, pace, core: core_for(&bots), ..MatchOptions::default() };
        let the_match = Match::new(game, seats, options)?;

        let mut bar = None;
        let mut failure = None;
        let mut watch = |moment: &Moment<'_, G>| {
            let progress = moment.game.progress();
            let limit = [progress.limit, max_turns].into_iter().flatten().min();
            bar.get_or_insert_with(|| Bar::new(&G::META, limit)).show(progress);
            let logged = log.as_mut().map_or(Ok(()), |log| log.step(moment));
            failure = logged.and_then(|()| observer(moment)).err();
            let go_on = failure.is_none() && !stop.load(Ordering::Relaxed);
            if go_on { Control::Continue } else { Control::Stop }
        };
        let played = match replay {
            None => the_match.run(&mut watch)?,
            Some(path) => {
                let file = File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
                the_match.record(std::io::BufWriter::new(file), &mut watch)?.0
            }
        };
        if let Some(bar) = bar {
            bar.clear();
        }
        failure.map_or(Ok(()), Err)?;
        log.map_or(Ok(()), |log| log.finish(&played))?;
        Ok(played)
    }
}

/// The processor core for a match: a question to a program and its answer are ten times quicker on one core.
/// Several arenas side by side spread by their process numbers; built-in bots need no core of their own.
pub(crate) fn core_for(bots: &[BotSpec]) -> Option<usize> {
    if bots.iter().all(|spec| spec.kind() == BotKind::Builtin) {
        return None;
    }
    let cores = pin::cores().ok().filter(|cores| !cores.is_empty())?;
    Some(cores[std::process::id() as usize % cores.len()])
}

fn rename((spec, name): (BotSpec, &String)) -> BotSpec {
    if spec.name() == *name { spec } else { spec.named(name) }
}

/// The bots of a match worth watching.
fn show<G: Lineup>() -> Vec<String> {
    G::SHOW.iter().map(|bot| format!("builtin:{bot}")).collect()
}

/// A seed nobody chose, short enough to be typed again.
fn fresh_seed() -> Seed {
    Seed(RandomState::new().hash_one("a new match") % 1_000_000)
}

/// How long a match may take to end after Ctrl-C; a bot may be far from its next answer.
const LAST_STEP: Duration = Duration::from_secs(10);

/// Whether a match is played, which Ctrl-C lets end in order.
static PLAYING: AtomicBool = AtomicBool::new(false);

/// Set by the first Ctrl-C (or SIGTERM), which lets the match end after its step; the second ends the program.
static STOP: AtomicBool = AtomicBool::new(false);

/// What tells a match that is to be played now whether to stop.
pub(crate) fn interrupted() -> &'static AtomicBool {
    handle_interrupts();
    PLAYING.store(true, Ordering::Relaxed);
    &STOP
}

/// From now on Ctrl-C ends the program with all that it has started, such as compilers, at once unless a match is
/// played. To be called before bots are opened: what they start is in other process groups, out of a terminal's reach.
pub(crate) fn handle_interrupts() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let handler = || {
            if !PLAYING.load(Ordering::Relaxed) || STOP.swap(true, Ordering::Relaxed) {
                leave();
            }
            std::thread::spawn(wait_for_last_step);
        };
        // Without a handler Ctrl-C ends the program at once, as everywhere.
        if let Err(error) = ctrlc::set_handler(handler) {
            anstream::eprintln!("warning: Ctrl-C will not end the match in order: {error}");
        }
    });
}

/// Runs beside a match that is to end, and ends the program if the match does not.
fn wait_for_last_step() {
    std::thread::sleep(Duration::from_millis(300));
    let seconds = LAST_STEP.as_secs();
    anstream::eprintln!("waiting up to {seconds} s for the bots' last answers; Ctrl-C again ends it at once");
    std::thread::sleep(LAST_STEP);
    leave();
}

/// Ends the program and all bots with what they have started.
fn leave() -> ! {
    agon_bots::kill_all();
    std::process::exit(130);
}
