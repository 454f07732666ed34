//! The buttons for the choices of a person who plays: their keys, areas and colours.
//!
//! The person lists the choices. Here they get keys and areas, in pictures and in terminals, and
//! are painted.

use agon_games::human::{ArrowKey, Choice, Gesture};

use super::Viewer;
use super::choice_flow::{self, Item, Kind, Spot};
use super::layout::{Layout, contains};
use crate::paint::{Area, Frame, text_fit, text_width};
use crate::{ChoiceButton, Offer};

/// Returns the name of the key for a gesture.
fn key_name(act: Gesture) -> String {
    match act {
        Gesture::Type(' ') => "Space".into(),
        Gesture::Type(character) => character.to_string(),
        Gesture::Go(ArrowKey::Up) => "Up".into(),
        Gesture::Go(ArrowKey::Right) => "Right".into(),
        Gesture::Go(ArrowKey::Down) => "Down".into(),
        Gesture::Go(ArrowKey::Left) => "Left".into(),
        Gesture::Confirm => "Return".into(),
        Gesture::Undo => "Backspace".into(),
        Gesture::Cancel => "Esc".into(),
        Gesture::Pick(_) | Gesture::Point(_) | Gesture::Choose(_) => String::new(),
    }
}

/// Returns the number of rows of buttons at these places.
fn rows_of(spots: &[Spot]) -> u32 {
    spots.iter().map(|spot| spot.row + 1).max().unwrap_or(0)
}

/// Returns the button of a choice, which has no area yet.
fn as_button(choice: &Choice) -> ChoiceButton {
    let choice = choice.clone();
    ChoiceButton { area: Area::default(), key: key_name(choice.act), choice, is_more: false }
}

/// Ends the inspector above this pixel.
fn shorten(inspector: &mut Option<Area>, end: i32) {
    if let Some(area) = inspector {
        area.height = area.height.min((end - area.y).max(0) as u32);
    }
}

impl Viewer {
    pub(super) fn choices(&self) -> &[Choice] {
        let game = self.playback.game();
        self.person.as_ref().map_or(&[], |person| person.choices(game))
    }

    /// Returns the choices in words.
    pub(super) fn offers(&self) -> Vec<Offer> {
        // The buttons of other pages have no place now.
        let buttons = self.choice_buttons(&self.layout());
        let offer = |choice: &Choice| {
            let of = |button: &&ChoiceButton| !button.is_more && button.choice.act == choice.act;
            Offer {
                key: key_name(choice.act),
                label: choice.label.clone(),
                chosen: choice.chosen,
                at: buttons.iter().find(of).map(|button| button.area.center()),
            }
        };
        self.choices().iter().map(offer).collect()
    }

    /// Returns the middle of the button for the next page.
    pub(super) fn more_button(&self) -> Option<(i32, i32)> {
        let buttons = self.choice_buttons(&self.layout());
        buttons.iter().find(|button| button.is_more).map(|button| button.area.center())
    }

    /// Adds as many rows of buttons to a layout as there have been at once.
    ///
    /// So the board does not move from one choice to the next.
    pub(super) fn make_room(&self, layout: &mut Layout) {
        let height = self.choice_rows * self.row_height(layout);
        if height == 0 {
            return;
        }
        if layout.is_column && self.characters.is_some() {
            // In characters, the line of messages goes below the column as well.
            shorten(&mut layout.inspector, layout.message.y - height as i32);
            return;
        }
        layout.message.y -= height as i32;
        if !layout.is_column {
            // The hint must not lie over the units of a person who plays, so it has room as well.
            let hint = if self.characters.is_some() { 0 } else { layout.message.height };
            layout.board.height = layout.board.height.saturating_sub(height + hint).max(1);
            layout.inspector.iter_mut().for_each(|area| area.y -= height as i32);
        } else {
            shorten(&mut layout.inspector, layout.message.y);
        }
    }

    /// Counts the rows that are needed now.
    ///
    /// Buttons use at most half of the space; more of them are on further pages.
    pub(super) fn count_choice_rows(&mut self) {
        let layout = self.layout_without_choices();
        let row = self.row_height(&layout);
        let room = if layout.is_column { layout.bar.y as u32 / 2 } else { layout.board.height / 3 };
        let buttons: Vec<_> = self.pinned_first().into_iter().map(as_button).collect();
        // Two rows at least, so that a page has space for more than the pinned button.
        let most = (room / row.max(1)).max(2);
        let rows = rows_of(&self.flow(&layout, &buttons, most));
        self.choice_rows = self.choice_rows.min(most).max(rows.min(most));
        if self.choices().is_empty() {
            self.choice_page = 0;
        }
    }

