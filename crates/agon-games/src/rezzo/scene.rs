//! The look of rezzo, for viewers and films: wires with their signals, and players' things in their
//! colours.
//!
//! A flag has its player's ink, a geyser its second one, a base a faded one; marks tell them apart
//! without colour. Agents are pieces that point where they look. Damaged cells fade, so that people
//! see a wire about to break.

use agon_core::{Decision, Game, Player};

use super::{Agent, Cell, Kind, MAX_PLAYERS, Rezzo, VIEWPORT, View, state::owner_of};
use crate::scene::{
    Arrow, Board, ColorPair, Colors, Fact, Hue, Ink, LegendEntry, Mark, Piece, Place, Render,
    Scene, Series, Shape, counted, grid_place, player_lines, thousands, title,
};

/// The strength of a base: weaker than a flag, so that flags stand out.
const BASE: u8 = 28;
/// The strength of a cell that the next hit makes blank.
const FAINTEST: u8 = 16;
/// The player's own agent in its viewport.
const OWN: Shape = Shape::Pointer(Arrow(0));

impl Render for Rezzo {
    const SERIES: &'static [Series<Rezzo>] = &[
        Series {
            id: "flags",
            title: "flags on the board",
            sample: |game, values| {
                values.extend(game.flags(game.owned()).into_iter().map(i64::from))
            },
        },
        Series {
            id: "gap",
            title: "cells between an enemy's flag and a base",
            sample: sample_gaps,
        },
    ];

    const COLORS: Colors = COLORS;

    const LEGEND: &'static [LegendEntry] = &[
        LegendEntry::piece(Shape::Pointer(Arrow(0)), Ink::player(Player(0)), "agent"),
        LegendEntry::marked(Ink::player(Player(0)), Shape::Flag, "flag"),
        LegendEntry::marked(Ink::new(Hue::PlayerSecondary(Player(0))), Shape::Ring, "geyser"),
        LegendEntry::marked(Ink::faded(Hue::Player(Player(0)), BASE), Shape::Cross, "base"),
        LegendEntry::cell(Ink::new(Hue::Wire), "wire"),
        LegendEntry::cell(Ink::new(Hue::Head), "electron"),
        LegendEntry::cell(Ink::new(Hue::Tail), "its tail"),
        LegendEntry::cell(Ink::new(Hue::Light), "photon"),
    ];

    fn scene(&self) -> Scene {
        let owned: Vec<(Place, Cell)> = self.owned().collect();
        let mut cells = self.inks(&owned);
        let marks = owned.iter().filter_map(|&(place, cell)| mark(place, cell)).collect();
        let mut pieces = Vec::new();
        for (player, agent) in self.agents() {
            let place = agent.place as Place;
            let arrow = Arrow(agent.facing as u8 * 2);
            cells[agent.place] = Ink::GROUND;
            pieces.push(Piece {
                id: player.0.into(),
                place,
                shape: Shape::Pointer(arrow),
                ink: Ink::player(player),
            });
        }
        let flags = self.flags(owned);
        let score = |player: Player| match (self.lost_in(player), flags[player.index()]) {
            (Some(tick), _) => format!("lost in tick {}", thousands(tick)),
            (None, flags) => counted(flags.into(), "flag"),
        };
        let (width, height) = (self.world.width() as u32, self.world.height() as u32);
        Scene {
            board: Board::Grid { width, height, wraps: true },
            cells,
            marks,
            pieces,
            title: title(self),
            players: player_lines(self, score),
        }
    }

    /// The 13×13 cells that a bot would see: the agent stands in the middle of the last row and
    /// looks up. It does not show where other agents look, nor the flags of other players. Without
    /// an agent, everything is hidden.
    fn scene_for(&self, player: Player) -> Scene {
        let mut scene = Scene {
            board: Board::Grid { width: VIEWPORT as u32, height: VIEWPORT as u32, wraps: false },
            cells: vec![Ink::new(Hue::Hidden); VIEWPORT * VIEWPORT],
            marks: Vec::new(),
            pieces: Vec::new(),
            title: title(self),
            players: player_lines(self, |other| match self.lost_in(other) {
                Some(tick) => format!("lost in tick {}", thousands(tick)),
                None if other == player => {
                    counted(self.flags(self.owned())[player.index()].into(), "flag")
                }
                None => String::new(),
            }),
        };
        let Some(view) = self.viewport(player) else { return scene };
        for ((forward, right), place) in View::places().zip(0..) {
            let cell = view.cell(forward, right);
            let damage = view.damage(forward, right);
            scene.cells[place as usize] = self.worn(ink(cell), damage);
            scene.marks.extend(mark(place, cell));
            if cell.kind == Kind::Agent {
                let own = (forward, right) == (0, 0);
                scene.cells[place as usize] = Ink::GROUND;
                scene.marks.retain(|mark| mark.place != place);
                scene.pieces.push(seen_agent(place, cell.owner, own));
            }
        }
        // In a small world, or one drawn by hand, an agent can appear several times. Only one piece
        // keeps the player's number; for the own player it is the true agent.
        scene.pieces.sort_by_key(|piece| (piece.id, piece.shape != OWN));
        for i in (1..scene.pieces.len()).rev() {
            if scene.pieces[i].id == scene.pieces[i - 1].id {
                scene.pieces[i].id = u32::from(MAX_PLAYERS) + scene.pieces[i].place;
            }
        }
        scene.pieces.sort_by_key(|piece| piece.id);
        scene
    }

    fn inspect(&self, place: Place) -> Vec<Fact> {
        let index = place as usize;
        let mut facts = self.cell_facts(self.world.cell(index), self.world.damage(index));
        if let Some((player, agent)) = self.agents().find(|(_, agent)| agent.place == index) {
            facts.push(Fact::new(
                "looks",
                ["north", "east", "south", "west"][agent.facing as usize],
            ));
            facts.extend(
                self.ack(player)
                    .map(|ack| Fact::new("last action", format!("{ack:?}").to_lowercase())),
            );
        }
        facts.push(Fact::new("cell", grid_place(place, self.world.width() as u32)));
        facts
    }

    /// `place` is a place of the viewport; where in the world it is stays hidden.
    fn inspect_for(&self, player: Player, place: Place) -> Vec<Fact> {
        let (forward, right) =
            View::places().nth(place as usize).expect("the viewport has 169 places");
        let Some(view) = self.viewport(player) else { return Vec::new() };
        let mut facts = self.cell_facts(view.cell(forward, right), view.damage(forward, right));
        facts.push(Fact::new("ahead", forward));
        facts.push(Fact::new("to the right", right));
        facts
    }

    /// Of those who live, the player leads whose base is nearest to an enemy's flag.
    fn leaders(&self) -> Vec<Player> {
        let leaders = self.standing().leaders();
        if leaders.len() < 2 || self.wanted().is_empty() {
            return leaders;
        }
        let mut gaps = Vec::new();
        sample_gaps(self, &mut gaps);
        let least = leaders.iter().map(|player| gaps[player.index()]).min();
        leaders.into_iter().filter(|player| Some(gaps[player.index()]) == least).collect()
    }

    fn decision_at(&self, place: Place) -> Option<Decision> {
        assert!((place as usize) < self.world.owners().len(), "the world has no place {place}");
        let (player, _) = self.agents().find(|(_, agent)| agent.place == place as usize)?;
        self.decisions().iter().copied().find(|decision| decision.player == player)
    }
}

