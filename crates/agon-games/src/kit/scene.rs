//! The picture of a game of the kit, for viewers and films: its [`Grid`], or a square per player if
//! it has none. Also what the viewer's inspector says about a square.

use agon_core::{Decision, Game, Player};
use serde_json::Value;

use super::{Grid, Kit, SmallGame};
use crate::scene::{
    Board, Fact, Hue, Ink, Place, Render, Scene, Series, grid_place, player_lines, title,
};

impl<S: SmallGame> Kit<S> {
    fn draw(&self, grid: Option<Grid>) -> Scene {
        let grid = grid.unwrap_or_else(|| self.squares_of_players());
        let Grid { width, height, wraps, cells, mut marks } = grid;
        marks.sort_by_key(|mark| mark.place);
        Scene {
            board: Board::Grid { width, height, wraps },
            cells,
            marks,
            pieces: Vec::new(),
            title: title(self),
            players: player_lines(self, |player| {
                self.state().score(self.rules(), player).to_string()
            }),
        }
    }

    /// For games without a board: a square for each player.
    fn squares_of_players(&self) -> Grid {
        let mut grid = Grid::new(u32::try_from(self.players()).expect("players are few"), 1);
        for player in Player::all(self.players()) {
            grid.fill(player.0.into(), 0, Ink::player(player));
        }
        grid
    }

    /// What the picture shows of a place.
    fn place_facts(&self, grid: Option<Grid>, place: Place) -> Vec<Fact> {
        let has_board = grid.is_some();
        let grid = grid.unwrap_or_else(|| self.squares_of_players());
        let mut facts = Vec::new();
        if has_board {
            facts.push(Fact::new("place", grid_place(place, grid.width)));
        }
        let hue = grid.cells[place as usize].hue();
        if let Hue::Player(player) | Hue::PlayerSecondary(player) = hue {
            facts.push(Fact::new("player", player));
        }
        facts
    }

    /// What the open decisions of a player see.
    fn views(&self, player: Player) -> impl Iterator<Item = (Decision, Value)> {
        let own = self.decisions().iter().filter(move |decision| decision.player == player);
        own.map(|&decision| {
            let view = self.state().view(self.rules(), decision);
            (decision, serde_json::to_value(view).expect("views survive JSON"))
        })
    }

    /// What the open decisions of a player see, in words.
    fn view_facts(&self, player: Player) -> Vec<Fact> {
        let mut facts = Vec::new();
        let units = self.views(player).count();
        for (decision, view) in self.views(player) {
            if units > 1 {
                facts.push(Fact::new("unit", decision.unit));
            }
            facts.extend(self::facts(&view, S::LABELS));
        }
        facts
    }

    /// The position as JSON, a fact per line.
    fn position_facts(&self) -> Vec<Fact> {
        let text = serde_json::to_string_pretty(self.state()).expect("positions survive JSON");
        text.lines().map(|line| Fact::new("position", line)).collect()
    }
}

impl<S: SmallGame> Render for Kit<S> {
    const SERIES: &'static [Series<Kit<S>>] = &[Series {
        id: "score",
        title: "score",
        sample: |game, scores| {
            let score = |player| game.state().score(game.rules(), player);
            scores.extend(Player::all(game.players()).map(score));
        },
    }];

    fn scene(&self) -> Scene {
        self.draw(self.state().grid(self.rules()))
    }

    fn scene_for(&self, player: Player) -> Scene {
        self.draw(self.state().grid_for(self.rules(), player))
    }

    fn inspect(&self, place: Place) -> Vec<Fact> {
        let grid = self.state().grid(self.rules());
        let beside = if grid.is_none() { self.position_facts() } else { Vec::new() };
        self.place_facts(grid, place).into_iter().chain(beside).collect()
    }

    /// What the player's bot would get, and nothing else of the position.
    fn inspect_for(&self, player: Player, place: Place) -> Vec<Fact> {
        let grid = self.state().grid_for(self.rules(), player);
        self.place_facts(grid, place).into_iter().chain(self.view_facts(player)).collect()
    }

    /// The view, where no board shows it.
    fn seen_beside(&self, player: Player) -> Vec<Fact> {
        match self.state().grid_for(self.rules(), player) {
            Some(_) => Vec::new(),
            None => self.view_facts(player),
        }
    }

    /// Whether a view is not simply the position.
    fn has_secrets(&self, player: Player) -> bool {
        let position = serde_json::to_value(self.state()).expect("positions survive JSON");
        self.views(player).any(|(_, view)| view != position)
    }

    /// The decision of the player whose colour the place has, if it has only one.
    fn decision_at(&self, place: Place) -> Option<Decision> {
        let ink = Render::scene(self).cells[place as usize];
        let Hue::Player(player) = ink.hue() else { return None };
        let mut own = self.decisions().iter().filter(|decision| decision.player == player);
        let decision = own.next().copied();
        decision.filter(|_| own.next().is_none())
    }
}