    /// Returns the height of a button in the layout.
    fn button_height(&self, layout: &Layout) -> u32 {
        let height = layout.line + if self.characters.is_some() { 0 } else { layout.gap / 2 };
        if self.is_touched && self.characters.is_none() {
            height.max((super::TOUCH_TARGET * self.scale) as u32)
        } else {
            height
        }
    }

    /// Returns the distance of two rows of buttons.
    fn row_height(&self, layout: &Layout) -> u32 {
        if self.characters.is_some() {
            layout.line
        } else {
            self.button_height(layout) + layout.gap.div_ceil(2)
        }
    }

    /// Returns the width of a text.
    fn width_of(&self, text: &str, size: u32, bold: bool) -> u32 {
        if self.characters.is_some() {
            text.chars().count() as u32
        } else {
            text_width(text, size, bold)
        }
    }

    /// Returns the choices, the one that submits the orders first: it is on every page.
    fn pinned_first(&self) -> Vec<&Choice> {
        let mut choices: Vec<&Choice> = self.choices().iter().collect();
        choices.sort_by_key(|choice| choice.act != Gesture::Confirm);
        choices
    }

    /// Lays out buttons in rows, of which `most` are shown.
    fn flow(&self, layout: &Layout, buttons: &[ChoiceButton], most: u32) -> Vec<Spot> {
        let over = if layout.is_column { layout.caption.width } else { layout.board.width };
        let gap = layout.gap;
        let size = layout.text;
        let item = |ChoiceButton { key, choice, is_more, .. }: &ChoiceButton| {
            let key = self.width_of(key, size, true);
            let label = self.width_of(&choice.label, size, false);
            let swatch = if choice.ink.is_some() { size } else { 0 };
            let kind = match choice.way {
                _ if *is_more || choice.act == Gesture::Confirm => Kind::First,
                Some(way) => Kind::Way(way),
                None => Kind::Other,
            };
            Item { width: key + label + swatch + 2 * gap + size / 2, kind }
        };
        let items: Vec<Item> = buttons.iter().map(item).collect();
        choice_flow::place(&items, over, gap, most)
    }

    /// Returns the buttons of the current page with their places.
    ///
    /// If not all fit, each page has the pinned button, a button for the next page, and as many
    /// others as fit.
    fn page(&self, layout: &Layout) -> Vec<(ChoiceButton, Spot)> {
        let choices = self.pinned_first();
        let rows = self.choice_rows;
        let all: Vec<_> = choices.iter().copied().map(as_button).collect();
        let spots = self.flow(layout, &all, rows);
        if rows_of(&spots) <= rows {
            return all.into_iter().zip(spots).collect();
        }
        let (pinned, mut others): (Vec<&Choice>, Vec<&Choice>) =
            choices.into_iter().partition(|choice| choice.act == Gesture::Confirm);
        // A cross is on one page as a whole.
        others.sort_by_key(|choice| choice.way.is_none());
        let more = as_button(&Choice::new(Gesture::Cancel, "more"));
        let more = ChoiceButton { key: "…".into(), is_more: true, ..more };
        let fixed: Vec<_> = pinned.into_iter().map(as_button).chain([more]).collect();
        let page_from = |start: usize| {
            let others = others[start..].iter().copied().map(as_button);
            let buttons: Vec<_> = fixed.iter().cloned().chain(others).collect();
            let spots = self.flow(layout, &buttons, rows);
            let page = buttons.into_iter().zip(spots).filter(|(_, spot)| spot.row < rows);
            page.collect::<Vec<_>>()
        };
        let mut start = 0;
        let mut page = page_from(0);
        let mut turn = |page: &mut Vec<_>| {
            start += page.len().saturating_sub(fixed.len()).max(1);
            if start >= others.len() {
                start = 0;
            }
            *page = page_from(start);
        };
        // The first page of a list is the one with its cursor.
        let is_cursor = |choice: &Choice| choice.chosen && matches!(choice.act, Gesture::Choose(_));
        if others.iter().any(|choice| is_cursor(choice)) {
            for _ in 0..others.len() {
                if page.iter().any(|(button, _)| is_cursor(&button.choice)) {
                    break;
                }
                turn(&mut page);
            }
        }
        (0..self.choice_page).for_each(|_| turn(&mut page));
        page
    }

    pub(super) fn choice_buttons(&self, layout: &Layout) -> Vec<ChoiceButton> {
        let over = if layout.is_column { layout.caption.x } else { layout.board.x };
        let row_height = self.row_height(layout);
        let in_column = layout.is_column && self.characters.is_some();
        let end = if in_column { layout.message.y } else { layout.bar.y };
        let top = end - (self.choice_rows * row_height) as i32;
        let height = self.button_height(layout);
        let placed = |(button, Spot { row, x, width }): (ChoiceButton, Spot)| {
            let (x, y) = (over + x as i32, top + (row * row_height) as i32);
            ChoiceButton { area: Area { x, y, width, height }, ..button }
        };
        self.page(layout).into_iter().map(placed).collect()
    }

