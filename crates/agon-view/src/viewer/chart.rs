//! The state of the viewer's chart, which the key `c` opens, and the players' values over the
//! turns.
//!
//! [`Curves`] plays the match a second time beside the viewer, in small parts between two pictures,
//! so that the viewer stays responsive. The chart is hidden from a person who plays and must not
//! see all of the board.

use std::time::Duration;

use agon_core::{Fault, Player};
use agon_games::any::{AnyGame, SeriesInfo};

use super::{events::EventLog, layout::Layout};
use crate::paint::{Area, Frame, ThemeName};
use crate::{Charted, Playback, Redraw, StateError, StateSource, paint::chart::Scale};

/// Redraw interval while values are still being collected.
const REDRAW_INTERVAL: Duration = Duration::from_millis(100);

/// The minimum height at which lines can be read, in pixels of a plain screen.
const MIN_HEIGHT: f32 = 170.0;

/// The chart of a viewer, open or not.
#[derive(Default)]
pub(super) struct ChartPanel {
    /// The series that is shown.
    pub(super) series: Option<usize>,
    /// The values counted so far; `None` until somebody wants to see them.
    pub(super) curves: Option<Curves>,
    pub(super) picture: Option<Picture>,
    /// The curves beside the board.
    pub(super) small: Option<Picture>,
    /// Whether the curves beside the board or the list of events are shown.
    is_beside: bool,
    /// Whether it is hidden, because its viewer is a player who must not see all of the board.
    pub(super) is_hidden: bool,
    /// Viewing player and step of the last visibility check.
    checked_for: Option<(Option<Player>, u64)>,
    /// Whether more was counted than the picture shows.
    is_behind: bool,
    /// When the picture was last dropped.
    dropped_at: Duration,
}

/// The last painted chart.
pub(super) struct Picture {
    pub(super) frame: Frame,
    pub(super) scale: Option<Scale>,
    pub(super) series: usize,
    pub(super) theme: ThemeName,
}

impl ChartPanel {
    pub(super) fn is_open(&self) -> bool {
        self.series.is_some()
    }

    /// Returns whether it has more to do before the next picture.
    pub(super) fn is_busy(&self) -> bool {
        let is_shown = self.is_beside || (self.is_open() && !self.is_hidden);
        is_shown && self.curves.as_ref().is_some_and(Curves::has_more)
    }

    /// Shows the curves beside the board and the list of events, or does not.
    pub(super) fn set_beside(&mut self, is_beside: bool, playback: &Playback, faults: &[Fault]) {
        self.is_beside = is_beside;
        if is_beside {
            self.begin(playback, faults);
        }
    }

    fn begin(&mut self, playback: &Playback, faults: &[Fault]) {
        self.curves.get_or_insert_with(|| Curves::new(playback.states().fork(), faults));
    }

    /// Returns the events found so far, if they may be shown.
    pub(super) fn events(&self) -> Option<&EventLog> {
        self.curves.as_ref().filter(|_| self.is_beside).map(|curves| &curves.events)
    }

    /// Returns the number of turns that the curves beside the board show.
    pub(super) fn turns_beside(&self) -> Option<u64> {
        self.curves.as_ref().filter(|_| self.is_beside).map(|curves| curves.turns() as u64)
    }

    /// Shows the next series, or none after the last one.
    pub(super) fn next(&mut self, playback: &Playback, faults: &[Fault]) {
        let next = self.series.map_or(0, |series| series + 1);
        self.series = (next < playback.game().kind().series().len()).then_some(next);
        if self.is_open() {
            self.begin(playback, faults);
        }
        self.update_hidden(playback);
    }

    /// Hides the chart from a player who cannot see all of the board.
    ///
    /// Its numbers would reveal the rest. From then on no player sees it, because the curves have
    /// the values of all turns.
    fn update_hidden(&mut self, playback: &Playback) {
        let viewed = Some((playback.eyes, playback.step()));
        if self.checked_for == viewed {
            return;
        }
        self.checked_for = viewed;

        self.is_hidden = match playback.eyes {
            None => false,
            Some(player) => self.is_hidden || is_board_hidden(playback.game(), player),
        };
    }