impl Rezzo {
    /// The living players' agents, in order of player number.
    fn agents(&self) -> impl Iterator<Item = (Player, Agent)> + '_ {
        Player::all(self.players()).filter_map(|player| Some((player, self.agent(player)?)))
    }

    /// All cells that belong to players. They are few, so the search skips whole stretches at once.
    fn owned(&self) -> impl Iterator<Item = (Place, Cell)> + '_ {
        not_zero(self.world.owners()).map(|index| (index as Place, self.world.cell(index)))
    }

    fn viewport(&self, player: Player) -> Option<View<'_>> {
        Some(View::new(&self.world, self.agent(player)?, self.tick, self.ack(player)?))
    }

    /// The inks of all cells. `owned` are the cells of players. The others come from a table by
    /// kind, because a world has few kinds and many cells.
    fn inks(&self, owned: &[(Place, Cell)]) -> Vec<Ink> {
        let mut table = [Ink::GROUND; 256];
        for kind in Kind::ALL.into_iter().filter(|kind| !kind.is_owned()) {
            table[usize::from(kind.bit())] = ink(Cell { kind, owner: 0 });
        }
        let mut inks: Vec<Ink> =
            self.world.kinds().iter().map(|&kind| table[usize::from(kind)]).collect();
        for &(place, cell) in owned {
            inks[place as usize] = ink(cell);
        }
        for index in not_zero(self.world.all_damage()) {
            inks[index] = self.worn(inks[index], self.world.damage(index));
        }
        inks
    }

    /// An ink that fades with damage.
    fn worn(&self, ink: Ink, damage: u8) -> Ink {
        if damage == 0 || ink == Ink::GROUND {
            return ink;
        }
        let limit = self.rules.damage_limit;
        let left = self.rules.damage_limit.saturating_sub(damage);
        let worn = Ink::graded(ink.hue(), FAINTEST, left.into(), limit.into());
        if worn.strength() < ink.strength() { worn } else { ink }
    }

    /// The number of each player's flags.
    fn flags(&self, owned: impl IntoIterator<Item = (Place, Cell)>) -> Vec<u32> {
        let mut flags = vec![0; self.players()];
        for (_, cell) in owned.into_iter().filter(|(_, cell)| cell.kind == Kind::Flag) {
            flags[usize::from(cell.owner) - 1] += 1;
        }
        flags
    }

    fn cell_facts(&self, cell: Cell, damage: u8) -> Vec<Fact> {
        let mut facts = vec![Fact::new("kind", format!("{:?}", cell.kind).to_lowercase())];
        if cell.owner > 0 {
            facts.push(Fact::new("player", cell.owner - 1));
        }
        if damage > 0 {
            facts.push(Fact::new("damage", format!("{damage} of {}", self.rules.damage_limit)));
        }
        facts
    }

    /// The distance between two cells, where diagonal steps count as one, and across the edges if
    /// that is shorter.
    fn distance(&self, from: Place, to: Place) -> usize {
        let (x, y) = self.world.place(from as usize);
        let (to_x, to_y) = self.world.place(to as usize);
        let way = |a: usize, b: usize, size: usize| a.abs_diff(b).min(size - a.abs_diff(b));
        way(x, to_x, self.world.width()).max(way(y, to_y, self.world.height()))
    }
}

