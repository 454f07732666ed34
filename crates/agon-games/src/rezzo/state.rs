//! [`Rezzo`]: the state of a match, and the rules of a tick: actions in a random order, a
//! generation of the automaton, then losses.

use agon_core::{
    Decision, Fold, Player, Purpose, QuickStreams, Rng, Seed, SetupError, error::Problems,
};

use super::{
    agent::Agent,
    answer::{Ack, Answer},
    cell::MAX_PLAYERS,
    random_map::draw_map,
    rules::Rules,
    start::place_agents,
    world::{Losers, World},
};

/// A match of rezzo. Between steps, the messages of tick [`tick`](Rezzo::tick) wait for answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rezzo {
    pub(super) rules: Rules,
    pub(super) seed: Seed,
    /// The orders of the ticks. All players see an order at once.
    orders: QuickStreams,
    pub(super) tick: u64,
    pub(super) world: World,
    pub(super) bodies: Vec<Body>,
    /// Follows from the other fields.
    decisions: Vec<Decision>,
}

/// The state of a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Body {
    Alive {
        agent: Agent,
        /// What this tick's message says about the bot's last answer.
        ack: Ack,
    },
    /// Lost in the generation that led to this tick.
    Lost(u64),
}

impl Rezzo {
    pub(super) fn set_up(rules: &Rules, players: usize, seed: Seed) -> Result<Rezzo, SetupError> {
        check_players(players)?;
        rules.check()?;
        let mut world = first_world(rules, players, seed)?;
        let agents = place_agents(&mut world, players, &mut seed.stream(Purpose::Setup, 1))?;
        let alive = |agent| Body::Alive { agent, ack: Ack::Ok };
        Ok(Rezzo::assemble(rules, seed, 0, world, agents.into_iter().map(alive).collect()))
    }

    pub(super) fn assemble(
        rules: &Rules,
        seed: Seed,
        tick: u64,
        world: World,
        bodies: Vec<Body>,
    ) -> Rezzo {
        let decisions = Vec::with_capacity(bodies.len());
        let orders = QuickStreams::new(seed, Purpose::Order);
        let mut game = Rezzo { rules: rules.clone(), seed, orders, tick, world, bodies, decisions };
        game.list_decisions();
        game
    }

    /// The current world.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The number of generations so far, which is also the number of the open messages.
    pub fn tick(&self) -> u64 {
        self.tick
    }

    /// The agent of a player, unless the player has lost.
    pub fn agent(&self, player: Player) -> Option<Agent> {
        match self.bodies[player.index()] {
            Body::Alive { agent, .. } => Some(agent),
            Body::Lost(_) => None,
        }
    }

    /// What this tick's message says to a living player about its last answer.
    pub fn ack(&self, player: Player) -> Option<Ack> {
        match self.bodies[player.index()] {
            Body::Alive { ack, .. } => Some(ack),
            Body::Lost(_) => None,
        }
    }

    /// The tick in which a player lost; `None` if it has not.
    pub fn lost_in(&self, player: Player) -> Option<u64> {
        match self.bodies[player.index()] {
            Body::Alive { .. } => None,
            Body::Lost(tick) => Some(tick),
        }
    }

