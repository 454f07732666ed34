//! [`Bare`]: makes a game that has nothing but its rules one that the arena can play and show.

use agon_core::{
    ActionError, ActionMask, Builtin, Decision, Game, LegalActions, Meta, Param, Player, Policy,
    Progress, Rng, Seed, SetupError, Standing,
};
use agon_games::batch::{Batch, Bytes, Header, Record};
use agon_games::human::{Choice, Gesture, Hints, HumanInput, Reaction};
use agon_games::jsonl::{JsonGame, NoSetup};
use agon_games::scene::{Board, Fact, Ink, Place, PlayerLine, Render, Scene, Series};
use agon_games::{BuiltinBots, Presets, kit::KitAnswer};

use crate::broken::Broken;
use crate::toy::{Toy, ToyAnswer};

/// A game with all that the arena and the viewers need besides its rules, in the simplest form:
/// bots see nothing, the board is a place for each player, and people do nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bare<G>(pub G);

/// A game that can be [`Bare`], with its built-in bots.
pub trait BareBots: LegalActions {
    /// All built-in bots.
    const BOTS: &'static [Builtin<Bare<Self>>] = &[];

    /// Those that play when nobody names one.
    const SHOW: &'static [&'static str] = &[];
}

/// A bot of the toy game that answers at random.
struct Dice {
    sides: u8,
}

impl Policy<Bare<Toy>> for Dice {
    fn decide(&mut self, _: &u32, rng: &mut Rng) -> ToyAnswer {
        ToyAnswer(rng.below(u64::from(self.sides)) as u8)
    }
}

impl BareBots for Toy {
    const BOTS: &'static [Builtin<Bare<Toy>>] = &[Builtin {
        name: "dice",
        version: 1,
        summary: "Rolls dice.",
        params: &[Param { name: "sides", default: "100", summary: "Number of sides, 1 to 100." }],
        make: |params| Ok(Box::new(Dice { sides: params.number("sides", 1..=100)? })),
    }];
    const SHOW: &'static [&'static str] = &["dice", "dice"];
}

impl BareBots for Broken {}

impl<G: Game> Game for Bare<G> {
    const META: Meta = G::META;

    type Rules = G::Rules;
    type Position = G::Position;
    type View<'a> = G::View<'a>;
    type Answer = G::Answer;

    fn new(rules: &G::Rules, players: usize, seed: Seed) -> Result<Bare<G>, SetupError> {
        G::new(rules, players, seed).map(Bare)
    }

    fn from_position(
        rules: &G::Rules,
        seed: Seed,
        position: G::Position,
    ) -> Result<Bare<G>, SetupError> {
        G::from_position(rules, seed, position).map(Bare)
    }

    fn position(&self) -> G::Position {
        self.0.position()
    }

    fn rules(&self) -> &G::Rules {
        self.0.rules()
    }

    fn seed(&self) -> Seed {
        self.0.seed()
    }

    fn players(&self) -> usize {
        self.0.players()
    }

    fn decisions(&self) -> &[Decision] {
        self.0.decisions()
    }

    fn view(&self, decision: Decision) -> G::View<'_> {
        self.0.view(decision)
    }

    fn step(&mut self, answers: &[G::Answer]) {
        self.0.step(answers);
    }

    fn illegal(&self, decision: Decision, answer: &G::Answer) -> Option<String> {
        self.0.illegal(decision, answer)
    }

    fn random_answer(&self, decision: Decision, rng: &mut Rng) -> G::Answer {
        self.0.random_answer(decision, rng)
    }

    fn forfeit() -> G::Answer {
        G::forfeit()
    }

    fn progress(&self) -> Progress {
        self.0.progress()
    }

    fn is_out(&self, player: Player) -> bool {
        self.0.is_out(player)
    }

    fn standing(&self) -> Standing {
        self.0.standing()
    }

    fn state_hash(&self) -> u64 {
        self.0.state_hash()
    }
}

impl<G: LegalActions> LegalActions for Bare<G> {
    fn action_count(&self) -> usize {
        self.0.action_count()
    }

    fn action_name(&self, action: usize) -> String {
        self.0.action_name(action)
    }

    fn choices(&self, decision: Decision) -> usize {
        self.0.choices(decision)
    }