    /// Continues counting while it is open, or its curves are shown beside the board.
    pub(super) fn tick(&mut self, now: Duration, playback: &Playback) -> Redraw {
        if !self.is_open() && !self.is_beside {
            return Redraw::No;
        }
        let was_hidden = self.is_hidden;
        self.update_hidden(playback);
        if self.is_hidden {
            return if was_hidden { Redraw::No } else { Redraw::Yes };
        }

        let Some(curves) = &mut self.curves else { return Redraw::No };
        self.is_behind |= curves.tick(now, self.series.is_some());
        let is_due = now.saturating_sub(self.dropped_at) >= REDRAW_INTERVAL || !curves.has_more();
        let is_outdated = self.is_behind && is_due;
        if !was_hidden && !is_outdated {
            return Redraw::No;
        }

        self.picture = None;
        self.small = None;
        self.is_behind = false;
        self.dropped_at = now;
        Redraw::Yes
    }

    /// Describes the chart for the app's status; `None` if it is closed.
    pub(super) fn status(&self) -> Option<Charted> {
        let series = self.series?;
        let curves = self.curves.as_ref()?;
        Some(Charted {
            series: curves.series[series].id.to_owned(),
            turns: if self.is_hidden { 0 } else { curves.turns() as u64 },
            complete: curves.is_complete(),
            hidden: self.is_hidden,
        })
    }

    /// Returns the step shown in a picture at a distance from its left edge, in pixels.
    pub(super) fn step_in(&self, picture: &Picture, x: f64) -> Option<u64> {
        let scale = picture.scale?;
        Some(self.curves.as_ref()?.step_of(scale.turn_at(x)))
    }
}

/// Returns whether a player cannot see all of the board.
fn is_board_hidden(game: &AnyGame, player: Player) -> bool {
    let seen = game.scene_for(player).expect("the match has this player");
    let all = game.scene();
    (seen.board, seen.cells, seen.pieces) != (all.board, all.cells, all.pieces)
}

impl Layout {
    /// Makes room for a chart below the board.
    pub(super) fn split_board(&mut self, scale: f32) {
        let least = (MIN_HEIGHT * scale) as u32;
        let height = (self.board.height * 2 / 5).max(least.min(self.board.height / 2));
        if height == 0 {
            return;
        }
        self.board.height -= height;
        let y = self.board.y + self.board.height as i32;
        self.chart = Some(Area { y, height, ..self.board });
        if !self.is_column {
            self.message.y -= height as i32;
        }
    }
}

/// The most turns that are kept; of more, every second one is dropped.
const MAX_KEPT: usize = 4096;

/// The time after which a picture is late, so that fewer states are counted between two.
const LATE: Duration = Duration::from_millis(33);

/// The smallest part of a match that is counted between two pictures, if somebody waits for it.
const MIN_PART: u64 = 4096;

/// The values of all series of a game, over the turns counted so far.
///
/// It plays the match a second time beside its viewer, as many states between two pictures as
/// time allows.
pub(super) struct Curves {
    /// All series of the game.
    pub(super) series: Vec<SeriesInfo>,
    /// A source at the last state that has been counted.
    states: Box<dyn StateSource>,
    kept: Vec<Kept>,
    /// Series by series, player by player, for each kept turn.
    values: Vec<i64>,
    /// What has happened in the counted states.
    events: EventLog,
    /// The number of turns so far.
    turns: u64,
    /// The distance of kept turns; the newest one is also kept.
    spacing: u64,
    /// Whether the replay cannot be played any further.
    is_stuck: bool,
    /// An estimate of the states that fit between two pictures.
    fits: u64,
    /// The time of the last count, if there was more to count.
    now: Option<Duration>,
}

/// A turn with kept values.
#[derive(Clone, Copy, Debug)]
struct Kept {
    /// Its number among all turns, from 0.
    number: u64,
    /// The game's own number for it.
    turn: u64,
    /// Steps before the counted state.
    step: u64,
}

impl Curves {
    /// Starts with the first state of the match in `states`, in which there were these faults.
    pub(super) fn new(states: Box<dyn StateSource>, faults: &[Fault]) -> Curves {
        let mut curves = Curves {
            series: states.game().kind().series(),
            states,
            kept: vec![],
            values: vec![],
            events: EventLog::new(faults),
            turns: 0,
            spacing: 1,
            is_stuck: false,
            fits: 1,
            now: None,
        };
        curves.begin();
        curves
    }

    fn begin(&mut self) {
        (self.turns, self.spacing) = (0, 1);
        self.kept.clear();
        self.values.clear();
        self.events.restart();
        self.is_stuck = self.states.seek(0).is_err();
        self.events.arrive(&*self.states);
        self.count();
    }

