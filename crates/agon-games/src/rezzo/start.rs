//! Places the agents at the start of a match: each gets a start area with bases and geysers at a
//! random place, unless the map already shows the agent.

use agon_core::{Rng, SetupError};

use super::agent::{Agent, Cell, Facing, Kind};
use super::{rules::Rules, world::World};

/// Start areas reach this far from the agent.
const REACH: i64 = 2;

/// Gives every player an agent: the one on the map, or one with a start area at a random place.
///
/// # Errors
/// If there is no room left.
pub(crate) fn place_agents(
    world: &mut World,
    players: usize,
    rng: &mut Rng,
) -> Result<Vec<Agent>, SetupError> {
    let drawn = world.agents();
    let mut agents = Vec::with_capacity(players);
    for owner in 1..=players as u8 {
        let facing = Facing::ALL[rng.index(4)];
        let place = match drawn[usize::from(owner)].first() {
            Some(&place) => place,
            None => start_area(world, owner, facing, rng)
                .ok_or_else(|| no_room(world, owner, players))?,
        };
        agents.push(Agent { place, facing });
    }
    Ok(agents)
}

fn no_room(world: &World, owner: u8, players: usize) -> SetupError {
    let reason = format!(
        "no start area is left for player {} of {players} on {}x{} cells: each needs 5x5 cells \
         that nobody owns; choose a larger world or fewer players",
        owner - 1,
        world.width(),
        world.height(),
    );
    SetupError::new("players", reason)
}

/// Clears a random free area and puts the agent, its bases and its geysers there. `None` if no area
/// is free.
fn start_area(world: &mut World, owner: u8, facing: Facing, rng: &mut Rng) -> Option<usize> {
    let place = *rng.pick(&free_places(world))?;
    let agent = Agent { place, facing };
    for (forward, right) in area() {
        let index = agent.seen(world, forward, right);
        world.set(index, Cell::BLANK);
        world.set_damage(index, 0);
    }
    world.set(place, Cell::owned(Kind::Agent, owner));
    for right in [-1, 1] {
        world.set(agent.seen(world, 1, right), Cell::owned(Kind::Base, owner));
        world.set(agent.seen(world, -1, right), Cell::owned(Kind::Geyser, owner));
    }
    Some(place)
}

/// The centres of all areas without an owned cell. A world smaller than an area has none.
fn free_places(world: &World) -> Vec<usize> {
    if world.width().min(world.height()) < 2 * REACH as usize + 1 {
        return Vec::new();
    }
    let mut free = vec![true; world.owners().len()];
    for (owned, _) in world.owners().iter().enumerate().filter(|(_, owner)| **owner != 0) {
        let (x, y) = world.place(owned);
        for (dy, dx) in area() {
            free[world.index(x as i64 + dx, y as i64 + dy)] = false;
        }
    }
    (0..free.len()).filter(|&index| free[index]).collect()
}

fn area() -> impl Iterator<Item = (i64, i64)> {
    (-REACH..=REACH).flat_map(|a| (-REACH..=REACH).map(move |b| (a, b)))
}

/// The eight directions.
const DIRECTIONS: [(i64, i64); 8] =
    [(0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1)];

/// Draws a random map into a blank world.
pub(crate) fn draw_map(world: &mut World, rules: &Rules, rng: &mut Rng) {
    Wires::new(world, rules).draw(rng);
    let cells = (world.width() * world.height()) as u64;
    for _ in 0..(cells / u64::from(rules.loop_area)).max(1) {
        draw_loop(world, rules, rng);
    }
}

/// Draws the wires of a map.
struct Wires<'a> {
    world: &'a mut World,
    /// Cells at which a wire met another, or itself. They stay blank, and no wire passes.
    gaps: Vec<bool>,
    /// The grid on which wires start: the distance of its points, and how many there are in a row
    /// and in a column.
    step: usize,
    columns: usize,
    rows: usize,
    /// Blank points of the grid. Without one, no wire can start.
    free: usize,
    /// Conductors still to be drawn.
    left: u64,
}

