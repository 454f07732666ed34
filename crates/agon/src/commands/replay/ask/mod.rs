//! `agon replay ask FILE --step N --bot BOT`: asks a bot for its answers at a step of a recorded
//! match.

mod place;
mod report;
mod seen;

use std::{io::Write, path::Path, rc::Rc, sync::atomic::Ordering};

use agon_arena::{ArenaGame, CoreLease, ReplayTarget, core_for};
use agon_bots::{Bot, BotSpec, HostOptions, unique_names};
use agon_core::{BotInfo, Game, Player};
use agon_games::{scene::Render, with_game};
use agon_match::replay::Replay;
use agon_match::{Compared, Control, FanOut, MatchEvent, MatchOptions, Played, ReplaySession, pin};
use anyhow::{Context, Result, bail};

use self::{place::Place, report::Report};
use super::open::open;
use crate::{
    Exit,
    arena::host_options,
    cli::AskArgs,
    interrupts::{handle_interrupts, interrupted},
    output::{Bar, MatchProgress, exit_of, plural},
};

/// Asks a bot, or lets the match go on from the step with other bots.
pub(super) fn run(args: &AskArgs, out: &mut impl Write) -> Result<Exit> {
    let (replay, id) = open(&args.file)?;
    with_game!(id, G => ask::<G>(&replay, args, out))
}

fn ask<G: ArenaGame + Render>(
    replay: &Replay,
    args: &AskArgs,
    out: &mut impl Write,
) -> Result<Exit> {
    let of_file = || args.file.display().to_string();
    let bot: BotSpec = args.bot.parse()?;
    let place = place::find::<G>(replay, args, &bot.name()).with_context(of_file)?;
    let bots = seated(replay, place.player, bot, args)?;
    refuse_own_file(args)?;
    // Before bots are opened, which may take a while.
    handle_interrupts();
    let specs: Vec<BotSpec> = bots.iter().map(|(_, spec)| spec.clone()).collect();
    let bots = opened::<G>(bots, args)?;
    let infos = bots.iter().map(|(player, info, _)| (*player, info.clone())).collect();
    let lease = core_for(&specs);
    if let Some(core) = lease.as_ref().map(CoreLease::core) {
        pin::pin_to_core(core).with_context(|| format!("cannot stay on processor core {core}"))?;
    }

    let faults_kept = MatchOptions::default().faults_kept;
    let again = ReplaySession::new(replay, bots, faults_kept).with_context(of_file)?;
    let bar = Rc::new(Bar::new(&G::META, Some(place.turn)));
    let shown = Rc::clone(&bar);
    let again = again.watched(Box::new(move |waiting| shown.wait(waiting)));
    let mut again = again.with_strikes(args.host.strikes);
    let reached = replayed(&mut again, place, &bar);
    if !reached.inspect_err(|_| bar.clear()).with_context(of_file)? {
        bar.clear();
        again.end();
        return Ok(Exit::Interrupted);
    }
    let game = again.game().clone();
    let earlier = again.agreement(place.player).clone();
    let mut report = Report {
        replay,
        place,
        bots: infos,
        game,
        earlier,
        now: Vec::new(),
        faults: again.faults().clone(),
    };
    if args.against.is_empty() {
        let now = again.ask();
        bar.clear();
        report.now = now.with_context(of_file)?;
        report.faults = again.faults().clone();
        again.end();
        report.write(args.json, out)?;
        return Ok(report.exit());
    }
    bar.clear();
    let played = play_on(again, &mut report, args)?;
    report.write(args.json, out)?;
    report.write_result(&played.result, args, out)?;
    Ok(if played.result.interrupted { exit_of(&played.result) } else { report.exit() })
}