    /// Returns the gesture of the button at a pixel, or `Some(None)` for the next page of buttons.
    pub(super) fn choice_at(&self, layout: &Layout, at: (f32, f32)) -> Option<Option<Gesture>> {
        let buttons = self.choice_buttons(layout);
        let button = buttons.iter().find(|button| contains(button.area, at))?;
        Some((!button.is_more).then_some(button.choice.act))
    }

    pub(super) fn paint_choices(&self, frame: &mut Frame, layout: &Layout) {
        let theme = &self.look.colors;
        let size = layout.text;
        let gap = layout.gap;
        if !layout.is_column && self.choice_rows > 0 {
            // The band of the buttons, also where no button is now: nothing old stays there.
            let height = self.choice_rows * self.row_height(layout);
            let y = layout.bar.y - height as i32;
            frame.fill(Area { y, height, ..layout.bar }, self.look.panel());
        }
        for ChoiceButton { area, key, choice, .. } in self.choice_buttons(layout) {
            let (back, front) = if choice.chosen {
                (theme.text, theme.paper)
            } else {
                (self.look.raised(), theme.text)
            };
            frame.rounded(area, gap as f32, back, 255);
            let y = area.y + (area.height.saturating_sub(size) / 2) as i32;
            let mut x = area.x + gap as i32;
            x += frame.text(x, y, &key, size, true, front) as i32 + (size / 2) as i32;
            if let Some(ink) = choice.ink {
                let radius = size as f32 * 0.42;
                let middle = (x as f32 + radius, area.y as f32 + area.height as f32 / 2.0);
                frame.disc(middle, radius, theme.color(ink));
                let top = (middle.1 - radius) as i32;
                let swatch = Area { x, y: top, width: size * 4 / 5, height: size * 4 / 5 };
                theme.draw_pattern(frame, swatch, ink);
                x += size as i32;
            }
            let room = (area.x + area.width as i32 - gap as i32 - x).max(0) as u32;
            frame.text(x, y, &text_fit(&choice.label, size, false, room), size, false, front);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use agon_core::{Game as _, Player, Seed};
    use agon_games::any::{AnyAnswers, AnyGame};
    use agon_games::cluster::{Answer, Cluster, Rules};
    use agon_games::human::Prompter as _;

    use super::*;
    use crate::{
        App as _, Button, HumanPlayer, Input, Key, LiveStates, Notes, Prompt, PromptOutcome,
        PromptQueue, SharedStates, TextApp as _,
    };

    const SIZES: [(u32, u32); 5] = [(960, 640), (480, 640), (320, 240), (390, 760), (1920, 1080)];

    /// Asks a person for the first move while `play` uses the viewer, and returns the outcome.
    fn answer(play: impl FnOnce(&mut Viewer)) -> PromptOutcome {
        let game = AnyGame::of(game());
        let prompts = PromptQueue::default();
        let names = vec!["rosa".to_owned(), "tom".to_owned()];
        let person = HumanPlayer::new(prompts.clone(), names.clone(), vec![Player(0)]);
        let mut viewer =
            Viewer::new(LiveStates::new(SharedStates::new(game.clone()), names), Notes::default())
                .with_person(person);
        let player = Player(0);
        let decisions = game.decisions().to_vec();
        prompts.open(Prompt { number: 1, game: game.clone(), step: 0, player, decisions });
        viewer.tick(Duration::ZERO);
        play(&mut viewer);
        // Orders that have been given hold for the whole turn.
        prompts.ask(&game, 0, player, game.decisions(), Some(Duration::ZERO))
    }

    /// Makes a game in which the first player has both colours.
    fn game() -> Cluster {
        let rules = Rules { side: 4, ..Rules::default() };
        let mut games = (0..).map(|seed| Cluster::new(&rules, 2, Seed(seed)).unwrap());
        games.find(|game| game.hand() == [0, 2]).unwrap()
    }

    fn click(viewer: &mut Viewer, (x, y): (f32, f32), button: Button) {
        viewer.input(Input::Move { x, y });
        viewer.input(Input::Press(button));
        viewer.input(Input::Release(button));
    }

    fn press(viewer: &mut Viewer, key: &str) {
        let buttons = viewer.choice_buttons(&viewer.layout());
        let button =
            buttons.iter().find(|button| button.key == key).unwrap_or_else(|| panic!("no {key}"));
        click(viewer, button.area.middle(), Button::Left);
    }

    /// Checks that buttons and the hint lie on the frame, and not over the board.
    fn have_room(viewer: &Viewer, frame: Area) {
        let layout = viewer.layout();
        let Layout { board, bar, message, is_column, .. } = layout;
        assert!(is_column || board.y + board.height as i32 <= message.y, "{frame:?}: {message:?}");
        let buttons = viewer.choice_buttons(&layout);
        assert!(!buttons.is_empty());
        for (i, ChoiceButton { area, key, .. }) in buttons.iter().enumerate() {
            assert!(frame.contains(*area), "{frame:?}: {key} {area:?}");
            let others = buttons[..i].iter().map(|before| before.area).chain([board, bar]);
            for other in others {
                assert!(area.intersection(other).is_empty(), "{key} {area:?} {other:?}");
            }
        }
    }

    fn pixel_of(viewer: &Viewer, place: u32) -> (f32, f32) {
        let area = viewer.layout().board;
        let board = &viewer.playback.scene().board;
        viewer.visible.camera(board, area).pixel_of(board, place, area)
    }

    /// Drops the second pellet into a column by its button and two clicks.
    fn drop_by_clicks(viewer: &mut Viewer) {
        press(viewer, "2");
        let top = game().board().top(5, 0).into();
        for _ in 0..2 {
            let pixel = pixel_of(viewer, top);
            click(viewer, pixel, Button::Left);
        }
    }

    const DROPPED: Answer = Answer::Place { column: 5, color: 2 };

    fn answered(answer: Answer) -> PromptOutcome {
        PromptOutcome::Answers(AnyAnswers::of::<Cluster>(vec![answer]))
    }

    #[test]
    fn buttons_and_clicks_make_a_move() {
        for (width, height) in SIZES {
            let outcome = answer(|viewer| {
                viewer.paint(&mut Frame::new(width, height));
                viewer.tick(Duration::from_millis(16));
                have_room(viewer, Area { x: 0, y: 0, width, height });
                drop_by_clicks(viewer);
            });
            assert_eq!(outcome, answered(DROPPED), "{width}");
        }
    }

    #[test]
    fn keys_make_a_move_and_what_is_impossible_is_said() {
        let outcome = answer(|viewer| {
            viewer.input(Input::Key(Key::Enter));
            assert!(viewer.status().message.is_some_and(|text| text.contains("1 or 2")));
            for key in [Key::Char('1'), Key::Right, Key::Enter] {
                viewer.input(Input::Key(key));
            }
            assert_eq!(viewer.status().choices, []);
        });
        let clicked = answer(|viewer| {
            viewer.paint(&mut Frame::new(960, 640));
            for key in ["1", "Right"] {
                let offers = viewer.status().choices;
                let (x, y) = offers.iter().find(|offer| offer.key == key).unwrap().at.unwrap();
                click(viewer, (x as f32, y as f32), Button::Left);
            }
            viewer.input(Input::Key(Key::Enter));
        });
        assert_eq!(clicked, outcome);
        assert_eq!(outcome, answered(Answer::Place { column: 4, color: 0 }));
    }

    #[test]
    fn the_right_button_looks_into_a_place_and_the_board_can_be_dragged() {
        let outcome = answer(|viewer| {
            viewer.paint(&mut Frame::new(960, 640));
            let pixel = pixel_of(viewer, 3);
            click(viewer, pixel, Button::Right);
            assert_eq!(viewer.status().selected, Some(3));
            viewer.input(Input::Press(Button::Left));
            viewer.input(Input::Move { x: pixel.0 + 40.0, y: pixel.1 });
            viewer.input(Input::Release(Button::Left));
            assert!(!viewer.status().fits);
        });
        assert_eq!(outcome, PromptOutcome::TooLate);
    }

    #[test]
    fn in_characters_buttons_have_room_and_make_a_move() {
        for (columns, rows) in [(80, 24), (50, 20), (200, 50)] {
            let outcome = answer(|viewer| {
                viewer.lay_out(columns, rows);
                let layout = viewer.layout();
                let buttons = viewer.choice_buttons(&layout);
                for ChoiceButton { area, key, .. } in &buttons {
                    assert_eq!((area.y % 2, area.height), (0, 2), "{columns}x{rows}: {key}");
                    for other in [layout.board, layout.message, layout.bar] {
                        assert!(
                            area.intersection(other).is_empty(),
                            "{columns}x{rows}: {key} {area:?}"
                        );
                    }
                }
                assert_eq!(viewer.sheet().choices.len(), buttons.len());
                drop_by_clicks(viewer);
            });
            assert_eq!(outcome, answered(DROPPED), "{columns}");
        }
    }
}
