//! People who play in a viewer: turns their keys and clicks into orders for the match.
//!
//! [`HumanPlayer`] is the layer over the board of a viewer in which somebody plays. It takes
//! questions from a [`PromptQueue`], shows hints on the board, and gives the person's orders back.

use std::collections::{HashSet, VecDeque};

use agon_core::Player;
use agon_games::any::{AnyGame, AnyOrders};
use agon_games::human::{ArrowKey, Choice, Gesture, Hints, Reaction};
use agon_games::scene::{Ink, Mark, Piece, Place, Scene};

use crate::{CarryOut, Input, Key, Prompt, PromptQueue, Redraw};

/// The most gestures that are kept for the next question.
const MAX_EARLY: usize = 32;

/// The first piece number for hints. No game has that many pieces.
const HINTS: u32 = 1 << 31;

/// The people at a screen. They are asked one after the other.
///
/// They compose their orders on the board. Dropping this makes them leave the match.
pub struct HumanPlayer {
    prompts: PromptQueue,
    /// The names of all players.
    names: Vec<String>,
    /// The players at this screen.
    people: Vec<Player>,
    asked: Option<Asked>,
    /// While the screen is handed over to another person: the button with which that person begins.
    cover: Option<[Choice; 1]>,
    /// The person at the screen.
    seated: Option<Player>,
    /// Where a person's cursor was last.
    cursor: Option<(Player, u32)>,
    /// The last player with a question. The board shows this player's view.
    last: Option<Player>,
    /// The reason why the last gesture was refused.
    refusal: Option<String>,
    /// Gestures before the question. In games that do not wait only the last one is kept.
    early: VecDeque<Gesture>,
    /// The gestures that the last question offered as choices.
    offered: Vec<Gesture>,
    /// Whether orders have been given since the last question.
    has_given: bool,
    /// Whether the match was over at the last check.
    is_over: bool,
}

/// A question with the orders so far.
struct Asked {
    question: Prompt,
    orders: AnyOrders,
    /// The person's gestures since the question came.
    acts: Vec<Gesture>,
    hints: Hints,
}

impl Asked {
    fn new(question: Prompt) -> Asked {
        let orders = question.game.orders(question.player);
        let hints = question.game.hints(&orders);
        Asked { question, orders, acts: vec![], hints }
    }
}

impl HumanPlayer {
    /// Makes the people who play as `people`, in a match of players with these names.
    pub fn new(prompts: PromptQueue, names: Vec<String>, people: Vec<Player>) -> HumanPlayer {
        let last = people.first().copied();
        HumanPlayer {
            prompts,
            names,
            people,
            asked: None,
            cover: None,
            seated: last,
            cursor: None,
            last,
            refusal: None,
            early: VecDeque::new(),
            offered: vec![],
            has_given: false,
            is_over: false,
        }
    }

    /// Returns the question, if it is about the state that is shown.
    fn shown(&self, game: &AnyGame) -> Option<&Asked> {
        let is_shown = |asked: &&Asked| asked.question.game == *game;
        self.asked.as_ref().filter(|asked| self.cover.is_none() && is_shown(asked))
    }

    /// Takes a question. If another person was at the screen, it is handed over first.
    fn take(&mut self, question: Prompt) {
        let player = question.player;
        let is_another = self.seated.is_some_and(|seated| seated != player);
        if is_another && question.game.has_secrets(player) {
            let begin = format!("show it to {}", self.names[player.index()]);
            self.cover = Some([Choice::new(Gesture::Confirm, begin)]);
            self.early.clear();
        }
        self.seated = Some(player);
        self.last = Some(player);
        self.offered.clear();
        let mut asked = Asked::new(question);
        if let Some((_, at)) = self.cursor.filter(|&(whose, _)| whose == player) {
            let act = Gesture::Point(at);
            let Asked { question, orders, acts, hints } = &mut asked;
            if question.game.act(orders, act) == Reaction::Changed {
                acts.push(act);
                *hints = question.game.hints(orders);
            }
        }
        self.offered.extend(asked.hints.choices.iter().map(|choice| choice.act));
        self.asked = Some(asked);
        self.has_given = false;
    }