    fn choice_name(&self, decision: Decision, choice: usize) -> String {
        self.0.choice_name(decision, choice)
    }

    fn legal_actions(&self, decision: Decision, choice: usize, legal: &mut ActionMask) {
        self.0.legal_actions(decision, choice, legal);
    }

    fn effective_actions(&self, decision: Decision, choice: usize, effective: &mut ActionMask) {
        self.0.effective_actions(decision, choice, effective);
    }

    fn answer_of(&self, decision: Decision, actions: &[usize]) -> Result<G::Answer, ActionError> {
        self.0.answer_of(decision, actions)
    }

    fn actions_of(&self, decision: Decision, answer: &G::Answer) -> Option<Vec<usize>> {
        self.0.actions_of(decision, answer)
    }
}

/// An answer is the number of an action.
impl<G: LegalActions> Batch for Bare<G> {
    const HEADER: Header = Header {
        game: G::META.id,
        about: "",
        constants: &[],
        parts: &[],
        question: Bytes::LAYOUT,
        answer: KitAnswer::LAYOUT,
        functions: "",
    };

    const FUEL: u64 = 1_000_000;

    fn write_decisions(&self, decisions: &[Decision], out: &mut Vec<u8>) -> usize {
        decisions.iter().for_each(|_| Bytes::NONE.append(out));
        Bytes::SIZE
    }

    type AnswerRecord = KitAnswer;

    fn read_answer(
        &self,
        decision: Decision,
        record: KitAnswer,
        _: &[u8],
    ) -> (G::Answer, Option<String>) {
        match self.answer_of(decision, &[record.answer as usize]) {
            Ok(answer) => (answer, None),
            Err(error) => (G::Answer::default(), Some(error.to_string())),
        }
    }
}

impl<G: Game> JsonGame for Bare<G> {
    type Setup = NoSetup;
    type Observation<'a> = ();
    type Reply = G::Answer;

    fn setup(&self, _: Player) -> NoSetup {
        NoSetup {}
    }

    fn observe<'a>(_: &G::View<'a>)
    where
        Self: 'a,
    {
    }

    fn answer_from(reply: G::Answer) -> G::Answer {
        reply
    }

    fn reply_for(answer: G::Answer) -> Option<G::Answer> {
        Some(answer)
    }
}

impl<G: Game> Render for Bare<G> {
    const SERIES: &'static [Series<Bare<G>>] = &[];

    fn scene(&self) -> Scene {
        let inks = Player::all(self.players()).map(Ink::player);
        let lines = inks.clone().zip(self.standing().players).map(|(ink, standing)| PlayerLine {
            ink,
            score: standing.score.to_string(),
            hand: Vec::new(),
            to_move: false,
            out: false,
        });
        Scene {
            board: Board::Grid { width: self.players() as u32, height: 1, wraps: false },
            players: lines.collect(),
            cells: inks.collect(),
            marks: Vec::new(),
            pieces: Vec::new(),
            title: match self.standing().outcome {
                Some(outcome) => format!("over: {}", outcome.reason),
                None => format!("{} {}", G::META.turn_name, self.progress().turn),
            },
        }
    }

    fn inspect(&self, place: Place) -> Vec<Fact> {
        vec![Fact::new("player", place)]
    }

    fn decision_at(&self, _: Place) -> Option<Decision> {
        None
    }
}

impl<G: Game> HumanInput for Bare<G> {
    type Orders = ();

    fn orders(&self, _: Player) {}

    fn act(&self, (): &mut (), _: Gesture) -> Reaction {
        Reaction::Submitted
    }

    fn hints(&self, (): &()) -> Hints {
        let choices = vec![Choice::new(Gesture::Confirm, "do nothing")];
        Hints { message: "Press Return".to_owned(), choices, ..Hints::default() }
    }

    fn carry_out(&self, (): &(), _: Decision) -> G::Answer {
        G::Answer::default()
    }
}

impl<G: BareBots> BuiltinBots for Bare<G> {
    const BUILTINS: &'static [Builtin<Bare<G>>] = G::BOTS;
    const SHOW: &'static [&'static str] = G::SHOW;
}

impl<G: Game> Presets for Bare<G> {}