    /// Continues to count, and returns whether there is more to see.
    ///
    /// If it `is_awaited`, each picture brings a part of the match, however long that takes.
    pub(super) fn tick(&mut self, now: Duration, is_awaited: bool) -> bool {
        if self.states.refresh() {
            self.begin();
            return true;
        }
        if !self.has_more() {
            self.now = None;
            return false;
        }
        let passed =
            self.now.replace(now).map_or(Duration::ZERO, |before| now.saturating_sub(before));
        let least = if is_awaited { self.states.steps() / MIN_PART + 1 } else { 1 };
        self.fits = if passed > LATE { self.fits / 2 } else { self.fits + 1 + self.fits / 8 };
        self.fits = self.fits.clamp(least, 1 << 20);
        for _ in 0..self.fits {
            match self.advance() {
                Ok(true) => {}
                Ok(false) => break,
                Err(_) => {
                    // The player of the replay reports its problem.
                    self.is_stuck = true;
                    break;
                }
            }
        }
        true
    }

    /// Counts the next state, if there is one.
    fn advance(&mut self) -> Result<bool, StateError> {
        let next_move = self.events.next_move(&mut *self.states)?;
        if !self.states.advance()? {
            return Ok(false);
        }
        if let Some(next_move) = next_move {
            self.events.moved(&*self.states, next_move);
        }
        self.events.arrive(&*self.states);
        self.count();
        Ok(true)
    }

    /// Returns whether some states have not been counted.
    pub(super) fn has_more(&self) -> bool {
        !self.is_stuck && self.states.step() < self.states.steps()
    }

    /// Returns whether all states have been counted, and the match is over.
    pub(super) fn is_complete(&self) -> bool {
        !self.has_more() && (self.is_stuck || self.states.is_complete())
    }

    /// Counts the current state, if it starts a turn or the match is over.
    fn count(&mut self) {
        let game = self.states.game();
        let turn = game.progress().turn;
        let is_over = game.decisions().is_empty();
        let is_new = self.kept.last().is_none_or(|last| last.turn != turn);
        if !is_new && !is_over {
            return;
        }
        let mut values = vec![];
        (0..self.series.len()).for_each(|series| game.sample(series, &mut values));
        let width = values.len();
        let players = width / self.series.len().max(1);
        self.events.begin_turn(&*self.states, &values[..players]);
        // The last state may belong to a turn that has started. The newest of many turns was kept
        // only until now.
        let spare = |last: &mut Kept| !is_new || !last.number.is_multiple_of(self.spacing);
        if let Some(dropped) = self.kept.pop_if(spare) {
            self.values.truncate(self.kept.len() * width);
            self.turns -= u64::from(!is_new && dropped.turn == turn);
        }
        self.kept.push(Kept { number: self.turns, turn, step: self.states.step() });
        self.values.extend(values);
        self.turns += 1;
        if self.kept.len() > MAX_KEPT {
            self.thin(width);
        }
    }

    fn thin(&mut self, width: usize) {
        self.spacing *= 2;
        let newest = self.kept.len() - 1;
        let stays: Vec<bool> = (0..=newest)
            .map(|at| at == newest || self.kept[at].number.is_multiple_of(self.spacing))
            .collect();
        let rows = self.values.chunks(width.max(1)).zip(&stays).filter(|(_, stays)| **stays);
        self.values = rows.flat_map(|(row, _)| row.iter().copied()).collect();
        let mut stays = stays.into_iter();
        self.kept.retain(|_| stays.next().unwrap_or(true));
    }

    /// Returns the number of kept turns.
    pub(super) fn turns(&self) -> usize {
        self.kept.len()
    }

    /// Returns the turns, with a player's value of a series in each.
    pub(super) fn points(&self, series: usize, player: usize) -> Vec<(u64, i64)> {
        let players = self.states.players().len();
        let width = players * self.series.len();
        let value = |at: usize| self.values[at * width + series * players + player];
        self.kept.iter().enumerate().map(|(at, kept)| (kept.turn, value(at))).collect()
    }

    /// Returns the first step of the kept turn nearest to `turn`.
    pub(super) fn step_of(&self, turn: u64) -> u64 {
        self.kept.iter().min_by_key(|kept| kept.turn.abs_diff(turn)).map_or(0, |kept| kept.step)
    }
}

#[cfg(test)]
mod tests {
    use agon_core::{Player, Seed};
    use agon_games::GameId;
    use agon_games::any::{AnyAnswers, GameKind};
    use agon_games::rezzo::{Answer, Rezzo};
    use serde_json::json;

    use super::*;
    use crate::{LiveStates, SharedStates};

