//! The conformance kit accepts a sound game and finds every defect of the broken ones.

use agon_core::Seed;
use agon_testkit::bare::Bare;
use agon_testkit::broken::{Broken, BrokenRules, Defect};
use agon_testkit::conformance::{check, find_violation};
use agon_testkit::toy::{Toy, ToyRules};

#[test]
fn a_sound_game_passes() {
    check::<Toy>(&ToyRules::default(), 1, 0..3, 1_000);
    check::<Toy>(&ToyRules { turns: 200, counters: 2, full: 1_000 }, 5, 0..3, 1_000);
    check::<Bare<Toy>>(&ToyRules::default(), 2, 0..1, 1_000);
}

#[test]
fn every_defect_is_found_and_named() {
    let promises = [
        (Defect::NotDeterministic, "same seed and answers, same game"),
        (Defect::ClonesShare, "clones are independent"),
        (Defect::RefusesFaults, "never panics"),
        (Defect::NeverEnds, "ends within its limit"),
        (Defect::HashTooSmall, "the hash sees every change"),
        (Defect::HashTooLarge, "looking changes nothing"),
        (Defect::Forgets, "save/load round trip"),
        (Defect::Unsorted, "decisions are sorted and unique"),
        (Defect::EndsEarly, "an outcome exactly when over"),
        (Defect::AnyPlayers, "refuses a wrong number of players"),
        (Defect::LosesSeed, "save/load round trip"),
        (Defect::LookChanges, "looking changes nothing"),
        (Defect::OutButPlaying, "who is out does not decide"),
        (Defect::CountGrows, "the number of actions is fixed"),
        (Defect::NamesTwice, "every action has a name of its own"),
        (Defect::NamesChange, "the names of actions never change"),
        (Defect::NothingLegal, "every choice has a legal and effective action"),
        (Defect::LegalBreach, "legal actions break no rule"),
        (Defect::ForbidsTooMuch, "illegal actions break a rule"),
        (Defect::DirtyMasks, "legal actions break no rule"),
        (Defect::EffectiveBreach, "effective actions are legal"),
        (Defect::UnlikeAnyOther, "actions without effect do what another one does"),
        (Defect::TakesAnyList, "refuses what is no list of actions"),
        (Defect::LosesActions, "actions survive their answer"),
        (Defect::ForgetsActions, "actions survive their answer"),
    ];
    for (defect, promise) in promises {
        let rules = BrokenRules { defect, ..BrokenRules::default() };
        let found = find_violation::<Broken>(&rules, 2, Seed(3), 1_000);
        assert_eq!(found.err().map(|violation| violation.promise), Some(promise), "{defect:?}");
    }
    let last = Defect::ForgetsActions as usize;
    assert_eq!(promises.len(), last + 1, "a new defect needs a line here");
}
