//! The conformance kit accepts a sound game and finds every defect of the broken ones.

use agon_core::Seed;
use agon_games::any::kind_of;
use agon_games::conformance::{self, Options, Status, examine, require};
use agon_testkit::bare::Bare;
use agon_testkit::broken::{Broken, Defect};
use agon_testkit::toy::Toy;
use serde_json::json;

#[test]
fn a_sound_game_passes() {
    let game = kind_of::<Bare<Toy>>();
    require(game, &Options::tiny(game));
    let rules = json!({ "turns": 200, "counters": 2, "full": 1_000 });
    require(game, &Options { rules, players: vec![5], rounds: 20, ..Options::tiny(game) });
}

#[test]
fn every_defect_is_found_and_named() {
    let promises = [
        (Defect::NotDeterministic, "same game", "two matches with the same seed"),
        (Defect::ClonesShare, "clones", "led two clones to different states"),
        (Defect::RefusesFaults, "end", "it panicked: this game wants to be played"),
        (Defect::NeverEnds, "end", "it is not over, in turn"),
        (Defect::HashTooSmall, "hash", "the state changed, but its hash did not"),
        (Defect::HashTooLarge, "hash", "asking changes it"),
        (Defect::Forgets, "save and load", "it is another state"),
        (Defect::Unsorted, "decisions", "not sorted"),
        (Defect::EndsEarly, "standing", "the game is over: false"),
        (Defect::AnyPlayers, "players", "a match of 5 starts"),
        (Defect::LosesSeed, "save and load", "it is another state"),
        (Defect::LookChanges, "decisions", "looking at the state changes its hash"),
        (Defect::OutButPlaying, "decisions", "is out, but has to decide"),
        (Defect::CountGrows, "action names", "or their number, changed"),
        (Defect::NamesTwice, "action names", "not every action has a name of its own"),
        (Defect::NamesChange, "action names", "the names of actions, or"),
        (Defect::NothingLegal, "legal actions", "no action is legal and effective"),
        (Defect::LegalBreach, "legal actions", "ToyAnswer(4) is legal, but breaks a rule"),
        (Defect::ForbidsTooMuch, "legal actions", "ToyAnswer(2) is not legal, but breaks no rule"),
        (Defect::DirtyMasks, "legal actions", "what was in a mask before"),
        (Defect::EffectiveBreach, "legal actions", "not all effective ones are legal"),
        (Defect::UnlikeAnyOther, "legal actions", "action 3 does what no effective one does"),
        (Defect::TakesAnyList, "legal actions", "are no list of actions"),
        (Defect::LosesActions, "legal actions", "made of [1], is said to be Some([2])"),
        (Defect::ForgetsActions, "legal actions", "made of [1], is said to be None"),
    ];
    let game = kind_of::<Bare<Broken>>();
    for (defect, name, text) in promises {
        let options = Options {
            rules: json!({ "defect": defect }),
            players: vec![2],
            seeds: vec![Seed(3)],
            max_steps: 1_000,
            points: conformance::RULES,
            ..Options::tiny(game)
        };
        let points: Vec<_> = examine(game, &options).collect();
        let point = points.iter().find(|point| point.name == name).expect("there is such a point");
        let is_found = point.status == Status::Failed && point.found.contains(text);
        assert!(is_found, "{defect:?}: {points:#?}");
    }
    let last = Defect::ForgetsActions as usize;
    assert_eq!(promises.len(), last + 1, "a new defect needs a line here");
}