    /// Returns all states of a scripted match.
    fn states(kind: &dyn GameKind, steps: u64) -> (Vec<AnyGame>, Vec<AnyAnswers>) {
        let players = kind.meta().min_players.max(2);
        let mut game = kind.start(&kind.default_rules(), players, Seed(4)).unwrap();
        let mut states = vec![game.clone()];
        let mut all = vec![];
        for step in 0..steps {
            if game.is_over() {
                break;
            }
            let answers = game.scripted_answers(Seed(2), step);
            game.step(&answers);
            states.push(game.clone());
            all.push(answers);
        }
        (states, all)
    }

    /// Returns the output of `agon replay chart` for a series of a player.
    fn expected(states: &[AnyGame], series: usize, player: usize) -> Vec<(u64, i64)> {
        let mut points: Vec<(u64, i64)> = vec![];
        for game in states {
            let turn = game.progress().turn;
            let is_new = points.last().is_none_or(|point| point.0 != turn);
            if is_new || game.is_over() {
                let mut values = vec![];
                game.sample(series, &mut values);
                points.pop_if(|point| point.0 == turn);
                points.push((turn, values[player]));
            }
        }
        points
    }

    fn names(game: &AnyGame) -> Vec<String> {
        Player::all(game.players()).map(|player| player.to_string()).collect()
    }

    fn count_all(curves: &mut Curves) {
        let mut now = Duration::ZERO;
        while curves.has_more() {
            now += Duration::from_millis(16);
            curves.tick(now, true);
        }
    }

    #[test]
    fn all_series_are_those_of_charts_of_replays_and_grow() {
        for kind in GameId::OWN.map(GameId::kind) {
            let (states, answers) = states(kind, 60);
            let shared = SharedStates::new(states[0].clone());
            let mut curves =
                Curves::new(Box::new(LiveStates::new(shared.clone(), names(&states[0]))), &[]);
            for counted in [0, answers.len() / 2, answers.len()] {
                for step in shared.steps() as usize..counted {
                    shared.push(&answers[step], &states[step + 1]);
                }
                count_all(&mut curves);
                for series in 0..kind.series().len() {
                    for player in 0..states[0].players() {
                        let points = expected(&states[..=counted], series, player);
                        assert_eq!(curves.points(series, player), points, "{}", kind.meta().id);
                    }
                }
                let first_steps =
                    (0..=counted).map(|step| (states[step].progress().turn, step as u64));
                for (turn, step) in first_steps {
                    assert!(curves.step_of(turn) <= step || states[step as usize].is_over());
                }
                assert!(!curves.is_complete());
            }
            shared.complete();
            assert!(curves.is_complete());
            // The match was void.
            shared.begin_anew(states[0].clone());
            assert!(curves.tick(Duration::from_secs(9), true));
            assert_eq!(curves.turns(), 1);
        }
    }

    #[test]
    fn of_many_turns_some_are_kept_and_the_newest() {
        let rules = json!({ "width": 20, "height": 20 });
        let mut game = GameId::Rezzo.kind().start(&rules, 2, Seed(4)).unwrap();
        let shared = SharedStates::new(game.clone());
        let mut curves = Curves::new(Box::new(LiveStates::new(shared.clone(), names(&game))), &[]);
        for step in 1..=9001 {
            let answers = AnyAnswers::of::<Rezzo>(vec![Answer::Nop; game.decisions().len()]);
            game.step(&answers);
            shared.push(&answers, &game);
            if step % 1000 == 1 {
                count_all(&mut curves);
                let points = curves.points(0, 1);
                assert!(
                    points.len() <= MAX_KEPT && points.len() as u64 > step / 4,
                    "{step}: {}",
                    points.len()
                );
                assert_eq!((points[0].0, points.last().unwrap().0), (0, step));
                assert!(points.is_sorted_by(|a, b| a.0 < b.0));
                let nearest = curves.step_of(step / 2);
                assert!(nearest.abs_diff(step / 2) <= 4, "{nearest}");
            }
        }
    }

    #[test]
    fn late_pictures_have_less_counted_for_them() {
        let (states, answers) = states(GameId::Rezzo.kind(), 400);
        let shared = SharedStates::new(states[0].clone());
        answers.iter().zip(&states[1..]).for_each(|(answers, game)| shared.push(answers, game));
        let mut curves = Curves::new(Box::new(LiveStates::new(shared, names(&states[0]))), &[]);
        let mut now = Duration::ZERO;
        let mut counted = vec![];
        for passed in [16, 16, 16, 16, 16, 200, 200, 200, 200, 16] {
            let before = curves.states.step();
            now += Duration::from_millis(passed);
            curves.tick(now, true);
            counted.push(curves.states.step() - before);
        }
        assert_eq!(counted, [2, 3, 4, 5, 6, 3, 1, 1, 1, 2]);
    }
}