/// For each player, the fewest cells between an enemy's flag and one of its own bases; the player
/// wants to reach 0. If there is no such flag or base, it is half the longer side of the world, the
/// greatest possible distance.
fn sample_gaps(game: &Rezzo, values: &mut Vec<i64>) {
    let (flags, bases): (Vec<_>, Vec<_>) = game
        .owned()
        .filter(|(_, cell)| matches!(cell.kind, Kind::Flag | Kind::Base))
        .partition(|(_, cell)| cell.kind == Kind::Flag);
    let farthest = game.world.width().max(game.world.height()) / 2;
    values.extend(Player::all(game.players()).map(|player| {
        let own = |(_, cell): &&(Place, Cell)| cell.owner == owner_of(player);
        let enemies: Vec<Place> =
            flags.iter().filter(|flag| !own(flag)).map(|flag| flag.0).collect();
        let ways = bases
            .iter()
            .filter(own)
            .flat_map(|base| enemies.iter().map(|&flag| game.distance(flag, base.0)));
        ways.map(|way| way.saturating_sub(1)).min().unwrap_or(farthest) as i64
    }));
}

/// The indices of the bytes that are not zero.
fn not_zero(bytes: &[u8]) -> impl Iterator<Item = usize> + '_ {
    const STRETCH: usize = 64;
    let stretches = bytes.chunks(STRETCH).enumerate();
    let not_blank =
        stretches.filter(|(_, stretch)| stretch.iter().fold(0, |all, byte| all | byte) != 0);
    not_blank.flat_map(|(number, stretch)| {
        let found = stretch.iter().enumerate().filter(|(_, byte)| **byte != 0);
        found.map(move |(index, _)| number * STRETCH + index)
    })
}

