//! [`Rezzo`]: the state of a match, and the rules of a tick: actions in a random order, a
//! generation of the automaton, then losses.

use agon_core::{
    Decision, Fold, Game, Meta, Outcome, Player, PlayerStanding, Progress, Purpose, QuickStreams,
    Rng, Seed, SetupError, Standing, error::Problems,
};

use super::agent::{Agent, MAX_PLAYERS};
use super::answer::{Ack, Action, Answer};
use super::position::{Position, View};
use super::rules::Rules;
use super::start::{draw_map, place_agents};
use super::world::{Losers, World};

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

impl Game for Rezzo {
    const META: Meta = Meta {
        id: "rezzo",
        rules_version: 2,
        min_players: 1,
        max_players: MAX_PLAYERS as usize,
        turn_name: "tick",
        summary: "Capture the flag on a cellular automaton of wires: lead an enemy's flag to your \
            base.",
        page: include_str!("page.md"),
    };

    type Rules = Rules;
    type Position = Position;
    type View<'a> = View<'a>;
    type Answer = Answer;

    fn new(rules: &Rules, players: usize, seed: Seed) -> Result<Rezzo, SetupError> {
        Rezzo::set_up(rules, players, seed)
    }

    fn from_position(rules: &Rules, seed: Seed, position: Position) -> Result<Rezzo, SetupError> {
        position.into_game(rules, seed)
    }

    fn position(&self) -> Position {
        Position::of(self)
    }

    fn rules(&self) -> &Rules {
        &self.rules
    }

    fn seed(&self) -> Seed {
        self.seed
    }

    fn players(&self) -> usize {
        self.bodies.len()
    }

    fn decisions(&self) -> &[Decision] {
        self.wanted()
    }

    fn view(&self, decision: Decision) -> View<'_> {
        let asked = self.agent(decision.player).zip(self.ack(decision.player));
        let (agent, ack) = asked.expect("only living players are asked");
        View::new(&self.world, agent, self.tick, ack)
    }

    fn step(&mut self, answers: &[Answer]) {
        self.answer_all(answers);
    }

    fn illegal(&self, _: Decision, answer: &Answer) -> Option<String> {
        answer.complaint().map(str::to_owned)
    }

    fn forfeit() -> Answer {
        Answer::Gone
    }

    fn random_answer(&self, _: Decision, rng: &mut Rng) -> Answer {
        match rng.below(5_000) {
            0 => Answer::Gone,
            1..=50 => Answer::Garbage,
            51..=100 => Answer::Several(None),
            101..=200 => Answer::Several(rng.pick(&Action::ALL).copied()),
            201..=300 => Answer::Silence,
            301..=400 => Answer::Nop,
            401..=2_200 => Answer::Advance,
            2_201..=3_000 => Answer::Build,
            3_001..=3_400 => Answer::TurnLeft,
            3_401..=3_800 => Answer::TurnRight,
            _ => Answer::Hit,
        }
    }

    fn progress(&self) -> Progress {
        let limit = self.rules.max_ticks;
        Progress { turn: self.tick, limit: (limit > 0).then_some(limit) }
    }

    fn is_out(&self, player: Player) -> bool {
        self.lost_in(player).is_some()
    }

    fn standing(&self) -> Standing {
        // The living rank before the lost, and later losses before earlier ones. A player who lost
        // in tick 5 survived four generations.
        let ranks: Vec<(bool, u64)> = Player::all(self.players())
            .map(|player| match self.lost_in(player) {
                None => (true, self.tick),
                Some(lost) => (false, lost.saturating_sub(1)),
            })
            .collect();
        let players = ranks
            .iter()
            .map(|&(alive, ticks)| {
                let ticks = i64::try_from(ticks).unwrap_or(i64::MAX);
                PlayerStanding::new(ticks, &[("alive", i64::from(alive)), ("ticks", ticks)], !alive)
            })
            .collect();
        let mut standing = Standing::ranked(players, &ranks, None);
        if self.wanted().is_empty() {
            standing.outcome = Some(self.outcome(standing.leaders()));
        }
        standing
    }

    fn state_hash(&self) -> u64 {
        self.folded()
    }
}

impl Rezzo {
    fn outcome(&self, leaders: Vec<Player>) -> Outcome {
        if self.bodies.len() > 1 {
            let reason = self.reason(&leaders);
            return Outcome::new(leaders, reason);
        }
        Outcome::alone(match self.lost_in(Player(0)) {
            None => format!("one player alone, after {} ticks", self.tick),
            Some(tick) => format!("one player alone, lost in tick {tick}"),
        })
    }

