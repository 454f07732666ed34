//! Places the agents at the start of a match: each gets a start area with bases and geysers at a
//! random place, unless the map already shows the agent.

use agon_core::{Rng, SetupError};

use super::{
    agent::{Agent, Facing},
    cell::{Cell, Kind},
    world::World,
};

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

#[cfg(test)]
mod tests {
    use agon_core::{Purpose, Seed};

    use super::*;

    fn rng(seed: u64) -> Rng {
        Seed(seed).stream(Purpose::Setup, 1)
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
}
