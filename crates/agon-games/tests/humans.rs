//! Tests of play by people: the rules carry out their orders, and the offered choices are enough to
//! play a match.

use agon_core::{Decision, GameExt as _, Player, Purpose, Rng, Seed};
use agon_games::{
    amoebas::{self, Amoebas},
    binfection::{self, Binfection},
    cellhack::{self, Cellhack},
    cluster::{self, Cluster},
    human::{ArrowKey, Gesture, HumanInput, Reaction},
    rezzo::{self, Rezzo},
};
use proptest::prelude::*;

const KEYS: [char; 12] = ['*', 'n', '.', 'x', '1', '2', 'r', 'm', 'd', 's', 'e', 'h'];

/// Acts for the orders of one turn are ended after so many.
const MAX_GESTURES: usize = 20_000;

fn any_act(rng: &mut Rng, places: usize) -> Gesture {
    match rng.below(8) {
        0..=2 => Gesture::Pick(rng.below(places as u64 + 2) as u32),
        3 => Gesture::Go(ArrowKey::ALL[rng.index(4)]),
        4 => Gesture::Type(KEYS[rng.index(KEYS.len())]),
        5 => Gesture::Type(char::from_u32(rng.below(0x250) as u32).unwrap_or_default()),
        6 => [Gesture::Undo, Gesture::Cancel][rng.index(2)],
        _ => Gesture::Confirm,
    }
}

fn decisions_of<G: HumanInput>(game: &G, player: Player) -> Vec<Decision> {
    game.decisions().iter().copied().filter(|decision| decision.player == player).collect()
}

/// Answers by the rules, each of them.
fn carry_out<G: HumanInput>(game: &G, orders: &G::Orders, player: Player) -> Vec<G::Answer> {
    let answer = |decision| {
        let answer = game.carry_out(orders, decision);
        assert_eq!(game.illegal(decision, &answer), None, "{orders:?} leads to {answer:?}");
        answer
    };
    decisions_of(game, player).into_iter().map(answer).collect()
}

/// Acts at random, in turn and out of turn.
fn act_at_random<G: HumanInput>(rules: &G::Rules, players: usize, seed: u64) {
    let mut game = G::new(rules, players, Seed(seed)).expect("the rules fit");
    let mut rng = Seed(seed).stream(Purpose::Script, 1);
    for step in 0..rng.below(40) {
        let answers = game.scripted_answers(Seed(seed), step);
        game.step(&answers);
    }
    for player in Player::all(players) {
        let places = game.scene_for(player).board.places();
        let mut orders = game.orders(player);
        for _ in 0..60 {
            let act = any_act(&mut rng, places);
            let reaction = game.act(&mut orders, act);
            let hints = game.hints(&orders);
            assert!(hints.marks.iter().all(|mark| (mark.place as usize) < places), "{hints:?}");
            match reaction {
                Reaction::Submitted => {
                    carry_out(&game, &orders, player);
                    orders = game.orders(player);
                }
                Reaction::Refused(why) => assert!(!why.is_empty()),
                Reaction::Ignored | Reaction::Changed => {}
            }
        }
    }
}

/// Orders of somebody who does nothing but what is offered.
fn orders_by_hints<G: HumanInput>(game: &G, player: Player, rng: &mut Rng) -> G::Orders {
    let mut orders = game.orders(player);
    for _ in 0..MAX_GESTURES {
        let hints = game.hints(&orders);
        assert!(!hints.message.is_empty(), "somebody who is asked is told what to do");
        let choices = hints.choices.iter().map(|choice| choice.act);
        let marked = hints.marks.iter().map(|mark| Gesture::Pick(mark.place));
        let acts: Vec<Gesture> =
            if rng.chance(1, 6) { marked.collect() } else { choices.collect() };
        let Some(&act) = rng.pick(&acts) else { continue };
        if game.act(&mut orders, act) == Reaction::Submitted {
            return orders;
        }
    }
    panic!("{MAX_GESTURES} acts did not lead to orders: {:?}", game.hints(&orders));
}

/// People in all seats play a match by what they are offered.
fn play_by_hints<G: HumanInput>(rules: &G::Rules, players: usize, seed: u64) {
    let mut game = G::new(rules, players, Seed(seed)).expect("the rules fit");
    let mut rng = Seed(seed).stream(Purpose::Script, 2);
    let mut given: Vec<Option<(u64, G::Orders)>> = vec![None; players];
    while !game.is_over() {
        let turn = game.progress().turn;
        let mut answers = vec![];
        for player in Player::all(players).filter(|&player| !decisions_of(&game, player).is_empty())
        {
            let given = &mut given[player.index()];
            let orders = match given.take() {
                Some((of, orders)) if of == turn => orders,
                _ => orders_by_hints(&game, player, &mut rng),
            };
            let (_, orders) = given.insert((turn, orders));
            answers.extend(carry_out(&game, orders, player));
        }
        game.step(&answers);
    }
    assert!(game.standing().outcome.is_some());
}

fn cluster_rules() -> cluster::Rules {
    cluster::Rules { side: 3, max_rounds: 60, ..Default::default() }
}

fn rezzo_rules() -> rezzo::Rules {
    rezzo::Rules { width: 32, height: 32, max_ticks: 80, ..Default::default() }
}

fn binfection_rules() -> binfection::Rules {
    binfection::Rules { field_width: 9, field_height: 7, turns_limit: 15, ..Default::default() }
}

fn cellhack_rules() -> cellhack::Rules {
    cellhack::Rules { width: 8, height: 6, turns: 15, ..Default::default() }
}

fn amoebas_rules() -> amoebas::Rules {
    amoebas::Rules { world_size: 11, rounds: 8, ..Default::default() }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn whatever_people_do_is_by_the_rules(seed: u64) {
        act_at_random::<Cluster>(&cluster_rules(), 2, seed);
        act_at_random::<Rezzo>(&rezzo_rules(), 2, seed);
        act_at_random::<Binfection>(&binfection_rules(), 3, seed);
        act_at_random::<Cellhack>(&cellhack_rules(), 3, seed);
        act_at_random::<Amoebas>(&amoebas_rules(), 2, seed);
    }
}

#[test]
fn what_is_offered_is_enough_to_play_cluster() {
    (0..20).for_each(|seed| play_by_hints::<Cluster>(&cluster_rules(), 2, seed));
}

#[test]
fn what_is_offered_is_enough_to_play_rezzo() {
    (0..5).for_each(|seed| play_by_hints::<Rezzo>(&rezzo_rules(), 2, seed));
}

#[test]
fn what_is_offered_is_enough_to_play_binfection() {
    (0..5).for_each(|seed| play_by_hints::<Binfection>(&binfection_rules(), 2, seed));
}

#[test]
fn what_is_offered_is_enough_to_play_cellhack() {
    (0..5).for_each(|seed| play_by_hints::<Cellhack>(&cellhack_rules(), 2, seed));
}

#[test]
fn what_is_offered_is_enough_to_play_amoebas() {
    (0..5).for_each(|seed| play_by_hints::<Amoebas>(&amoebas_rules(), 2, seed));
}
