//! Tests of observers: their order, their ways to end a match, and fan-out.

use std::sync::{Arc, Mutex};

use agon_bots::{Bot, BuiltinBot};
use agon_core::{BotInfo, Seed};
use agon_games::GameId;
use agon_match::replay::{End, Replay};
use agon_match::{
    Control, FanOut, Match, MatchError, MatchEvent, MatchOptions, Observer, ObserverError,
};

type Notes = Arc<Mutex<Vec<String>>>;

/// Notes what it sees, and ends the match at a step in one way or another.
struct Noting {
    name: &'static str,
    notes: Notes,
    stop: Option<u64>,
    fail: Option<u64>,
}

impl Noting {
    fn new(name: &'static str, notes: &Notes) -> Noting {
        Noting { name, notes: Arc::clone(notes), stop: None, fail: None }
    }
}

impl Observer for Noting {
    fn begin(&mut self, event: &MatchEvent<'_>) -> Result<Control, ObserverError> {
        let names: Vec<&str> = event.players.iter().map(|info| info.name.as_str()).collect();
        self.notes.lock().unwrap().push(format!("{} begin {}", self.name, names.join(" ")));
        Ok(Control::Continue)
    }

    fn step(&mut self, event: &MatchEvent<'_>) -> Result<Control, ObserverError> {
        self.notes.lock().unwrap().push(format!("{} {}", self.name, event.step));
        if self.fail == Some(event.step) {
            return Err("the disk is full".into());
        }
        let stop = self.stop == Some(event.step);
        Ok(if stop { Control::Stop } else { Control::Continue })
    }
}

fn the_match() -> Match {
    let cluster = GameId::Cluster.kind();
    let game = cluster.start(&serde_json::json!({ "side": 5 }), 2, Seed(1)).unwrap();
    let bot = |name: &str| {
        let bot = BuiltinBot::find(cluster, "greedy", &[]).unwrap();
        (BotInfo::new(name, "builtin"), Box::new(bot) as Box<dyn Bot>)
    };
    Match::new(game, vec![bot("rosa"), bot("tom")], MatchOptions::default()).unwrap()
}

#[test]
fn all_observers_see_all_in_order_also_when_one_stops() {
    let notes = Notes::default();
    let mut first = Noting { stop: Some(2), ..Noting::new("a", &notes) };
    let mut second = Noting::new("b", &notes);
    let mut nobody: Option<Noting> = None;
    let mut observers = FanOut::new().with(&mut first).with_some(nobody.as_mut()).with(&mut second);
    let played = the_match().run(&mut observers).unwrap();
    assert_eq!((played.result.end, played.result.steps), (End::Interrupted, 2));
    let expected = ["a begin rosa tom", "b begin rosa tom", "a 1", "b 1", "a 2", "b 2"];
    assert_eq!(*notes.lock().unwrap(), expected);
}

#[test]
fn an_observer_that_fails_ends_the_match_with_its_reason() {
    let notes = Notes::default();
    let mut failing = Noting { fail: Some(3), ..Noting::new("a", &notes) };
    let mut other = Noting::new("b", &notes);
    let mut observers = FanOut::new().with(&mut failing).with(&mut other);
    let mut file = Vec::new();
    let error = the_match().record(&mut file, &mut observers).unwrap_err();
    assert!(matches!(error, MatchError::Observer(_)), "{error}");
    assert_eq!(error.to_string(), "the disk is full");
    assert_eq!(notes.lock().unwrap().last().unwrap(), "a 3");
    // What was played by then is a whole replay all the same.
    let replay = Replay::open(file).unwrap();
    assert!(replay.verify(GameId::Cluster.kind()).is_proven());
    assert_eq!((replay.steps(), replay.result().unwrap().end), (3, End::Interrupted));
}

#[test]
fn nobody_need_watch() {
    let played = the_match().run(&mut ()).unwrap();
    assert_eq!(played.result.end, End::Over);
    assert_eq!(the_match().run(&mut FanOut::new()).unwrap().result, played.result);
}
