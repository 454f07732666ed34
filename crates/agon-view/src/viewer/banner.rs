//! What the viewer says: the result of a match, in a banner over the board at its end and in lines
//! beside the board; the line for the person; and the description of the picture for shells.
//!
//! `Viewer::paint` calls it. A click on the banner closes it until the match ends again.

use super::layout::{Layout, contains};
use super::{Viewer, notes::ResultText, painting::wrapped};
use crate::Status;
use crate::paint::{Area, Frame, text_fit, text_width};

/// The fewest lines of a board over which there is a banner.
const LEAST_LINES: u32 = 8;

/// Lines of the reason in the banner, and of the result beside the board.
const MAX_LINES: usize = 2;

/// A line of the banner.
struct BannerLine {
    text: String,
    size: u32,
    is_bold: bool,
}

impl BannerLine {
    fn height(&self) -> u32 {
        self.size * 5 / 4
    }
}

/// What a person can do when a match is over.
pub(super) const OFFER: &str = "r: rematch";

impl Viewer {
    /// Returns the result, once it is known.
    ///
    /// A replay tells it from the start, if nobody plays.
    pub(super) fn result(&self) -> Option<ResultText> {
        let names = self.playback.players();
        let known = self.playback.eyes.is_none();
        let shown = || self.shown_result.as_ref()?.1.clone();
        let stopped = || (self.was_live && !self.playback.is_live()).then(|| self.unfinished());
        known.then(|| self.notes.result(names)).flatten().or_else(shown).or_else(stopped)
    }

    /// Returns the result of a match that ended before the rules ended it.
    fn unfinished(&self) -> ResultText {
        let name = self.playback.game().meta().turn_name;
        let turn = self.playback.turn();
        let headline = format!("Ended after {name} {turn}, without a winner");
        let reason = "the match was stopped, or was not to be longer".to_owned();
        ResultText { headline, reason, winner: None }
    }

    /// Notes the result that the state shows.
    ///
    /// A standing may look at the whole board, which is too slow for every picture.
    pub(super) fn note_result(&mut self) {
        let step = self.playback.step();
        let game = self.playback.game();
        let is_over = game.decisions().is_empty();
        if self
            .shown_result
            .as_ref()
            .is_some_and(|(at, result)| *at == step && result.is_some() == is_over)
        {
            return;
        }
        let outcome = is_over.then(|| game.standing().outcome).flatten();
        let names = self.playback.players();
        self.shown_result = Some((step, outcome.map(|outcome| ResultText::of(&outcome, names))));
    }

    /// Returns the result for the banner: at the end, until somebody closes it.
    pub(super) fn banner(&self) -> Option<ResultText> {
        let is_due = self.playback.is_at_end() && self.playback.trouble().is_none();
        if !is_due || self.is_banner_closed || !self.has_panels() {
            return None;
        }
        self.result()
    }

    /// Returns the area of the banner and its lines.
    fn banner_lines(&self, layout: &Layout) -> Option<(Area, Vec<BannerLine>)> {
        let board = layout.board;
        if board.height < LEAST_LINES * layout.line {
            return None;
        }
        let result = self.banner()?;
        let room = board.width.saturating_sub(6 * layout.gap);
        let large = layout.text * 3 / 2;
        let text = text_fit(&result.headline, large, true, room).into_owned();
        let columns = (room / text_width("x", layout.text, false).max(1)) as usize;
        let mut lines = vec![BannerLine { text, size: large, is_bold: true }];
        let reason = shortened(wrapped(&result.reason, columns), columns);
        let line = |text| BannerLine { text, size: layout.text, is_bold: false };
        lines.extend(reason.into_iter().map(line));
        lines.extend(self.offers_rematch().then(|| line(OFFER.to_owned())));
        let wide =
            lines.iter().map(|line| text_width(&line.text, line.size, line.is_bold)).max()?;
        let width = (wide + 4 * layout.gap).min(board.width);
        let height = lines.iter().map(BannerLine::height).sum::<u32>() + 2 * layout.gap;
        let x = board.x + (board.width.saturating_sub(width) / 2) as i32;
        let area = Area { x, y: board.y + layout.gap as i32, width, height };
        Some((area, lines))
    }

    /// Returns whether there is a banner in this layout.
    pub(super) fn shows_banner(&self, layout: &Layout) -> bool {
        self.banner_lines(layout).is_some()
    }

    pub(super) fn paint_banner(&self, frame: &mut Frame, layout: &Layout) {
        let Some((area, lines)) = self.banner_lines(layout) else { return };
        let theme = &self.look.colors;
        let radius = layout.gap as f32;
        frame.rounded(area, radius, self.look.panel(), 240);
        let winner = self.result().and_then(|result| result.winner);
        if let Some(ink) = winner.and_then(|winner| self.ink_of(winner)) {
            let stripe = Area { width: (layout.gap * 3 / 4).max(3), ..area };
            frame.rounded(stripe, radius / 2.0, theme.color(ink), 255);
        }
        let mut y = area.y + layout.gap as i32;
        for line in lines {
            let place = Area { y, height: line.height(), ..area };
            let BannerLine { text, size, is_bold } = &line;
            self.look.centered(frame, place, text, *size, *is_bold, theme.text);
            y += place.height as i32;
        }
    }

