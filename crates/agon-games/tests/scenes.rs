//! Tests that travels lead where pieces arrive, and that cells are where their units say.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

use agon_core::{Game, GameExt, Seed};
use agon_games::amoebas::{self, Amoebas};
use agon_games::cellhack::{self, Cellhack};
use agon_games::scene::{Place, Render};

#[test]
fn amoebas_arrive_exactly_where_travels_lead() {
    let rules =
        amoebas::Rules { world_size: 14, rounds: 40, data_limit: 10, ..amoebas::Rules::default() };
    let mut game = Amoebas::new(&rules, 4, Seed(9)).unwrap();
    let mut arrivals = 0;
    for step in 0..600 {
        let answers = game.scripted_answers(Seed(9), step);
        let mut expected: Vec<Place> =
            game.travels(&answers).iter().map(|travel| travel.to).collect();
        expected.sort_unstable();
        let before: Vec<_> = game.occupants().collect();
        game.step(&answers);
        let entered = game
            .occupants()
            .zip(&before)
            .enumerate()
            .filter(|(_, (now, before))| now.is_some() && before.is_none());
        assert_eq!(
            entered.map(|(cell, _)| cell as Place).collect::<Vec<_>>(),
            expected,
            "step {step}"
        );
        arrivals += expected.len();
    }
    assert!(arrivals > 100, "only {arrivals}");
}

#[test]
fn cells_that_decide_are_where_their_unit_says() {
    fn check<G: Render>(rules: &G::Rules) {
        let mut game = G::new(rules, 3, Seed(5)).unwrap();
        for step in 0..40 {
            for &decision in game.decisions() {
                assert_eq!(game.decision_at(decision.unit), Some(decision));
            }
            let answers = game.scripted_answers(Seed(5), step);
            game.step(&answers);
        }
    }
    check::<Amoebas>(&amoebas::Rules { world_size: 12, ..amoebas::Rules::default() });
    check::<Cellhack>(&cellhack::Rules { width: 12, height: 12, ..cellhack::Rules::default() });
}
