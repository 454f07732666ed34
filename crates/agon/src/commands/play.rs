//! `agon play GAME BOT...`; without a game a match of each game with its preset `default`.

use std::io::Write;

use agon_bots::{BotKind, BotSpec};
use agon_contest::events::{Event, MatchStart, VoidMatch};
use agon_contest::settings;
use agon_core::Seed;
use agon_games::{GameId, any::GameKind, presets};
use agon_match::{Control, FanOut, MatchEvent, Observer, ObserverError, Played};
use agon_show::{AnotherMatch, ViewOptions, result_file::CellhackFile};
use anyhow::{Context, Result, bail, ensure};

use super::game_named;
use crate::arena::{Setup, play_shown};
use crate::cli::{MatchArgs, PlayArgs};
use crate::output::{
    BOLD, DIM, FilmTime, MatchInfo, exit_of, print_event, print_films, print_result,
};
use crate::{Exit, interrupts::complete_films};

/// Plays a match and shows its result; then others, for as long as people ask for them.
pub(crate) fn play(args: &PlayArgs, out: &mut (impl Write + Send)) -> Result<Exit> {
    let id = game_named(args.game.as_deref().context("no game is named")?)?;
    let kind = id.kind();
    if !kind.is_proven() {
        say!("the rules are a program, so nobody can prove the result: referee not proven");
    }
    let bots = with_opponent(kind, &args.bots);
    let mut watch = args.game_args.watch.clone();
    let another = AnotherMatch::default();
    let mut setup = set_up(kind, args, &bots)?;
    loop {
        let seed = setup.seed;
        // A file can hold one match.
        let another = Some(&another).filter(|_| !has_outputs(args));
        let exit = play_once(args, setup, &watch, another, out)?;
        match another {
            Some(another) if another.is_wanted() => {
                // A page waits for the next match; other screens know no ports.
                if let Some(port) = another.port() {
                    watch.web.no_open = true;
                    watch.web.port = Some(port);
                }
                // The bots are read again: their authors may have changed them.
                setup = set_up(kind, args, &bots)?;
                setup.seed = seed.with_number(seed.number().wrapping_add(1));
            }
            _ => return Ok(exit),
        }
    }
}

fn set_up(kind: &'static dyn GameKind, args: &PlayArgs, bots: &[String]) -> Result<Setup> {
    let rules = settings::load(kind, args.sources())?;
    let mut setup = Setup::new(kind, rules, bots, &args.game_args)?;
    setup.max_turns = args.turns;
    Ok(setup)
}

/// Returns whether the match is written somewhere.
fn has_outputs(args: &PlayArgs) -> bool {
    let MatchArgs { replay, log, .. } = &args.game_args;
    let has_file = replay.is_some() || log.is_some() || args.replay_cellhack.is_some();
    has_file || args.json || !args.film.options().films.is_empty()
}

fn play_once(
    args: &PlayArgs,
    setup: Setup,
    watch: &ViewOptions,
    another: Option<&AnotherMatch>,
    out: &mut (impl Write + Send),
) -> Result<Exit> {
    let json = args.json;
    let kind = setup.kind;
    let meta = kind.meta();
    let names = setup.names();
    let film = args.film.options();
    film.check()?;
    for path in [&setup.replay, &args.replay_cellhack].into_iter().flatten() {
        let is_film = film.films.iter().any(|film| film.path == *path);
        ensure!(!is_film, "{} is named for a film and for the replay", path.display());
    }
    let is_seen = watch.is_watched() || !film.films.is_empty() || !setup.people.is_empty();
    let flag = match (watch.theme, watch.patterns) {
        (Some(_), _) => Some("--theme"),
        (None, true) => Some("--patterns"),
        (None, false) => None,
    };
    if let Some(flag) = flag.filter(|_| !is_seen) {
        bail!(
            "{flag} is for a match that is watched or filmed: add `--view` or a film such as \
             `--gif FILE`"
        );
    }
    let is_filmed = !film.films.is_empty();
    let film = is_filmed.then(|| film.recorder(kind, watch.appearance(), names.clone()));
    let mut film = film.transpose()?;
    let mut film_time = film.is_some().then(|| FilmTime::new(args.film.from, args.film.to));
    if json {
        let start = MatchStart {
            game: meta.id,
            rules_version: meta.rules_version,
            preset: args.preset(),
            rules: setup.rules.clone(),
            seed: setup.seed,
            players: &names,
        };
        print_event(Event::Match(start), out)?;
    }
    let file = args.replay_cellhack.as_deref().map(|path| CellhackFile::new(path, names));
    let mut file = file.transpose()?;
    let replay = setup.replay.clone();
    let mut events = json.then_some(JsonEvents(&mut *out));
    let mut observers = FanOut::new()
        .with_some(events.as_mut())
        .with_some(film.as_mut())
        .with_some(film_time.as_mut())
        .with_some(file.as_mut());
    let played = play_shown(setup, None, watch, &mut observers, another)?;
    if film.is_some() {
        complete_films();
    }
    if json {
        print_event(Event::Result(&played.result), out)?;
    } else {
        let preset = args.preset_with_changes();
        let info =
            MatchInfo { preset: preset.as_deref(), ..MatchInfo::of(meta, replay.as_deref()) };
        print_result(&played.result, &info, out)?;
    }
    if let Some(film) = film {
        print_films(film, json, out)?;
    }
    Ok(exit_of(&played.result))
}

