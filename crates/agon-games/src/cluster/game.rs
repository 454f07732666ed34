//! The `Game` implementation of [`Cluster`]: what the referee, replays and hosts call. The rules of
//! a turn are in `state.rs`.

use agon_core::{
    Decision, Fold, Game, Meta, Player, PlayerStanding, Progress, Rng, Seed, SetupError, Standing,
};

use super::{Answer, Cluster, End, Position, Rules, View, longest_runs};

impl Game for Cluster {
    const META: Meta = Meta {
        id: "cluster",
        rules_version: 1,
        min_players: 2,
        max_players: 2,
        turn_name: "turn",
        summary: "Four in a row on a hexagonal board whose gravity can be turned.",
        page: include_str!("page.md"),
    };

    type Rules = Rules;
    type Position = Position;
    type View<'a> = View<'a>;
    type Answer = Answer;

    fn new(rules: &Rules, players: usize, seed: Seed) -> Result<Cluster, SetupError> {
        rules.check(players)?;
        let mut game = Cluster::empty(rules, seed, 0);
        game.begin_turn();
        Ok(game)
    }

    fn from_position(rules: &Rules, seed: Seed, position: Position) -> Result<Cluster, SetupError> {
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
        2
    }

    fn decisions(&self) -> &[Decision] {
        if self.end.is_none() { &self.decision } else { &[] }
    }

    fn view(&self, decision: Decision) -> View<'_> {
        assert!(self.decisions().contains(&decision), "{decision:?} is not asked now");
        View::new(self, decision.player)
    }

    fn step(&mut self, answers: &[Answer]) {
        assert_eq!(answers.len(), self.decisions().len(), "one answer per decision");
        answers.iter().for_each(|answer| self.play(answer));
    }

    fn illegal(&self, _: Decision, answer: &Answer) -> Option<String> {
        self.check(answer).err().map(|error| error.to_string())
    }

    /// Draws an answer: mostly a pellet into some column, sometimes a rotation, rarely a blunder
    /// that loses the game.
    fn random_answer(&self, _: Decision, rng: &mut Rng) -> Answer {
        match rng.below(1000) {
            0 => return Answer::Forfeit,
            1 => return Answer::Place { column: rng.below(200) as u16, color: rng.below(5) as u8 },
            2 => return Answer::Rotate { cycles: rng.below(8) as u8 },
            _ => {}
        }
        let columns: Vec<_> = self.valid_columns().collect();
        match (rng.pick(&columns), rng.pick(&self.hand)) {
            (Some(&(column, _)), Some(&color)) if rng.chance(5, 6) => {
                Answer::Place { column: column as u16, color }
            }
            _ => Answer::Rotate { cycles: rng.between(1, 5) as u8 },
        }
    }

    fn progress(&self) -> Progress {
        Progress { turn: self.turn, limit: Some(self.rules.max_turns()) }
    }

    fn is_out(&self, player: Player) -> bool {
        let winner = self.end.and_then(End::winner);
        winner.is_some_and(|winner| winner != player)
    }

    /// The score is the length of the longest run.
    fn standing(&self) -> Standing {
        let runs = longest_runs(&self.board, &self.pellets);
        let player = |player: Player| {
            let run = i64::from(runs[player.index()].length);
            let measures = [
                ("run", run),
                ("pellets", self.pellets_of(player).into()),
                ("pellets_left", self.pellets_left(player).into()),
            ];
            PlayerStanding::new(run, &measures, self.is_out(player))
        };
        let rank = |player: Player| match self.end {
            Some(end) => u32::from(end.winner() == Some(player)),
            None => runs[player.index()].length,
        };
        let ranks = [rank(Player(0)), rank(Player(1))];
        Standing::ranked(Player::all(2).map(player).collect(), &ranks, self.end.map(End::outcome))
    }

    fn state_hash(&self) -> u64 {
        let mut fold = Fold::new();
        for value in
            [self.pellets.hash(), self.pellets.len() as u64, self.gravity.into(), self.turn]
        {
            fold.add(value);
        }
        self.bags.iter().for_each(|&bag| fold.add(bag.into()));
        fold.add_bytes(&self.hand);
        fold.add(self.end.map_or(0, End::code));
        fold.finish()
    }
}
