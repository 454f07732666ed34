//! The `Game` implementation of [`Rezzo`]: what the referee, replays and hosts call. The rules of a
//! tick are in `state.rs`.

use agon_core::{
    Decision, Game, Meta, Outcome, Player, PlayerStanding, Progress, Rng, Seed, SetupError,
    Standing,
};

use super::{
    answer::{Action, Answer},
    cell::MAX_PLAYERS,
    position::Position,
    rules::Rules,
    state::Rezzo,
    view::View,
};

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

    use super::{
        super::{Ack, Facing, World},
        *,
    };

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
    fn a_bot_that_is_gone_loses_with_all_its_cells() {
        let mut game = game(&["0 1 2", "    ", "oBb  ", "     "], Rules::default());
        game.step(&[Answer::Nop, Answer::Gone, Answer::Nop]);
        assert_eq!(game.world().to_rows(), ["0   2", "     ", " .   ", "     "]);
        assert_eq!(game.lost_in(Player(1)), Some(1));
    }

    #[test]
    fn acks_tell_of_the_tick_before() {
        let mut game = game(&["0 1 2 3 4 5 6"], Rules::default());
        let agents = 7;
        for player in 0..agents {
            assert_eq!(game.ack(Player(player)), Some(Ack::Ok));
        }
        game.step(&[
            Answer::Nop,
            Answer::Silence,
            Answer::Hit,
            Answer::Garbage,
            Answer::Several(None),
            Answer::Several(Some(Action::TurnLeft)),
            Answer::TurnLeft,
        ]);
        let acks: Vec<u8> =
            (0..agents).map(|player| game.ack(Player(player)).unwrap().code()).collect();
        assert_eq!(acks, [0, 1, 2, 3, 4, 4, 0]);
    }

    #[test]
    fn the_first_to_act_takes_the_cell() {
        let rows = ["0 1"];
        let position = || {
            let mut position = game(&rows, Rules::default()).position();
            position.agents[0].facing = Facing::E;
            position.agents[1].facing = Facing::W;
            position
        };
        let rules = Rules { map: vec![rows[0].into()], ..Rules::default() };
        for (order, expected) in [([0, 1], " 01"), ([1, 0], "01 ")] {
            let mut game = Rezzo::from_position(&rules, Seed(1), position()).unwrap();
            game.answer_in_order(&order.map(Player), &[Answer::Advance; 2]);
            assert_eq!(game.world().to_rows(), [expected]);
        }
        let orders: Vec<_> = (0..40)
            .map(|seed| Rezzo::from_position(&rules, Seed(seed), position()).unwrap().order()[0])
            .collect();
        assert!(orders.contains(&Player(0)) && orders.contains(&Player(1)), "the seed decides");
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
        assert!(error(&["0 ?"]).contains("map: row 0, column 2"));
        assert!(
            Rezzo::new(&Rules::default(), 11, Seed(1))
                .unwrap_err()
                .to_string()
                .contains("players: 11")
        );
    }
}