/// Adds a built-in opponent if there is one bot too few, or a person without an opponent.
fn with_opponent(kind: &dyn GameKind, bots: &[String]) -> Vec<String> {
    let mut bots = bots.to_vec();
    if let (false, Some(last)) = (bots.is_empty(), kind.lineup().last())
        && (bots.len() + 1 == kind.meta().min_players || is_lonely(&bots))
    {
        let opponent = format!("builtin:{last}");
        say!("{DIM}note: {opponent} is the opponent; name a bot to choose another one{DIM:#}");
        bots.push(opponent);
    }
    bots
}

/// Returns whether a person is the only player.
fn is_lonely(bots: &[String]) -> bool {
    let is_person =
        |text: &String| text.parse::<BotSpec>().is_ok_and(|spec| spec.kind() == BotKind::Human);
    bots.len() == 1 && bots.iter().all(is_person)
}

/// Prints what happens in a match as JSON Lines.
struct JsonEvents<'a, W>(&'a mut W);

impl<W: Write> Observer for JsonEvents<'_, W> {
    fn step(&mut self, event: &MatchEvent<'_>) -> Result<Control, ObserverError> {
        for fault in event.faults {
            print_event(Event::Fault(fault), self.0)?;
        }
        Ok(Control::Continue)
    }

    fn void(&mut self, played: &Played, attempt: u32) -> Result<(), ObserverError> {
        let void = VoidMatch { attempt, void: played.result.void };
        Ok(print_event(Event::Void(void), self.0)?)
    }
}

/// The seed without `--seed`: with it, each match has one winner.
const SEED: Seed = Seed(2);

/// Plays a match of each game between built-in bots.
pub(crate) fn demo(args: &PlayArgs, out: &mut impl Write) -> Result<Exit> {
    let seed = args.game_args.seed;
    let only_seed = MatchArgs { seed, ..MatchArgs::default() };
    if *args != (PlayArgs { game_args: only_seed, ..PlayArgs::default() }) {
        bail!(
            "the demonstration takes no options but --seed; name a game, as in `agon play cluster \
             --json`"
        );
    }
    let seed = seed.unwrap_or(SEED);
    let games = GameId::all();
    let number = count(games.len());
    writeln!(out, "{number} games, a match of each between built-in bots.\n")?;
    for id in games {
        let exit = demo_game(id.kind(), seed, out)?;
        if exit != Exit::Done {
            return Ok(exit);
        }
        writeln!(out)?;
    }
    writeln!(out, "{DIM}Next:{DIM:#}")?;
    writeln!(
        out,
        "  {BOLD}agon rules cluster{BOLD:#}    how a game is played, and all you need to write a \
         bot"
    )?;
    writeln!(out, "  {BOLD}agon play cellhack{BOLD:#}    a match of one game, on another seed")?;
    writeln!(out, "  {BOLD}agon play --help{BOLD:#}      your own bots, settings, replays")?;
    Ok(Exit::Done)
}

/// A small number at the beginning of a sentence.
fn count(number: usize) -> String {
    match number {
        5 => "Five".to_owned(),
        6 => "Six".to_owned(),
        7 => "Seven".to_owned(),
        _ => number.to_string(),
    }
}

fn demo_game(kind: &'static dyn GameKind, seed: Seed, out: &mut impl Write) -> Result<Exit> {
    let rules = kind.preset_rules(presets::DEFAULT)?;
    let args = MatchArgs { seed: Some(seed), ..MatchArgs::default() };
    let played = Setup::new(kind, rules, &[], &args)?.play(None, &mut ())?;
    let info = MatchInfo { preset: Some(presets::DEFAULT), ..MatchInfo::of(kind.meta(), None) };
    print_result(&played.result, &info, out)?;
    Ok(exit_of(&played.result))
}