/// The ink of an undamaged cell. Agents without a player that steers them exist only in worlds
/// drawn by hand; they are like walls.
fn ink(cell: Cell) -> Ink {
    let player = || Player(u16::from(cell.owner.saturating_sub(1)));
    match cell.kind {
        Kind::Blank => Ink::GROUND,
        Kind::Conductor => Ink::new(Hue::Wire),
        Kind::Electron => Ink::new(Hue::Head),
        Kind::Tail => Ink::new(Hue::Tail),
        Kind::Photon => Ink::new(Hue::Light),
        Kind::Agent | Kind::Flag => Ink::player(player()),
        Kind::Geyser => Ink::new(Hue::PlayerSecondary(player())),
        Kind::Base => Ink::faded(Hue::Player(player()), BASE),
    }
}

fn mark(place: Place, cell: Cell) -> Option<Mark> {
    let shape = match cell.kind {
        Kind::Flag => Shape::Flag,
        Kind::Geyser => Shape::Ring,
        Kind::Base => Shape::Cross,
        _ => return None,
    };
    Some(Mark { place, shape, ink: ink(cell).contrast() })
}

fn seen_agent(place: Place, owner: u8, own: bool) -> Piece {
    let player = Player(u16::from(owner) - 1);
    let shape = if own { OWN } else { Shape::Disc(80) };
    Piece { id: player.0.into(), place, shape, ink: Ink::player(player) }
}

/// Red, blue, green, orange, magenta, cyan, old rose, teal, purple, white.
const CLASSIC: [ColorPair; 10] = [
    ([255, 0, 0], [255, 115, 115]),
    ([64, 64, 255], [150, 150, 255]),
    ([0, 255, 0], [0, 148, 0]),
    ([255, 165, 0], [148, 96, 0]),
    ([255, 0, 255], [255, 115, 255]),
    ([0, 255, 255], [0, 148, 148]),
    ([163, 109, 122], [204, 175, 182]),
    ([0, 128, 128], [115, 185, 185]),
    ([128, 0, 128], [185, 115, 185]),
    ([255, 255, 255], [148, 148, 148]),
];

pub(super) const COLORS: Colors = Colors { classic: &CLASSIC, ..Colors::USUAL };

#[cfg(test)]
mod tests {
    use agon_core::Seed;

    use super::*;
    use crate::rezzo::{AgentPosition, Damage, Facing, Position, Rules};
    use crate::scene::drawing::{draw, facts};

    fn game_of(rows: &[&str], facings: [Facing; 2]) -> Rezzo {
        let agents = facings.map(|facing| AgentPosition { facing, ..AgentPosition::default() });
        let damage = vec![Damage { x: 1, y: 0, hits: 2 }];
        let rules =
            Rules { width: rows[0].len() as u32, height: rows.len() as u32, ..Rules::default() };
        let rows = rows.iter().map(|&row| row.to_owned()).collect();
        let position = Position { tick: 12, rows, agents: agents.to_vec(), damage };
        Rezzo::from_position(&rules, Seed(0), position).unwrap()
    }

    /// Player 0 in the west, with its things above it, player 1 in the east.
    fn game() -> Rezzo {
        game_of(&["..*,~   ", "AaB  on ", "0     1 ", "        "], [Facing::E, Facing::S])
    }

    #[test]
    fn wires_signals_and_what_belongs_to_players() {
        let scene = game().scene();
        assert_eq!(draw(&scene), ["--*,~...", "aAb..ba.", ">.....v.", "........"]);
        assert_eq!([0, 1, 8, 13].map(|place| scene.cells[place].strength()), [63, 39, 63, BASE]);
        let marks: Vec<_> = scene.marks.iter().map(|mark| (mark.place, mark.shape)).collect();
        let flags = [(8, Shape::Flag), (9, Shape::Ring), (10, Shape::Flag)];
        assert_eq!(marks, [&flags[..], &[(13, Shape::Cross), (14, Shape::Cross)]].concat());
        assert_eq!(
            scene.pieces.iter().map(|piece| (piece.id, piece.place)).collect::<Vec<_>>(),
            [(0, 16), (1, 22)]
        );
        assert_eq!(
            (scene.title.as_str(), scene.players[0].score.as_str()),
            ("tick 12 of 10000", "1 flag")
        );
    }