    /// Makes a gesture, by a key, a button or a click on a place.
    ///
    /// Returns `None` if it means nothing now.
    pub(crate) fn act(&mut self, act: Gesture, game: &AnyGame) -> Option<Redraw> {
        if self.cover.take().is_some() {
            return Some(Redraw::Yes);
        }
        self.shown(game)?;
        let asked = self.asked.as_mut()?;
        let Asked { question, orders, acts, hints } = asked;
        // Even gestures without effect are kept, because a later one may depend on them.
        acts.push(act);
        match question.game.act(orders, act) {
            Reaction::Ignored => return None,
            Reaction::Refused(why) => {
                self.refusal = Some(why);
                return Some(Redraw::Yes);
            }
            Reaction::Changed => {
                *hints = question.game.hints(orders);
                self.cursor = hints.cursor.map(|at| (question.player, at));
                for choice in &hints.choices {
                    if !self.offered.contains(&choice.act) {
                        self.offered.push(choice.act);
                    }
                }
            }
            Reaction::Submitted => {
                let orders = orders.clone();
                let carry_out: CarryOut = Box::new(move |game, decision, answer| {
                    game.carry_out(&orders, decision, answer);
                });
                self.prompts.give(question.number, std::mem::take(acts), carry_out);
                self.asked = None;
                self.has_given = true;
            }
        }
        self.refusal = None;
        Some(Redraw::Yes)
    }

    /// Returns whether all players at this screen are out, while the match continues.
    fn all_are_out(&self, game: &AnyGame) -> bool {
        self.people.iter().all(|&player| game.is_out(player) == Ok(true))
    }
}

/// Adds hints as pieces, which are visible at any size.
fn add_marks(scene: &mut Scene, marks: &[Mark]) {
    let places = scene.board.places();
    let marks = marks.iter().filter(|mark| (mark.place as usize) < places);
    let piece = |(id, mark): (u32, &Mark)| Piece {
        id,
        place: mark.place,
        shape: mark.shape,
        ink: mark.ink,
    };
    scene.pieces.extend((HINTS..).zip(marks).map(piece));
}

/// Translates a key to a gesture of a person who plays.
fn act_of(key: Key) -> Option<Gesture> {
    Some(match key {
        Key::Up => Gesture::Go(ArrowKey::Up),
        Key::Right => Gesture::Go(ArrowKey::Right),
        Key::Down => Gesture::Go(ArrowKey::Down),
        Key::Left => Gesture::Go(ArrowKey::Left),
        Key::Enter => Gesture::Confirm,
        Key::Backspace => Gesture::Undo,
        Key::Escape => Gesture::Cancel,
        Key::Char(character) => Gesture::Type(character),
        _ => return None,
    })
}

/// What the viewer asks it.
impl HumanPlayer {
    /// Handles an input before the viewer does.
    ///
    /// Returns `None` to leave the input to the viewer.
    pub(crate) fn input(&mut self, input: Input, game: &AnyGame) -> Option<Redraw> {
        match input {
            Input::Key(Key::Char('q' | 'Q' | '?')) if self.cover.is_some() => None,
            Input::Key(key) => self.act(act_of(key)?, game),
            _ => None,
        }
    }

    /// Checks for changes, such as new questions. Called as often as
    /// [`App::tick`](crate::App::tick).
    pub(crate) fn tick(&mut self, game: &AnyGame) -> Redraw {
        let was_over = std::mem::replace(&mut self.is_over, self.prompts.is_over());
        let mut redraw = if was_over == self.is_over { Redraw::No } else { Redraw::Yes };
        if self.asked.as_ref().is_some_and(|asked| !self.prompts.is_open(asked.question.number)) {
            (self.asked, self.refusal, self.cover) = (None, None, None);
            redraw = Redraw::Yes;
        }
        if self.asked.is_none()
            && let Some(question) = self.prompts.question()
        {
            self.take(question);
            redraw = Redraw::Yes;
        }
        while self.shown(game).is_some()
            && let Some(act) = self.early.pop_front()
        {
            self.act(act, game);
            redraw = Redraw::Yes;
        }
        redraw
    }

    /// Adds its marks to the scene of a state.
    pub(crate) fn mark(&self, scene: &mut Scene, game: &AnyGame) {
        if let Some(asked) = self.shown(game) {
            add_marks(scene, &asked.hints.marks);
        }
    }