    /// The players who have not lost, in order.
    pub fn living(&self) -> impl Iterator<Item = Player> + '_ {
        Player::all(self.bodies.len()).filter(|&player| self.lost_in(player).is_none())
    }

    /// The order of this tick's actions, drawn from the seed.
    pub fn order(&self) -> Vec<Player> {
        let mut order = [Player::default(); MAX_PLAYERS as usize];
        self.draw_order(&mut order, self.orders.clone().of(self.tick)).to_vec()
    }

    fn draw_order<'a>(
        &self,
        order: &'a mut [Player; MAX_PLAYERS as usize],
        mut rng: Rng,
    ) -> &'a [Player] {
        let order = &mut order[..self.decisions.len()];
        for (player, decision) in order.iter_mut().zip(&self.decisions) {
            *player = decision.player;
        }
        rng.shuffle(order);
        order
    }

    /// Plays one step with the actions in the drawn order.
    pub(super) fn answer_all(&mut self, answers: &[Answer]) {
        let mut order = [Player::default(); MAX_PLAYERS as usize];
        let rng = self.orders.of(self.tick);
        let order = self.draw_order(&mut order, rng);
        self.answer_in_order(order, answers);
    }

    /// Plays one step with the actions in a given order instead of the drawn one; `answers` as in
    /// [`agon_core::Game::step`]. For replaying recordings of other programs.
    ///
    /// # Panics
    /// If there is not one answer per decision, or `order` does not name each deciding player once.
    pub fn answer_in_order(&mut self, order: &[Player], answers: &[Answer]) {
        assert_eq!(answers.len(), self.decisions.len(), "one answer per decision");
        assert_eq!(order.len(), self.decisions.len(), "every deciding player acts once");
        let mut gone = Losers::default();
        for &player in order {
            let asked = self.decisions.binary_search(&Decision::new(player, 0));
            let answer = answers[asked.expect("only deciding players act")];
            self.act(player, answer);
            if answer == Answer::Gone {
                gone.add(owner_of(player));
            }
        }
        self.run_generation(gone);
        self.list_decisions();
    }

    fn act(&mut self, player: Player, answer: Answer) {
        let Body::Alive { agent, ack } = &mut self.bodies[player.index()] else { return };
        let limit = self.rules.damage_limit;
        let done = answer.action().is_none_or(|action| agent.act(&mut self.world, action, limit));
        *ack = match answer {
            Answer::Silence | Answer::Gone => Ack::NoMessage,
            Answer::Garbage => Ack::Garbage,
            Answer::Several(_) => Ack::Several,
            _ if done => Ack::Ok,
            _ => Ack::Invalid,
        };
    }

    /// Runs a generation and removes the players who lose; the players in `losers` lose in any
    /// case.
    fn run_generation(&mut self, mut losers: Losers) {
        losers.add_all(self.world.generation(&self.rules));
        self.tick += 1;
        if losers.is_empty() {
            return;
        }
        self.world.erase(losers);
        for (owner, body) in (1..).zip(&mut self.bodies) {
            if losers.contains(owner) {
                *body = Body::Lost(self.tick);
            }
        }
    }

    fn list_decisions(&mut self) {
        let in_time = self.tick < self.rules.last_tick();
        let mut decisions = std::mem::take(&mut self.decisions);
        decisions.clear();
        decisions.extend(self.living().map(|player| Decision::new(player, 0)));
        // The last player alive has won. A match of one player continues.
        if decisions.len() < self.bodies.len().min(2) || !in_time {
            decisions.clear();
        }
        self.decisions = decisions;
    }

    pub(super) fn wanted(&self) -> &[Decision] {
        &self.decisions
    }

    pub(super) fn folded(&self) -> u64 {
        let mut fold = Fold::new();
        fold.add(self.tick);
        fold.add(self.world.hash());
        for body in &self.bodies {
            match *body {
                Body::Alive { agent, ack } => {
                    fold.add(agent.place as u64);
                    fold.add(u64::from(ack.code()) << 8 | agent.facing as u64);
                }
                Body::Lost(tick) => {
                    fold.add(u64::MAX);
                    fold.add(tick);
                }
            }
        }
        fold.finish()
    }
}

/// The owner number of a player's cells.
pub(super) fn owner_of(player: Player) -> u8 {
    player.0 as u8 + 1
}

pub(super) fn check_players(players: usize) -> Result<(), SetupError> {
    let mut problems = Problems::new();
    problems.range("players", players, 1..=usize::from(MAX_PLAYERS));
    problems.finish()
}

/// The world before start areas are made.
fn first_world(rules: &Rules, players: usize, seed: Seed) -> Result<World, SetupError> {
    if rules.map.is_empty() {
        let (width, height) = rules.size();
        let mut world = World::new(width, height);
        draw_map(&mut world, rules, &mut seed.stream(Purpose::Setup, 0));
        return Ok(world);
    }
    let world = World::from_rows(&rules.map).map_err(|mut error| {
        error
            .problems
            .iter_mut()
            .for_each(|problem| problem.what = format!("map: {}", problem.what));
        error
    })?;
    let mut problems = Problems::new();
    world.require_owners(players, "map: ", &mut problems);
    for (owner, places) in world.agents().iter().enumerate().skip(1) {
        problems.require(places.len() < 2, "map", || {
            format!("{} agents of player {}; one is the most", places.len(), owner - 1)
        });
    }
    problems.finish().map(|()| world)
}