    /// Closes the banner if the pointer is on it. Its last line may offer another match.
    pub(super) fn press_banner(&mut self, layout: &Layout) -> bool {
        let at = self.pointer.at;
        let Some((area, lines)) = self.banner_lines(layout) else { return false };
        if !contains(area, at) {
            return false;
        }
        let last = lines.last().map_or(0, BannerLine::height) + layout.gap;
        let is_offer = at.1 >= area.y as f32 + area.height.saturating_sub(last) as f32;
        if is_offer && self.offers_rematch() {
            self.ask_for_rematch();
        }
        self.is_banner_closed = true;
        true
    }

    /// Returns the lines of the result beside the board, for this many columns.
    pub(super) fn result_lines(&self, columns: usize) -> Vec<String> {
        let Some(result) = self.result() else { return vec![] };
        let text = format!("{}: {}", result.headline, result.reason);
        shortened(wrapped(&text, columns), columns)
    }

    pub(super) fn paint_result(&self, frame: &mut Frame, layout: &Layout) {
        let Some(area) = layout.result else { return };
        frame.fill(area, self.look.panel());
        let inner = Area { height: area.height + layout.gap, ..area }.inset(layout.gap);
        let columns = (inner.width / text_width("x", layout.text, false).max(1)) as usize;
        let mut y = area.y;
        for line in self.result_lines(columns) {
            let fits = y + layout.line as i32 <= area.y + area.height as i32;
            if fits {
                let text = text_fit(&line, layout.text, false, inner.width);
                frame.text(inner.x, y, &text, layout.text, false, self.look.colors.text);
            }
            y += layout.line as i32;
        }
    }

    pub(super) fn describe(&self) -> Status {
        let banner = self.banner().map(|result| format!("{}: {}", result.headline, result.reason));
        Status {
            players: self.playback.players().to_vec(),
            step: self.playback.step(),
            steps: self.playback.steps(),
            turn: self.playback.turn(),
            playing: self.playback.playing,
            following: self.playback.following,
            live: self.playback.is_live(),
            speed: self.playback.speed.to_string(),
            theme: self.look.name.to_string(),
            fits: self.visible.chosen.is_none(),
            selected: self.inspector.selected,
            inspector: self.inspector.text(),
            help: self.shows_help,
            trouble: self.playback.trouble().map(str::to_owned),
            message: self.message(),
            choices: self.offers(),
            more: self.more_button(),
            chart: self.charts.status(),
            curves: self.charts.turns_beside(),
            banner,
            events: self.listed_events(&self.layout()),
            all_events: self.events().len() as u64,
            faults: self.notes.faults.len() as u64,
            reports: self.inspector.reports(),
            followed: self.followed_piece().map(|piece| piece.place),
            numbers: self.numbers.name().to_owned(),
        }
    }

    /// Returns the line for the person: what a person who plays is told first, then problems, then
    /// the result.
    pub(super) fn message(&self) -> Option<String> {
        let outcome = || {
            let game = self.playback.game();
            // A standing may look at the whole board, which is too slow for every picture.
            let outcome = game.decisions().is_empty().then(|| game.standing().outcome).flatten()?;
            Some(outcome.sentence(|player| &self.playback.players()[player.index()]))
        };
        let told = self.urgent_message().or_else(outcome);
        if !self.offers_rematch() {
            return told;
        }
        Some(told.map_or(OFFER.to_owned(), |told| format!("{told} \u{b7} {OFFER}")))
    }

    /// Returns the same without the result of the match.
    pub(super) fn urgent_message(&self) -> Option<String> {
        if self.asks_to_leave {
            return Some("q again ends the match; any other key goes on".to_owned());
        }
        let game = self.playback.game();
        // A person who is about to see the state of the line needs no hint about its place.
        let is_told = !self.playback.following || !self.choices().is_empty();
        let told = self.person.as_ref().filter(|_| is_told).and_then(|person| person.text(game));
        let waiting = || {
            let follows = self.playback.following && !is_told;
            self.person.as_ref().filter(|_| follows).and_then(|person| person.waiting(game))
        };
        let trouble = || {
            self.playback
                .trouble()
                .map(|trouble| format!("shown up to step {}: {trouble}", self.playback.steps()))
        };
        let warning = || self.notes.warning.clone().filter(|_| self.playback.is_at_end());
        let chart = || {
            let cannot = self.charts.is_open() && self.characters.is_some();
            cannot.then(|| {
                "Charts need pixels: a window, a page, or `agon replay chart`; c goes on".to_owned()
            })
        };
        told.or_else(waiting).or_else(chart).or_else(trouble).or_else(warning)
    }
}

/// Keeps the first lines; the last one says that there was more.
fn shortened(mut lines: Vec<String>, columns: usize) -> Vec<String> {
    if lines.len() > MAX_LINES {
        lines.truncate(MAX_LINES);
        if let Some(last) = lines.last_mut() {
            let kept: String = last.chars().take(columns.saturating_sub(1)).collect();
            *last = kept.trim_end().to_owned() + "…";
        }
    }
    lines
}
