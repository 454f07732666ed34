//! [`ShownGame`]: states that were sent, as a game for viewers.

use std::{any::Any, fmt, ops::Range, sync::Arc, time::Duration};

use agon_core::{
    ActionMask, BotInfo, Decision, DecodeError, Meta, ParamError, Params, Player, Progress, Seed,
    SetupError, Standing,
};
use schemars::Schema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{HUMAN, Sent};
use crate::any::answers::AnswerList;
use crate::any::{
    AnswersMut, AnyAnswers, AnyGame, AnyOrders, AnyPolicy, BuiltinInfo, DynGame, GameKind,
    PositionError, Result, SeriesInfo, Trials, wrong,
};
use crate::batch::{Header, Unusable};
use crate::human::{Gesture, Hints, Reaction};
use crate::presets::Preset;
use crate::scene::{Colors, Fact, LegendEntry, Place, Scene, Travel};
use crate::settings::SettingError;

/// Methods that all do the same.
macro_rules! methods {
    ($body:expr; $(fn $name:ident[$($receiver:tt)*]($($argument:ty),*) $(-> $result:ty)?;)*) => {
        $(
            fn $name($($receiver)*, $(_: $argument),*) $(-> $result)? {
                $body
            }
        )*
    };
}

/// What is known of the game and the match. The texts of the game are only painted, so they may
/// have hidden characters.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ShownKind {
    game: &'static str,
    summary: &'static str,
    turn_name: &'static str,
    turn_ms: Option<u32>,
    /// Name and kind of each player's bot.
    pub(super) bots: Vec<(String, String)>,
    pub(super) steps_before: u64,
    pub(super) series: Vec<SeriesInfo>,
    #[serde(deserialize_with = "crate::scene::leaked")]
    legend: &'static [LegendEntry],
    colors: Colors,
}

impl ShownKind {
    pub(super) fn of(game: &AnyGame, bots: &[BotInfo], steps_before: u64) -> ShownKind {
        let kind = game.kind();
        ShownKind {
            game: kind.meta().id,
            summary: kind.meta().summary,
            turn_name: kind.meta().turn_name,
            turn_ms: game.turn_ms(),
            bots: bots.iter().map(|bot| (bot.name.clone(), bot.kind.clone())).collect(),
            steps_before,
            series: kind.series(),
            legend: kind.legend(),
            colors: kind.colors(),
        }
    }

    /// Returns the players who are people.
    pub(super) fn people(&self) -> impl Iterator<Item = Player> {
        let players = Player::all(self.bots.len());
        players.filter(move |player| self.bots[player.index()].1 == HUMAN)
    }
}

impl GameKind for ShownKind {
    fn meta(&self) -> Meta {
        Meta {
            id: self.game,
            rules_version: 0,
            min_players: self.bots.len(),
            max_players: self.bots.len(),
            turn_name: self.turn_name,
            summary: self.summary,
            page: "",
        }
    }

    fn no_answers(&self) -> AnyAnswers {
        AnyAnswers::of_list(SentStep { after: None, memory: 0, count: 0 })
    }

    fn colors(&self) -> Colors {
        self.colors
    }

    fn legend(&self) -> &'static [LegendEntry] {
        self.legend
    }

    fn series(&self) -> Vec<SeriesInfo> {
        self.series.clone()
    }

    methods! {
        unreachable!("viewers need no rules");
        fn default_rules[&self]() -> Value;
        fn full_rules[&self](&Value) -> serde_json::Result<Value>;
        fn read_rules[&self](&str) -> serde_json::Result<Value>;
        fn set_rule[&self](&mut Value, &str, Value) -> Result<(), SettingError>;
        fn changed_rules[&self](&[&str]) -> Result<Value, SettingError>;
        fn preset_rules[&self](&str) -> Result<Value, SettingError>;
        fn rules_schema[&self]() -> Schema;
        fn presets[&self]() -> Vec<Preset>;
        fn trials[&self]() -> Trials;
        fn start[&self](&Value, usize, Seed) -> Result<AnyGame, SetupError>;
        fn start_from_json[&self](&Value, Seed, &str) -> Result<AnyGame, PositionError>;
        fn start_from_bytes[&self](&Value, Seed, &[u8]) -> Result<AnyGame, PositionError>;
        fn builtins[&self]() -> Vec<BuiltinInfo>;
        fn lineup[&self]() -> &'static [&'static str];
        fn policy[&self](&str, &Params) -> Result<Box<dyn AnyPolicy>, ParamError>;
        fn answer_times[&self]() -> (Duration, Duration);
        fn lists_legal[&self]() -> bool;
        fn message_schema[&self]() -> Value;
        fn conversation[&self]() -> [(&'static str, String); 2];
        fn header[&self]() -> Header;
        fn has_own_form[&self]() -> bool;
        fn fuel[&self]() -> u64;
    }
}