/// See [`SmallGame::LABELS`](super::SmallGame::LABELS).
type Labels = &'static [(&'static str, &'static str)];

/// Returns an answer, or a part of a view, as a line.
pub(super) fn line(value: &Value, labels: Labels) -> String {
    match value {
        Value::String(word) => name(word, labels),
        other => text(other, labels),
    }
}

/// Returns a view as facts: one for each field, and one for each object or list in a list.
pub(super) fn facts(view: &Value, labels: Labels) -> Vec<Fact> {
    let Value::Object(fields) = view else {
        return vec![Fact::new("you see", text(view, labels))];
    };
    let mut facts = Vec::new();
    for (key, value) in fields {
        let name = name(key, labels);
        match value {
            Value::Array(items) if items.iter().any(|item| item.is_object() || item.is_array()) => {
                for (number, item) in items.iter().enumerate() {
                    facts.push(Fact::new(format!("{name} {number}"), text(item, labels)));
                }
            }
            _ => facts.push(Fact::new(name, text(value, labels))),
        }
    }
    facts
}

fn text(value: &Value, labels: Labels) -> String {
    let joined = |parts: Vec<String>| parts.join(", ");
    match value {
        Value::Null => "none".to_owned(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => label(text, labels).unwrap_or(text).to_owned(),
        Value::Array(items) => joined(items.iter().map(|item| text(item, labels)).collect()),
        Value::Object(fields) => {
            let field = |(key, value): (&String, &Value)| {
                let between = if value.is_object() { ": " } else { " " };
                format!("{}{between}{}", name(key, labels), text(value, labels))
            };
            joined(fields.iter().map(field).collect())
        }
    }
}

fn label(name: &str, labels: Labels) -> Option<&'static str> {
    labels.iter().find(|(known, _)| *known == name).map(|(_, label)| *label)
}

/// Returns the label of a name, or else its words: `my_dice`, `MY_DICE` and `MyDice` are "my dice".
fn name(name: &str, labels: Labels) -> String {
    if let Some(label) = label(name, labels) {
        return label.to_owned();
    }
    let mut words = String::new();
    let mut was_small = false;
    for letter in name.chars() {
        if letter.is_uppercase() && was_small {
            words.push(' ');
        }
        was_small = letter.is_lowercase() || letter.is_numeric();
        words.push(if letter == '_' { ' ' } else { letter.to_ascii_lowercase() });
    }
    words
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const LABELS: Labels = &[("LIAR", "call the last bid a lie"), ("own", "your dice")];

    #[test]
    fn answers_are_read_without_braces() {
        let lines = [
            (json!("LIAR"), "call the last bid a lie"),
            (json!("TURN_LEFT"), "turn left"),
            (json!("TurnLeft"), "turn left"),
            (json!({"BONUS": 7}), "bonus 7"),
            (json!({"Bid": {"count": 3, "face": 5}}), "bid: count 3, face 5"),
            (json!({"x": 1, "to": null}), "x 1, to none"),
            (json!([3, "KQ"]), "3, KQ"),
        ];
        for (answer, expected) in lines {
            assert_eq!(line(&answer, LABELS), expected);
        }
    }

    #[test]
    fn views_are_facts_with_labels() {
        let view = json!({
            "own": [1, 3, 5],
            "players": [{"dice": 3, "is_out": false}, {"dice": 0, "is_out": true}],
        });
        let facts: Vec<String> = facts(&view, LABELS)
            .iter()
            .map(|fact| format!("{}: {}", fact.name, fact.value))
            .collect();
        let expected =
            ["your dice: 1, 3, 5", "players 0: dice 3, is out no", "players 1: dice 0, is out yes"];
        assert_eq!(facts, expected);
    }
}
