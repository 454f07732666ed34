//! Which step of a replay is meant, and in whose seat.

use agon_core::{Game, Player, did_you_mean};
use agon_match::replay::{ReadError, Replay};
use anyhow::{Result, anyhow, bail};

use crate::{
    cli::{AskArgs, StepArg},
    output::plural,
};

/// Where a bot is asked, and as whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// Steps played before.
    pub(super) step: u64,
    /// Turns of the game that are over.
    pub(super) turn: u64,
    /// In whose seat the bot sits.
    pub(super) player: Player,
}

/// A step in which somebody is asked.
type Asked = (u64, u64);

/// Finds the place that the arguments name, for a bot of this name.
///
/// # Errors
/// If there is no such step or player, several are possible, or the replay cannot be read so far.
pub(super) fn find<G: Game>(replay: &Replay, args: &AskArgs, bot: &str) -> Result<Place> {
    if replay.steps() == 0 {
        bail!("there is nothing to ask: the replay has no steps{}", damage(replay));
    }
    let wanted = args.player.as_deref().map(|text| named(replay, text)).transpose()?;
    let step = match (args.step, args.turn) {
        (Some(StepArg::Number(step)), _) => step,
        (last, turn) => {
            let seat = wanted.or_else(|| of_name(replay, bot));
            let mut asked = Vec::new();
            scan::<G>(replay, seat, &mut asked)?;
            match turn.filter(|_| last.is_none()) {
                Some(turn) => in_turn::<G>(replay, seat, turn, &asked)?,
                None => asked.last().ok_or_else(|| never(replay, seat))?.0,
            }
        }
    };
    at_step::<G>(replay, step, wanted, bot)
}

/// The place of a bot in a step.
fn at_step<G: Game>(
    replay: &Replay,
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
    let game = replay.seek::<G>(step)?;
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
        let _ = scan::<G>(replay, Some(player), &mut asked);
        let nearest = nearest(&asked, G::META.turn_name, |(asked, _)| asked < step);
        bail!("{} is not asked in step {step}; {nearest}", label(replay, player));
    }
    Ok(Place { step, turn, player })
}

/// The first step of a turn.
fn in_turn<G: Game>(
    replay: &Replay,
    seat: Option<Player>,
    turn: u64,
    asked: &[Asked],
) -> Result<u64> {
    if let Some(&(step, _)) = asked.iter().find(|&&(_, of)| of == turn) {
        return Ok(step);
    }
    let noun = G::META.turn_name;
    let who = seat.map_or_else(|| "nobody".to_owned(), |player| label(replay, player));
    bail!("{who} is not asked in {noun} {turn}; {}", nearest(asked, noun, |(_, of)| of < turn))
}

/// Collects the steps in which a player is asked, or anybody.
fn scan<G: Game>(
    replay: &Replay,
    seat: Option<Player>,
    asked: &mut Vec<Asked>,
) -> Result<(), ReadError> {
    let mut cursor = replay.cursor::<G>()?;
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
pub(super) fn name(replay: &Replay, player: Player) -> &str {
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