/// The bots by player: the one that is asked, and those that it plays against.
fn seated(
    replay: &Replay,
    asked: Player,
    bot: BotSpec,
    args: &AskArgs,
) -> Result<Vec<(Player, BotSpec)>> {
    let Some(last) = args.against.last() else { return Ok(vec![(asked, bot)]) };
    let players = replay.header().players.len();
    let given = args.against.len();
    let others = players - 1;
    if given > others {
        let others = plural(others as u64, "other player");
        bail!("--against names {given} bots, but the match has {others}");
    }
    let against = args.against.iter().chain(std::iter::repeat(last)).take(others);
    let mut specs = against.map(|text| text.parse()).collect::<Result<Vec<BotSpec>, _>>()?;
    specs.insert(asked.index(), bot);
    let names = unique_names(specs.iter().map(BotSpec::name));
    let renamed = specs.into_iter().zip(names).map(|(spec, name)| spec.named(name));
    Ok(Player::all(players).zip(renamed).collect())
}

type Opened<G> = Vec<(Player, BotInfo, Box<dyn Bot<G>>)>;

fn opened<G: ArenaGame>(bots: Vec<(Player, BotSpec)>, args: &AskArgs) -> Result<Opened<G>> {
    let host = HostOptions { game: Some(G::META.id.parse()?), ..host_options(&args.host) };
    let builtins: Vec<&'static str> = G::BUILTINS.iter().map(|builtin| builtin.name).collect();
    let open = |(player, spec): (Player, BotSpec)| {
        let spec = spec.read(&host, &builtins)?;
        let bot = G::open_bot(&spec, &host)?;
        Ok((player, spec.info_in::<G>()?, bot))
    };
    bots.into_iter().map(open).collect()
}

/// A replay of what is played from the step on must not take the place of the one that it comes
/// from.
fn refuse_own_file(args: &AskArgs) -> Result<()> {
    let real = |path: &Path| path.canonicalize().ok();
    match &args.replay {
        Some(path) if real(path).is_some() && real(path) == real(&args.file) => {
            bail!(
                "--replay {}: this is the replay that is asked about; name another file",
                path.display()
            )
        }
        _ => Ok(()),
    }
}

/// Plays up to the place; says whether it has been reached, which Ctrl-C prevents.
fn replayed<G: Game>(again: &mut ReplaySession<G>, place: Place, bar: &Bar) -> Result<bool> {
    let stop = interrupted();
    let reached = again.play_to(place.step, &mut |game| {
        bar.show(game.progress());
        if stop.load(Ordering::Relaxed) { Control::Stop } else { Control::Continue }
    });
    Ok(reached?)
}

/// Goes on with the bots' own answers; those of the first step are compared with the recorded ones.
fn play_on<G: ArenaGame>(
    again: ReplaySession<G>,
    report: &mut Report<'_, G>,
    args: &AskArgs,
) -> Result<Played<G>> {
    let (replay, Place { step, turn, player }) = (report.replay, report.place);
    let mut cursor = replay.cursor::<G>()?;
    cursor.seek(step)?;
    let recorded = cursor.frame()?.given.to_vec();
    let decisions = report.game.decisions().to_vec();
    let max_turns = args.turns.map(|turns| turn.saturating_add(turns));
    let strikes = args.host.strikes;
    let options = MatchOptions { max_turns, strikes, ..MatchOptions::default() };
    let now = &mut report.now;
    let mut comparing = |event: &MatchEvent<'_, G>| {
        if event.step == 1 {
            let pairs = decisions.iter().zip(&recorded).zip(event.led_by);
            let own = pairs.filter(|((decision, _), _)| decision.player == player);
            now.extend(own.map(|((&decision, recorded), now)| Compared {
                decision,
                recorded: recorded.clone(),
                now: now.clone(),
            }));
        }
        Control::Continue
    };
    let mut progress = MatchProgress::new(max_turns, 1);
    let target = args.replay.clone().map_or(ReplayTarget::None, ReplayTarget::File);
    let mut observers = FanOut::new().with(&mut progress).with(&mut comparing);
    let played = G::play_opened(again.go_on(options)?, &target, interrupted(), &mut observers);
    progress.clear();
    Ok(played?.0)
}
