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
    assert_eq!(broken::DEFECTS, 13, "a new defect needs a line here");
}
