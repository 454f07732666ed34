//! `agon replay ask FILE --step N --bot BOT`: asks a bot for its answers at a step of a recorded
//! match.

mod report;

use std::{io::Write, path::Path, rc::Rc, sync::atomic::Ordering};

use agon_arena::{CoreLease, ReplayTarget, core_for, play_opened};
use agon_bots::{Bot, BotSpec, HostOptions, unique_names};
use agon_core::{BotInfo, Player, did_you_mean};
use agon_games::any::GameKind;
use agon_match::replay::{ReadError, Replay};
use agon_match::{Compared, Control, FanOut, MatchEvent, MatchOptions, Played, ReplaySession, pin};
use anyhow::{Context, Result, anyhow, bail};

use self::report::Report;
use super::open;
use crate::cli::{AskArgs, StepArg};
use crate::interrupts::{Doing, begin, handle_interrupts};
use crate::output::{Bar, MatchProgress, exit_of, plural};
use crate::{Exit, arena::host_options};

/// Asks a bot, or lets the match go on from the step with other bots.
pub(super) fn run(args: &AskArgs, out: &mut impl Write) -> Result<Exit> {
    let (replay, kind) = open(&args.file)?;
    let replay = &replay;
    let of_file = || args.file.display().to_string();
    let bot: BotSpec = args.bot.parse()?;
    let place = find(replay, kind, args, &bot.name()).with_context(of_file)?;
    let bots = seated(replay, place.player, bot, args)?;
    refuse_own_file(args)?;
    // Before bots are opened, which may take a while.
    handle_interrupts();
    let specs: Vec<BotSpec> = bots.iter().map(|(_, spec)| spec.clone()).collect();
    let bots = opened(kind, bots, args)?;
    let infos = bots.iter().map(|(player, info, _)| (*player, info.clone())).collect();
    let lease = core_for(kind, &specs);
    if let Some(core) = lease.as_ref().map(CoreLease::core) {
        pin::pin_to_core(core).with_context(|| format!("cannot stay on processor core {core}"))?;
    }

    let faults_kept = MatchOptions::default().faults_kept;
    let again = ReplaySession::new(replay, kind, bots, faults_kept).with_context(of_file)?;
    let bar = Rc::new(Bar::new(&kind.meta(), Some(place.turn)));
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

type Opened = Vec<(Player, BotInfo, Box<dyn Bot>)>;

fn opened(kind: &dyn GameKind, bots: Vec<(Player, BotSpec)>, args: &AskArgs) -> Result<Opened> {
    let host = HostOptions { game: Some(kind.meta().id.parse()?), ..host_options(&args.host) };
    let builtins: Vec<&'static str> = kind.builtins().iter().map(|bot| bot.name).collect();
    let open = |(player, spec): (Player, BotSpec)| {
        let spec = spec.read(&host, &builtins)?;
        let bot = agon_bots::open(kind, &spec, &host)?;
        Ok((player, spec.info_in(kind)?, bot))
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
fn replayed(again: &mut ReplaySession, place: Place, bar: &Bar) -> Result<bool> {
    let stop = begin(Doing::Match);
    let reached = again.play_to(place.step, &mut |game| {
        bar.show(game.progress());
        if stop.load(Ordering::Relaxed) { Control::Stop } else { Control::Continue }
    });
    Ok(reached?)
}

/// Goes on with the bots' own answers; those of the first step are compared with the recorded ones.
fn play_on(again: ReplaySession, report: &mut Report<'_>, args: &AskArgs) -> Result<Played> {
    let (replay, Place { step, turn, player }) = (report.replay, report.place);
    let mut cursor = replay.cursor(report.game.kind())?;
    cursor.seek(step)?;
    let recorded = cursor.frame()?.given.clone();
    let decisions = report.game.decisions().to_vec();
    let max_turns = args.turns.map(|turns| turn.saturating_add(turns));
    let strikes = args.host.strikes;
    let options = MatchOptions { max_turns, strikes, ..MatchOptions::default() };
    let now = &mut report.now;
    let mut comparing = |event: &MatchEvent<'_>| {
        if event.step == 1 {
            let own = decisions.iter().enumerate().filter(|(_, own)| own.player == player);
            now.extend(own.map(|(at, &decision)| Compared {
                decision,
                recorded: recorded.part(at..at + 1),
                now: event.led_by.part(at..at + 1),
            }));
        }
        Control::Continue
    };
    let mut progress = MatchProgress::new(max_turns, 1);
    let target = args.replay.clone().map_or(ReplayTarget::None, ReplayTarget::File);
    let mut observers = FanOut::new().with(&mut progress).with(&mut comparing);
    let played = play_opened(again.go_on(options)?, &target, begin(Doing::Match), &mut observers);
    progress.clear();
    Ok(played?.0)
}

/// Where a bot is asked, and as whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    /// Steps played before.
    step: u64,
    /// Turns of the game that are over.
    turn: u64,
    /// In whose seat the bot sits.
    player: Player,
}

/// A step in which somebody is asked.
type Asked = (u64, u64);

/// Finds the place that the arguments name, for a bot of this name.
///
/// # Errors
/// If there is no such step or player, several are possible, or the replay cannot be read so far.
fn find(replay: &Replay, kind: &'static dyn GameKind, args: &AskArgs, bot: &str) -> Result<Place> {
    if replay.steps() == 0 {
        bail!("there is nothing to ask: the replay has no steps{}", damage(replay));
    }
    let wanted = args.player.as_deref().map(|text| named(replay, text)).transpose()?;
    let step = match (args.step, args.turn) {
        (Some(StepArg::Number(step)), _) => step,
        (last, turn) => {
            let seat = wanted.or_else(|| of_name(replay, bot));
            let mut asked = Vec::new();
            scan(replay, kind, seat, &mut asked)?;
            match turn.filter(|_| last.is_none()) {
                Some(turn) => in_turn(replay, kind, seat, turn, &asked)?,
                None => asked.last().ok_or_else(|| never(replay, seat))?.0,
            }
        }
    };
    at_step(replay, kind, step, wanted, bot)
}

/// The place of a bot in a step.
fn at_step(
    replay: &Replay,
    kind: &'static dyn GameKind,
    step: u64,
    wanted: Option<Player>,
    bot: &str,
) -> Result<Place> {
    let steps = replay.steps();
    if step >= steps {
        bail!(
            "there is no step {step}: the replay has {}, 0 to {}{}",
            plural(steps, "step"),
            steps - 1,
            damage(replay)
        );
    }
    let game = replay.seek(kind, step)?;
    let turn = game.progress().turn;
    let mut players: Vec<Player> =
        game.decisions().iter().map(|decision| decision.player).collect();
    players.dedup();
    let player = match (wanted, players.as_slice()) {
        (Some(player), _) => player,
        (None, [only]) => *only,
        (None, several) => of_name(replay, bot).ok_or_else(|| {
            let several = list(replay, several.iter().copied());
            anyhow!("several players are asked in step {step}; name one with --player: {several}")
        })?,
    };
    if !players.contains(&player) {
        let mut asked = Vec::new();
        // Where the file cannot be read any more, the steps before are all there is to name.
        let _ = scan(replay, kind, Some(player), &mut asked);
        let nearest = nearest(&asked, kind.meta().turn_name, |(asked, _)| asked < step);
        bail!("{} is not asked in step {step}; {nearest}", label(replay, player));
    }
    Ok(Place { step, turn, player })
}

/// The first step of a turn.
fn in_turn(
    replay: &Replay,
    kind: &dyn GameKind,
    seat: Option<Player>,
    turn: u64,
    asked: &[Asked],
) -> Result<u64> {
    if let Some(&(step, _)) = asked.iter().find(|&&(_, of)| of == turn) {
        return Ok(step);
    }
    let noun = kind.meta().turn_name;
    let who = seat.map_or_else(|| "nobody".to_owned(), |player| label(replay, player));
    bail!("{who} is not asked in {noun} {turn}; {}", nearest(asked, noun, |(_, of)| of < turn))
}

/// Collects the steps in which a player is asked, or anybody.
fn scan(
    replay: &Replay,
    kind: &'static dyn GameKind,
    seat: Option<Player>,
    asked: &mut Vec<Asked>,
) -> Result<(), ReadError> {
    let mut cursor = replay.cursor(kind)?;
    while cursor.step() < replay.steps() {
        let game = cursor.game();
        if game
            .decisions()
            .iter()
            .any(|decision| seat.is_none_or(|player| player == decision.player))
        {
            asked.push((cursor.step(), game.progress().turn));
        }
        cursor.advance()?;
    }
    Ok(())
}

/// The steps around a place, the last of those `before` it and the one that follows, as the end of
/// a sentence.
fn nearest(asked: &[Asked], noun: &str, before: impl Fn(Asked) -> bool) -> String {
    let next = asked.partition_point(|&asked| before(asked));
    let around = [next.checked_sub(1).and_then(|last| asked.get(last)), asked.get(next)];
    let one = |(step, turn): &Asked| format!("step {step} ({noun} {turn})");
    let around: Vec<String> = around.into_iter().flatten().map(one).collect();
    match around.as_slice() {
        [] => "it is never asked".to_owned(),
        around => format!("the nearest: {}", around.join(" and ")),
    }
}

fn never(replay: &Replay, seat: Option<Player>) -> anyhow::Error {
    let who = seat.map_or_else(|| "nobody".to_owned(), |player| label(replay, player));
    anyhow!("{who} is never asked in this replay")
}

/// The player that a text names.
fn named(replay: &Replay, text: &str) -> Result<Player> {
    if let Some(player) = of_name(replay, text) {
        return Ok(player);
    }
    let count = replay.header().players.len();
    if let Some(index) = text.parse().ok().filter(|&index: &usize| index < count) {
        return Ok(Player::from_index(index));
    }
    let names = replay.header().players.iter().map(|bot| bot.name.as_str());
    let hint = match did_you_mean(text, names) {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!("there are: {}", list(replay, Player::all(count))),
    };
    bail!("there is no player `{text}`; {hint}")
}

/// The player whose recorded bot has this name.
fn of_name(replay: &Replay, name: &str) -> Option<Player> {
    let index = replay.header().players.iter().position(|bot| bot.name == name);
    index.map(Player::from_index)
}

/// The name of a player in the recorded match.
fn name(replay: &Replay, player: Player) -> &str {
    replay.header().players.get(player.index()).map_or("?", |bot| bot.name.as_str())
}

fn label(replay: &Replay, player: Player) -> String {
    format!("player {player}, {},", name(replay, player))
}

fn list(replay: &Replay, players: impl Iterator<Item = Player>) -> String {
    players
        .map(|player| format!("{player} {}", name(replay, player)))
        .collect::<Vec<_>>()
        .join(", ")
}

/// What is wrong with the file, as a further part of a sentence.
fn damage(replay: &Replay) -> String {
    replay.damage().map_or_else(String::new, |damage| format!("; it is {damage}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_steps_are_those_around() {
        let asked = [(2, 1), (5, 3), (9, 4)];
        let of_step = |step| nearest(&asked, "turn", |(asked, _)| asked < step);
        assert_eq!(of_step(0), "the nearest: step 2 (turn 1)");
        assert_eq!(of_step(6), "the nearest: step 5 (turn 3) and step 9 (turn 4)");
        assert_eq!(of_step(10), "the nearest: step 9 (turn 4)");
        assert_eq!(
            nearest(&asked, "tick", |(_, turn)| turn < 2),
            "the nearest: step 2 (tick 1) and step 5 (tick 3)"
        );
        assert_eq!(nearest(&[], "turn", |_| true), "it is never asked");
    }
}