impl<'a> Wires<'a> {
    fn new(world: &'a mut World, rules: &Rules) -> Wires<'a> {
        let (width, height) = (world.width(), world.height());
        let step = rules.grid_step as usize;
        // Rounded down, so that the last point of a row is at least a whole step away from the
        // first, around the torus.
        let (columns, rows) = ((width / step).max(1), (height / step).max(1));
        Wires {
            gaps: vec![false; width * height],
            step,
            columns,
            rows,
            free: columns * rows,
            left: (width * height) as u64 / u64::from(rules.density_divisor),
            world,
        }
    }

    fn draw(mut self, rng: &mut Rng) {
        while self.left > 0 && self.free > 0 {
            let (column, row) = (rng.index(self.columns), rng.index(self.rows));
            let direction = DIRECTIONS[rng.index(DIRECTIONS.len())];
            self.draw_wire((column * self.step) as i64, (row * self.step) as i64, direction);
        }
    }

    /// Draws a wire until it meets something; that cell becomes a gap.
    fn draw_wire(&mut self, mut x: i64, mut y: i64, (dx, dy): (i64, i64)) {
        while self.left > 0 {
            let place = self.world.index(x, y);
            if self.gaps[place] || self.world.cell(place) != Cell::BLANK {
                self.gaps[place] = true;
                self.world.set(place, Cell::BLANK);
                return;
            }
            self.world.set(place, Cell::CONDUCTOR);
            self.left -= 1;
            self.free -= usize::from(self.is_start(place));
            (x, y) = (x + dx, y + dy);
        }
    }

    fn is_start(&self, place: usize) -> bool {
        let (x, y) = self.world.place(place);
        let on_grid = x % self.step == 0 && y % self.step == 0;
        on_grid && x / self.step < self.columns && y / self.step < self.rows
    }
}

/// Blanks a rectangle and a margin of one cell around it, and draws its outline without the
/// corners, with an electron and its tail that run clockwise.
fn draw_loop(world: &mut World, rules: &Rules, rng: &mut Rng) {
    let (left, top) = (rng.index(world.width()) as i64, rng.index(world.height()) as i64);
    let mut side = || rng.between(i64::from(rules.loop_min), i64::from(rules.loop_max));
    let (width, height) = (side(), side());
    let (right, bottom) = (left + width - 1, top + height - 1);
    let mut set = |x: i64, y: i64, cell| world.set(world.index(x, y), cell);
    for y in top - 1..=bottom + 1 {
        (left - 1..=right + 1).for_each(|x| set(x, y, Cell::BLANK));
    }
    for x in left + 1..right {
        set(x, top, Cell::CONDUCTOR);
        set(x, bottom, Cell::CONDUCTOR);
    }
    for y in top + 1..bottom {
        set(left, y, Cell::CONDUCTOR);
        set(right, y, Cell::CONDUCTOR);
    }
    set(left, top + 1, Cell { kind: Kind::Tail, owner: 0 });
    set(left + 1, top, Cell { kind: Kind::Electron, owner: 0 });
}

#[cfg(test)]
mod tests {
    use agon_core::{Purpose, Seed};

    use super::*;

    fn rng(seed: u64) -> Rng {
        Seed(seed).stream(Purpose::Setup, 1)
    }

    fn drawn(rules: &Rules, seed: u64) -> World {
        let (width, height) = rules.size();
        let mut world = World::new(width, height);
        draw_map(&mut world, rules, &mut Seed(seed).stream(Purpose::Setup, 0));
        world
    }

    #[test]
    fn areas_never_hold_cells_of_others() {
        for seed in 0..50 {
            let mut world = World::new(30, 20);
            let agents = place_agents(&mut world, 4, &mut rng(seed)).unwrap();
            for (owner, agent) in (1..).zip(&agents) {
                let owners = area().map(|(f, r)| world.owners()[agent.seen(&world, f, r)]);
                assert!(owners.into_iter().all(|o| o == 0 || o == owner));
            }
            let owned = world.owners().iter().filter(|&&o| o != 0).count();
            assert_eq!(owned, 4 * 5, "an agent, two bases and two geysers each");
        }
    }

    #[test]
    fn a_full_world_is_a_clear_error() {
        let error = place_agents(&mut World::new(5, 6), 2, &mut rng(1)).unwrap_err().to_string();
        assert!(error.contains("no start area is left for player 1 of 2 on 5x6 cells"), "{error}");
        assert!(place_agents(&mut World::new(4, 40), 2, &mut rng(1)).is_err());
    }

    #[test]
    fn the_last_free_place_is_found() {
        let mut world = World::new(5, 40);
        for index in 0..200 {
            // Everything owned but rows 30 to 34.
            if !(150..175).contains(&index) {
                world.set(index, Cell::owned(Kind::Base, 2));
            }
        }
        let agents = place_agents(&mut world, 1, &mut rng(9)).unwrap();
        assert_eq!(world.place(agents[0].place).1, 32);
    }

    #[test]
    fn agents_on_the_map_stay() {
        let mut world = World::from_rows([" 1        "; 1].map(|row| row.to_owned())).unwrap();
        assert!(place_agents(&mut world, 2, &mut rng(1)).is_err(), "no room for the other one");
        let mut rows = vec![" ".repeat(12); 12];
        rows[3] = "  1         ".into();
        let mut world = World::from_rows(rows).unwrap();
        assert_eq!(place_agents(&mut world, 2, &mut rng(1)).unwrap()[1].place, 3 * 12 + 2);
    }

    #[test]
    fn any_settings_within_their_ranges_give_a_map() {
        let tiny = Rules { width: 1, height: 1, density_divisor: 1, ..Rules::default() };
        assert_eq!(drawn(&tiny, 3).kinds(), [Kind::Electron.bit()]);
        let dense =
            Rules { width: 9, height: 7, density_divisor: 1, grid_step: 256, ..Rules::default() };
        assert!(drawn(&dense, 3).kinds().contains(&Kind::Conductor.bit()));
        for (width, height) in
            [(1, 1), (1, 40), (2, 2), (3, 5), (4, 4), (7, 4), (5, 11), (37, 29), (1, 4096)]
        {
            for (density_divisor, grid_step) in [(1, 1), (1, 4), (2, 3), (8, 4), (8, 256)] {
                for seed in 0..20 {
                    let rules =
                        Rules { width, height, density_divisor, grid_step, ..Rules::default() };
                    drawn(&rules, seed);
                }
            }
        }
    }

    #[test]
    fn the_largest_dense_map_is_drawn_in_no_time() {
        let rules = Rules { width: 2048, height: 2048, density_divisor: 1, ..Rules::default() };
        drawn(&rules, 1);
    }
}
