//! The conformance kit accepts a sound game and finds every defect of the broken ones.

use agon_core::Seed;
use agon_testkit::{
    broken::{self, Broken},
    conformance::{check, find_violation},
    toy::{Toy, ToyRules},
};

#[test]
fn a_sound_game_passes() {
    check::<Toy>(&ToyRules::default(), 1, 0..3, 1_000);
    check::<Toy>(&ToyRules { turns: 200, counters: 2, full: 1_000 }, 5, 0..3, 1_000);
}

fn promise_broken_by<const D: u8>() -> &'static str {
    match find_violation::<Broken<D>>(&ToyRules::default(), 2, Seed(3), 1_000) {
        Err(violation) => violation.promise,
        Ok(()) => panic!("defect {D} was not found"),
    }
}

#[test]
fn every_defect_is_found_and_named() {
    assert_eq!(
        promise_broken_by::<{ broken::NOT_DETERMINISTIC }>(),
        "same seed and answers, same game"
    );
    assert_eq!(promise_broken_by::<{ broken::CLONES_SHARE }>(), "clones are independent");
    assert_eq!(promise_broken_by::<{ broken::REFUSES_FAULTS }>(), "never panics");
    assert_eq!(promise_broken_by::<{ broken::NEVER_ENDS }>(), "ends within its limit");
    assert_eq!(promise_broken_by::<{ broken::HASH_TOO_SMALL }>(), "the hash sees every change");
    assert_eq!(promise_broken_by::<{ broken::HASH_TOO_LARGE }>(), "looking changes nothing");
    assert_eq!(promise_broken_by::<{ broken::FORGETS }>(), "save/load round trip");
    assert_eq!(promise_broken_by::<{ broken::UNSORTED }>(), "decisions are sorted and unique");
    assert_eq!(promise_broken_by::<{ broken::ENDS_EARLY }>(), "an outcome exactly when over");
    assert_eq!(promise_broken_by::<{ broken::ANY_PLAYERS }>(), "refuses a wrong number of players");
    assert_eq!(promise_broken_by::<{ broken::LOSES_SEED }>(), "save/load round trip");
    assert_eq!(promise_broken_by::<{ broken::LOOK_CHANGES }>(), "looking changes nothing");
    assert_eq!(promise_broken_by::<{ broken::OUT_BUT_PLAYING }>(), "who is out does not decide");
}

#[test]
fn every_defect_of_actions_is_found_and_named() {
    assert_eq!(promise_broken_by::<{ broken::COUNT_GROWS }>(), "the number of actions is fixed");
    assert_eq!(
        promise_broken_by::<{ broken::NAMES_TWICE }>(),
        "every action has a name of its own"
    );
    assert_eq!(
        promise_broken_by::<{ broken::NAMES_CHANGE }>(),
        "the names of actions never change"
    );
    assert_eq!(
        promise_broken_by::<{ broken::NOTHING_LEGAL }>(),
        "every choice has a legal and effective action"
    );
    assert_eq!(promise_broken_by::<{ broken::LEGAL_BREACH }>(), "legal actions break no rule");
    assert_eq!(promise_broken_by::<{ broken::FORBIDS_TOO_MUCH }>(), "illegal actions break a rule");
    assert_eq!(promise_broken_by::<{ broken::DIRTY_MASKS }>(), "legal actions break no rule");
    assert_eq!(promise_broken_by::<{ broken::EFFECTIVE_BREACH }>(), "effective actions are legal");
    assert_eq!(
        promise_broken_by::<{ broken::UNLIKE_ANY_OTHER }>(),
        "actions without effect do what another one does"
    );
    assert_eq!(
        promise_broken_by::<{ broken::TAKES_ANY_LIST }>(),
        "refuses what is no list of actions"
    );
    assert_eq!(promise_broken_by::<{ broken::LOSES_ACTIONS }>(), "actions survive their answer");
    assert_eq!(promise_broken_by::<{ broken::FORGETS_ACTIONS }>(), "actions survive their answer");
    assert_eq!(broken::DEFECTS, 25, "a new defect needs a line here");
}
