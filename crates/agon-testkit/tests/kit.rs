//! The conformance kit accepts a sound game and finds every defect of the broken ones.

use agon_core::Seed;
use agon_testkit::broken::{self, Broken};
use agon_testkit::conformance::{check, find_violation};
use agon_testkit::toy::{Toy, ToyRules};

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

/// Checks that a game with each of these defects breaks this promise.
macro_rules! check_defects {
    ($($defect:ident => $promise:literal,)+) => {
        [$((promise_broken_by::<{ broken::$defect }>(), $promise)),+]
    };
}

#[test]
fn every_defect_is_found_and_named() {
    let found = check_defects! {
        NOT_DETERMINISTIC => "same seed and answers, same game",
        CLONES_SHARE => "clones are independent",
        REFUSES_FAULTS => "never panics",
        NEVER_ENDS => "ends within its limit",
        HASH_TOO_SMALL => "the hash sees every change",
        HASH_TOO_LARGE => "looking changes nothing",
        FORGETS => "save/load round trip",
        UNSORTED => "decisions are sorted and unique",
        ENDS_EARLY => "an outcome exactly when over",
        ANY_PLAYERS => "refuses a wrong number of players",
        LOSES_SEED => "save/load round trip",
        LOOK_CHANGES => "looking changes nothing",
        OUT_BUT_PLAYING => "who is out does not decide",
        COUNT_GROWS => "the number of actions is fixed",
        NAMES_TWICE => "every action has a name of its own",
        NAMES_CHANGE => "the names of actions never change",
        NOTHING_LEGAL => "every choice has a legal and effective action",
        LEGAL_BREACH => "legal actions break no rule",
        FORBIDS_TOO_MUCH => "illegal actions break a rule",
        DIRTY_MASKS => "legal actions break no rule",
        EFFECTIVE_BREACH => "effective actions are legal",
        UNLIKE_ANY_OTHER => "actions without effect do what another one does",
        TAKES_ANY_LIST => "refuses what is no list of actions",
        LOSES_ACTIONS => "actions survive their answer",
        FORGETS_ACTIONS => "actions survive their answer",
    };
    for (promise, expected) in found {
        assert_eq!(promise, expected);
    }
    assert_eq!(found.len(), usize::from(broken::DEFECTS), "a new defect needs a line here");
}
