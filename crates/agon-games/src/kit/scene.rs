//! The picture of a game of the kit, for viewers and films: its [`Grid`], or a square per player if
//! it has none. Also what the viewer's inspector says about a square.

use agon_core::{Decision, Game, Player};

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
            players: player_lines(self, |player| self.state().score(player).to_string()),
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
            scores.extend(Player::all(game.players()).map(|player| game.state().score(player)));
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
        let has_board = grid.is_some();
        let grid = grid.unwrap_or_else(|| self.squares_of_players());
        let ink = grid.cells[place as usize];
        let mut facts = Vec::new();
        if has_board {
            facts.push(Fact::new("place", grid_place(place, grid.width)));
        }
        if let Hue::Player(player) | Hue::PlayerSecondary(player) = ink.hue() {
            facts.push(Fact::new("player", player));
        }
        if !has_board {
            facts.extend(self.position_facts());
        }
        facts
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