    #[test]
    fn a_cell_tells_kind_owner_damage_and_agent() {
        let game = game();
        assert_eq!(facts(&game.inspect(1)), ["kind: conductor", "damage: 2 of 4", "cell: 1, 0"]);
        let agent = ["kind: agent", "player: 1", "looks: south", "last action: ok", "cell: 6, 2"];
        assert_eq!(facts(&game.inspect(22)), agent);
        assert_eq!(game.decision_at(22), Some(Decision::new(Player(1), 0)));
        assert_eq!(game.decision_at(21), None);
    }

    /// 20×20 cells: player 0 in the south looks west, a flag and the other agent are ahead of it.
    fn wide() -> Rezzo {
        let mut rows = vec![".".to_owned() + &" ".repeat(19); 20];
        rows[10] = " ".repeat(7) + "B1.0" + &" ".repeat(9);
        let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
        let game = game_of(&rows, [Facing::W, Facing::N]);
        let position =
            Position { damage: vec![Damage { x: 9, y: 10, hits: 3 }], ..game.position() };
        Rezzo::from_position(game.rules(), Seed(0), position).unwrap()
    }

    #[test]
    fn a_player_sees_what_its_agent_sees() {
        let game = wide();
        let place = |forward: u32, right: u32| (12 - forward) * 13 + 6 + right;
        let scene = game.scene_for(Player(0));
        let lines = draw(&scene);
        assert_eq!(lines[2], "------.------", "the wire in the west lies across, ten cells ahead");
        assert_eq!(
            [9, 10, 11, 12].map(|row: usize| lines[row].as_str()),
            ["......b......", "......b......", "......-......", "......^......"]
        );
        assert_eq!(scene.pieces[0].place, place(0, 0));
        assert_eq!(scene.pieces[1].shape, Shape::Disc(80), "nobody sees where others look");
        assert_eq!(scene.cells[place(1, 0) as usize].strength(), 27);
        assert_eq!(scene.marks.len(), 1);
        assert_eq!(
            facts(&game.inspect_for(Player(0), place(1, 0)))[..2],
            ["kind: conductor", "damage: 3 of 4"]
        );
        let other = facts(&game.inspect_for(Player(0), place(2, 0)));
        assert_eq!(other, ["kind: agent", "player: 1", "ahead: 2", "to the right: 0"]);
        let scores: Vec<&str> = scene.players.iter().map(|line| line.score.as_str()).collect();
        assert_eq!(scores, ["0 flags", ""], "nobody sees the flags of others");
    }

    #[test]
    fn agents_seen_twice_are_two_pieces() {
        let scene = game().scene_for(Player(0));
        let ids: Vec<u32> = scene.pieces.iter().map(|piece| piece.id).collect();
        assert!(ids.len() > 2 && ids.is_sorted_by(|a, b| a < b), "{ids:?}");
        assert_eq!(scene.pieces[0].place, 12 * 13 + 6, "the own agent keeps its number");
    }

    #[test]
    fn whoever_lost_sees_nothing() {
        let mut game = wide();
        let answers = [super::super::Answer::Gone, super::super::Answer::Nop];
        game.step(&answers);
        let scene = game.scene_for(Player(0));
        assert!(scene.cells.iter().all(|ink| ink.hue() == Hue::Hidden));
        assert_eq!(scene.players[0].score, "lost in tick 13");
        assert_eq!(game.inspect_for(Player(0), 0), []);
    }

    #[test]
    fn bytes_that_are_not_zero_are_found_everywhere() {
        let mut bytes = [0; 200];
        let marked = [0, 63, 64, 130, 131, 199];
        marked.iter().for_each(|&index| bytes[index] = 3);
        assert_eq!(not_zero(&bytes).collect::<Vec<_>>(), marked);
    }

    #[test]
    fn gaps_are_those_between_enemy_flags_and_own_bases() {
        let values = |series: usize| {
            let mut values = Vec::new();
            (Rezzo::SERIES[series].sample)(&game(), &mut values);
            values
        };
        assert_eq!(values(0), [1, 1]);
        assert_eq!(values(1), [3, 2], "from B over four columns to n; from A around the edge to o");
    }
}