    /// Shows in the scene what this gesture would change, and returns whether it did: the board
    /// after it where that is certain, or else what it would choose or order, in weaker colours.
    pub(crate) fn preview(&self, act: Gesture, scene: &mut Scene, game: &AnyGame) -> bool {
        let Some(Asked { orders, hints, .. }) = self.shown(game) else { return false };
        let mut orders = orders.clone();
        match game.act(&mut orders, act) {
            Reaction::Changed => {
                let mut marks = game.hints(&orders).marks;
                let now: HashSet<&Mark> = hints.marks.iter().collect();
                for mark in marks.iter_mut().filter(|mark| !now.contains(&**mark)) {
                    mark.ink = Ink::faded(mark.ink.hue(), mark.ink.strength() / 2);
                }
                add_marks(scene, &marks);
                true
            }
            Reaction::Submitted => {
                let Some(after) = game.preview(&orders) else { return false };
                let (title, players) = (scene.title.clone(), scene.players.clone());
                *scene = Scene { title, players, ..after };
                true
            }
            Reaction::Ignored | Reaction::Refused(_) => false,
        }
    }

    /// Returns a line for the person, shown over the board's lower edge.
    pub(crate) fn text(&self, game: &AnyGame) -> Option<String> {
        let asked = self.asked.as_ref()?;
        if self.cover.is_some() {
            let name = &self.names[asked.question.player.index()];
            return Some(format!("Hand over to {name}, who then presses a key"));
        }
        let text = match (&self.refusal, self.shown(game)) {
            (_, None) => "It is your turn: End goes there",
            (Some(refusal), _) => refusal,
            (None, Some(asked)) => &asked.hints.message,
        };
        let name = &self.names[asked.question.player.index()];
        Some(if self.people.len() > 1 { format!("{name}: {text}") } else { text.to_owned() })
    }

    /// Returns the current choices. The viewer shows a button for each.
    pub(crate) fn choices(&self, game: &AnyGame) -> &[Choice] {
        match &self.cover {
            Some(button) => button,
            None => self.shown(game).map_or(&[], |asked| &asked.hints.choices),
        }
    }

    /// Returns whether the match is hidden, while one person hands the screen over to another.
    pub(crate) fn is_covered(&self) -> bool {
        self.cover.is_some()
    }

    /// Returns the player whose view the board shows; `None` to show everything.
    pub(crate) fn player(&self, game: &AnyGame) -> Option<Player> {
        self.last.filter(|_| !self.is_over && !self.all_are_out(game))
    }

    /// Handles a key before the next question, while the newest states are on their way.
    ///
    /// Returns `None` to leave the key to the viewer.
    pub(crate) fn early(&mut self, key: Key, game: &AnyGame) -> Option<Redraw> {
        if self.is_over || self.shown(game).is_some() {
            return None;
        }
        let act = act_of(key)?;
        // Letters mean something to the viewer, too: only those that the game offers are meant for
        // the next turn.
        if matches!(act, Gesture::Type(_)) && !self.offered.contains(&act) {
            return None;
        }
        if game.turn_ms().is_some() {
            self.early.clear();
        }
        if self.early.len() < MAX_EARLY {
            self.early.push_back(act);
        }
        Some(Redraw::No)
    }

    /// Returns whom the person waits for, in a sentence; `None` if the match waits for the person,
    /// or nobody plays any more.
    pub(crate) fn waiting(&self, game: &AnyGame) -> Option<String> {
        let plays = !self.is_over && !self.people.is_empty() && !self.all_are_out(game);
        if !plays || self.asked.is_some() || game.turn_ms().is_some() {
            return None;
        }
        let mut others: Vec<&str> = vec![];
        for decision in game.decisions() {
            let name = &self.names[decision.player.index()];
            if !self.people.contains(&decision.player) && !others.contains(&name.as_str()) {
                others.push(name);
            }
        }
        let whom = match others.as_slice() {
            // Games in which all decide at once have asked the others already.
            [] => "the match".to_owned(),
            [one] => (*one).to_owned(),
            [one, two] => format!("{one} and {two}"),
            [one, .., last] => format!("{one}, {} more and {last}", others.len() - 2),
        };
        let given = if self.has_given { "Your orders are given: waiting" } else { "Waiting" };
        Some(format!("{given} for {whom}"))
    }

    /// Returns the places of the person's units and of the chosen ones; none without a question.
    pub(crate) fn units(&self, game: &AnyGame) -> (&[Place], &[Place]) {
        self.shown(game).map_or((&[], &[]), |asked| (&asked.hints.units, &asked.hints.chosen))
    }

    /// Returns whether to show the newest state at once, without the states on the way.
    pub(crate) fn is_hasty(&self, game: &AnyGame) -> bool {
        game.turn_ms().is_some()
    }
}

impl Drop for HumanPlayer {
    fn drop(&mut self) {
        self.prompts.leave();
    }
}