/// A state, with the hints for a person who is asked.
#[derive(Clone, Debug)]
pub(super) struct ShownGame {
    pub(super) kind: &'static ShownKind,
    pub(super) state: Arc<Sent>,
    pub(super) hints: Arc<Hints>,
}

impl ShownGame {
    pub(super) fn of(game: &AnyGame) -> Option<&ShownGame> {
        let game: &dyn Any = &*game.0;
        game.downcast_ref()
    }

    /// Returns the number of a person among the people.
    fn person(&self, player: Player) -> Option<usize> {
        self.kind.people().position(|person| person == player)
    }
}

impl DynGame for ShownGame {
    fn clone_boxed(&self) -> Box<dyn DynGame> {
        Box::new(self.clone())
    }

    fn is_same(&self, other: &dyn DynGame) -> bool {
        let other: &dyn Any = other;
        let other = other.downcast_ref::<ShownGame>();
        other.is_some_and(|other| Arc::ptr_eq(&other.state, &self.state))
    }

    fn kind(&self) -> &'static dyn GameKind {
        self.kind
    }

    fn meta(&self) -> Meta {
        self.kind.meta()
    }

    fn players(&self) -> usize {
        self.kind.bots.len()
    }

    fn progress(&self) -> Progress {
        Progress { turn: self.state.turn, limit: self.state.limit }
    }

    fn standing(&self) -> Standing {
        self.state.standing.clone()
    }

    fn decisions(&self) -> &[Decision] {
        &self.state.decisions
    }

    fn is_over(&self) -> bool {
        self.state.decisions.is_empty()
    }

    fn is_out(&self, player: Player) -> Result<bool> {
        match self.state.standing.players.get(player.index()) {
            Some(standing) => Ok(standing.out),
            None => wrong(format_args!("there is no player {player}")),
        }
    }

    fn step(&mut self, answers: &AnyAnswers) {
        let list: &dyn Any = answers.list();
        let step = list.downcast_ref::<SentStep>();
        let after = step.and_then(|step| step.after.clone());
        self.state = after.expect("what stands for answers has the next state");
    }

    fn scene(&self) -> Scene {
        self.state.scenes[0].clone()
    }

    fn scene_for(&self, player: Player) -> Result<Scene> {
        Ok(self.state.scenes[self.person(player).map_or(0, |at| at + 1)].clone())
    }

    fn seen_beside(&self, player: Player) -> Vec<Fact> {
        self.person(player).map_or_else(Vec::new, |at| self.state.beside[at].0.clone())
    }

    fn has_secrets(&self, player: Player) -> bool {
        self.person(player).is_some_and(|at| self.state.beside[at].1)
    }

    fn leaders(&self) -> Vec<Player> {
        self.state.leaders.clone()
    }

    fn sample(&self, series: usize, values: &mut Vec<i64>) {
        let players = self.kind.bots.len();
        values.extend_from_slice(&self.state.samples[series * players..][..players]);
    }

    fn orders(&self, _: Player) -> AnyOrders {
        AnyOrders::of(())
    }

    /// Leaves keys to the viewer that the hints do not offer. Any key may search a list.
    fn act(&self, _: &mut AnyOrders, gesture: Gesture) -> Reaction {
        let mut choices = self.hints.choices.iter().map(|choice| choice.act);
        let is_sent = match gesture {
            Gesture::Type(_) | Gesture::Cancel => {
                choices.any(|act| act == gesture || matches!(act, Gesture::Choose(_)))
            }
            Gesture::Point(_) => false,
            _ => true,
        };
        if is_sent { Reaction::Submitted } else { Reaction::Ignored }
    }

    fn hints(&self, _: &AnyOrders) -> Hints {
        Hints::clone(&self.hints)
    }

    fn turn_ms(&self) -> Option<u32> {
        self.kind.turn_ms
    }

    methods! {
        Default::default();
        fn failure[&self]() -> Option<String>;
        fn travels[&self](&AnyAnswers) -> Vec<Travel>;
        fn columns[&self]() -> Vec<(Place, u32)>;
        fn inspect[&self](Place) -> Vec<Fact>;
        fn inspect_for[&self](Player, Place) -> Vec<Fact>;
        fn decision_at[&self](Place) -> Option<Decision>;
        fn carry_out[&self](&AnyOrders, Decision, AnswersMut<'_>);
        fn preview[&self](&AnyOrders) -> Option<Scene>;
    }

    methods! {
        unreachable!("viewers need no rules");
        fn rules[&self]() -> Value;
        fn rules_json[&self]() -> String;
        fn seed[&self]() -> Seed;
        fn state_hash[&self]() -> u64;
        fn position_json[&self]() -> String;
        fn position_bytes[&self]() -> Result<Vec<u8>>;
        fn is_start[&self]() -> bool;
        fn breaches[&self](Range<usize>, &AnyAnswers) -> Option<(Decision, String, u64)>;
        fn scripted_answers[&self](Seed, u64) -> AnyAnswers;
        fn write_start[&self](Player, &[String], &mut Vec<u8>);
        fn write_question[&self](u64, &[Decision], &mut Vec<u8>);
        fn write_batch[&self](u64, &[Decision], &mut Vec<u8>) -> usize;
        fn room_for[&self](&[Decision]) -> usize;
        fn read_batch[&self](&[Decision], &[u8], AnswersMut<'_>, &mut dyn FnMut(usize, Unusable));
        fn observation_json[&self](Decision) -> Result<String>;
        fn set_actions[&self](Decision, &[usize], AnswersMut<'_>) -> Result<()>;
        fn actions_of[&self](Decision, &AnyAnswers, usize) -> Result<Option<Vec<usize>>>;
        fn action_names[&self]() -> Vec<String>;
        fn choice_names[&self](Decision) -> Result<Vec<String>>;
        fn legal_actions[&self](Decision) -> Result<Vec<ActionMask>>;
        fn effective_actions[&self](Decision) -> Result<Vec<ActionMask>>;
        fn illegal[&self](Decision, &AnyAnswers, usize) -> Result<Option<String>>;
        fn legal_actions_of[&self](Decision, usize, &mut ActionMask) -> Result<()>;
    }
}

/// What stands for the answers of a step: the state after it.
#[derive(Clone, Debug)]
pub(super) struct SentStep {
    pub(super) after: Option<Arc<Sent>>,
    pub(super) memory: usize,
    pub(super) count: usize,
}

impl AnswerList for SentStep {
    fn len(&self) -> usize {
        self.count
    }

    fn reset(&mut self, count: usize) {
        self.count = count;
    }

    fn part(&self, range: Range<usize>) -> Box<dyn AnswerList> {
        Box::new(SentStep { count: range.len(), ..self.clone() })
    }

    fn reply(&self, _: usize) -> Option<Value> {
        let text = &self.after.as_ref()?.answer;
        Some(serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.clone())))
    }

    fn debug(&self, _: usize) -> &dyn fmt::Debug {
        self
    }

    fn memory(&self) -> usize {
        self.memory
    }

    methods! {
        unreachable!("viewers only look at answers");
        fn encode[&self](Range<usize>, &mut Vec<u8>);
        fn decode[&mut self](u64, &mut &[u8]) -> Result<(), DecodeError>;
        fn is_equal[&self](&dyn AnswerList) -> bool;
        fn count_own[&self](Range<usize>) -> usize;
        fn json[&self](usize) -> Value;
        fn set_reply[&mut self](usize, &str) -> serde_json::Result<()>;
        fn set_json[&mut self](usize, &str) -> serde_json::Result<()>;
        fn forfeit[&mut self](Range<usize>, bool);
        fn copy_from[&mut self](usize, &dyn AnswerList);
        fn copy_one[&mut self](usize, &dyn AnswerList, usize);
    }
}