    fn reason(&self, leaders: &[Player]) -> String {
        let lost = leaders.first().and_then(|&player| self.lost_in(player));
        match (lost, leaders.len()) {
            (None, 1) => format!("last agent alive, after {} ticks", self.tick),
            (None, _) => format!("all alive after {} ticks", self.tick),
            (Some(tick), 1) => format!("lost last, in tick {tick}"),
            (Some(tick), _) => format!("the last ones lost together, in tick {tick}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use agon_core::GameExt as _;

    use super::{super::World, *};

    fn game(rows: &[&str], rules: Rules) -> Rezzo {
        let players = World::from_rows(rows)
            .unwrap()
            .agents()
            .iter()
            .filter(|places| places.len() == 1)
            .count();
        let rules = Rules { map: rows.iter().map(|&row| row.into()).collect(), ..rules };
        Rezzo::new(&rules, players, Seed(1)).unwrap()
    }

    #[test]
    fn the_last_agent_alive_wins() {
        let mut game = game(&["0   1", " Ao  "], Rules::default());
        assert_eq!(game.decisions().len(), 2);
        game.step(&[Answer::Nop; 2]);
        assert!(game.is_over());
        let standing = game.standing();
        let outcome = standing.outcome.unwrap();
        assert_eq!(
            (outcome.winners, outcome.reason.as_str()),
            (vec![Player(1)], "last agent alive, after 1 ticks")
        );
        assert_eq!((standing.players[0].score, standing.players[1].score), (0, 1));
        assert!(game.is_out(Player(0)) && !game.is_out(Player(1)));
        assert_eq!(game.world().to_rows(), ["    1", " .o  "]);
    }

    #[test]
    fn players_who_lose_together_tie() {
        let mut game = game(&["0   1", " Ao  ", "     ", " nB  "], Rules::default());
        game.step(&[Answer::Nop; 2]);
        let outcome = game.standing().outcome.unwrap();
        assert!(outcome.is_tie());
        assert_eq!(outcome.reason, "the last ones lost together, in tick 1");
    }

    #[test]
    fn the_living_tie_at_the_limit() {
        let mut game =
            game(&["0 1 2", "     ", "Ab   ", "     "], Rules { max_ticks: 2, ..Rules::default() });
        game.step(&[Answer::Nop, Answer::Gone, Answer::Nop]);
        assert_eq!(game.decisions().len(), 2);
        game.step(&[Answer::Nop; 2]);
        assert!(game.is_over());
        let standing = game.standing();
        let outcome = standing.outcome.unwrap();
        assert_eq!(outcome.winners, [Player(0), Player(2)]);
        assert_eq!(outcome.reason, "all alive after 2 ticks");
        assert_eq!(standing.players.iter().map(|p| p.place).collect::<Vec<_>>(), [1, 3, 1]);
    }

    #[test]
    fn one_player_alone_plays_to_the_limit_and_nobody_wins() {
        let rules = Rules { width: 20, height: 20, max_ticks: 5, ..Rules::default() };
        let mut game = Rezzo::new(&rules, 1, Seed(1)).unwrap();
        for _ in 0..5 {
            assert_eq!(game.decisions().len(), 1);
            game.step(&[Answer::Nop]);
        }
        assert!(game.is_over());
        let standing = game.standing();
        assert_eq!((standing.players[0].place, standing.players[0].score), (1, 5));
        let outcome = standing.outcome.unwrap();
        assert_eq!(
            (outcome.winners, &*outcome.reason),
            (vec![], "one player alone, after 5 ticks")
        );
        let mut game = Rezzo::new(&rules, 1, Seed(1)).unwrap();
        game.step(&[Answer::Gone]);
        let outcome = game.standing().outcome.expect("it is over");
        assert_eq!(
            (outcome.winners, &*outcome.reason),
            (vec![], "one player alone, lost in tick 1")
        );
    }

    #[test]
    fn maps_that_do_not_fit_are_explained() {
        let rules = |rows: &[&str]| Rules {
            map: rows.iter().map(|&r| r.into()).collect(),
            ..Rules::default()
        };
        let error = |rows: &[&str]| Rezzo::new(&rules(rows), 2, Seed(1)).unwrap_err().to_string();
        assert!(
            error(&["0 1 C"]).contains("map: row 0, column 4: 'C' belongs to player 2"),
            "{}",
            error(&["0 1 C"])
        );
        assert!(error(&["0 1 0"]).contains("2 agents of player 0"));
        // There are ten players, of whom each has some letters.
        for wrong in "?K`kmx#-\té".chars() {
            let error = error(&[format!("0 {wrong}").as_str()]);
            assert!(error.contains("map: row 0, column 2"), "{error}");
        }
        assert!(
            Rezzo::new(&Rules::default(), 11, Seed(1))
                .unwrap_err()
                .to_string()
                .contains("players: 11")
        );
    }
}
