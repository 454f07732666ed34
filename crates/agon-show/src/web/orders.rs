//! Takes the orders of a person who plays in a page, and gives them to the match.
//!
//! A page sends gestures. They are replayed here by the rules, so that no page can order anything
//! that a person at a window could not.

use std::{fmt, sync::Arc};

use agon_games::human::{Gesture, HumanInput, Reaction};
use agon_view::PromptQueue;
use agon_web::live::Orders;
use agon_web::page::dialogue::Verdict;

/// The reason why orders are refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Refusal {
    /// Their question does not wait for orders.
    Outdated,
    /// They are invalid, for this reason.
    NoOrders(&'static str),
}

/// Gives orders to a prompt queue. Clones use the same queue.
#[derive(Clone)]
pub(super) struct OrdersReceiver(Arc<GiveOrders>);

type GiveOrders = dyn Fn(&Orders) -> Result<(), Refusal> + Send + Sync;

impl fmt::Debug for OrdersReceiver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OrdersReceiver")
    }
}

impl OrdersReceiver {
    /// Makes one for this queue.
    pub(super) fn for_queue<G: HumanInput>(prompts: &PromptQueue<G>) -> OrdersReceiver {
        let prompts = prompts.clone();
        OrdersReceiver(Arc::new(move |orders| take(&prompts, orders)))
    }

    /// Composes the orders from the gestures that a page has sent, and gives them to the match.
    pub(super) fn take(&self, sent: &[u8]) -> Verdict {
        let orders = match serde_json::from_slice(sent) {
            Ok(orders) => orders,
            Err(error) => return Verdict::NoOrders(format!("the orders cannot be read: {error}")),
        };
        match (self.0)(&orders) {
            Ok(()) => Verdict::Taken,
            Err(Refusal::Outdated) => Verdict::Outdated,
            Err(Refusal::NoOrders(why)) => Verdict::NoOrders(why.to_owned()),
        }
    }
}

/// Composes the orders from a person's gestures, and gives them to the match.
///
/// # Errors
/// If the question does not wait any more, or the gestures are invalid or give no orders.
fn take<G: HumanInput>(prompts: &PromptQueue<G>, sent: &Orders) -> Result<(), Refusal> {
    let question = prompts.question(None).filter(|question| question.number == sent.question);
    let question = question.ok_or(Refusal::Outdated)?;
    let places = question.game.scene_for(question.player).board.places();
    let is_off = |act: &Gesture| matches!(act, Gesture::Pick(place) if *place as usize >= places);
    if sent.acts.iter().any(is_off) {
        return Err(Refusal::NoOrders("a place is picked that is not on the board"));
    }
    let mut orders = question.game.orders(question.player);
    let Some((last, before)) = sent.acts.split_last() else {
        return Err(Refusal::NoOrders("there are no acts"));
    };
    if before.iter().any(|&act| question.game.act(&mut orders, act) == Reaction::Submitted) {
        return Err(Refusal::NoOrders("there are acts after the one that gives the orders"));
    }
    if question.game.act(&mut orders, *last) != Reaction::Submitted {
        return Err(Refusal::NoOrders("the last act does not give the orders"));
    }
    let carry_out = Box::new(move |game: &G, decision| game.carry_out(&orders, decision));
    if prompts.give(question.number, carry_out) { Ok(()) } else { Err(Refusal::Outdated) }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use agon_core::{Game as _, Player, Prompter as _, Seed};
    use agon_games::{
        GameId,
        cluster::{Answer, Cluster, Rules},
        human::ArrowKey,
        with_game,
    };
    use agon_view::PromptOutcome;

    use super::*;

    /// Returns the outcome of a question that `act` answers.
    fn ask<G: HumanInput>(
        game: &G,
        act: impl FnOnce(&PromptQueue<G>, u64),
    ) -> PromptOutcome<G::Answer> {
        let prompts = PromptQueue::default();
        let decisions: Vec<_> =
            game.decisions().iter().copied().filter(|d| d.player == Player(0)).collect();
        thread::scope(|scope| {
            let asking = scope.spawn(|| prompts.ask(game, 0, Player(0), &decisions, None));
            let question = loop {
                match prompts.question(None) {
                    Some(question) => break question.number,
                    None => thread::yield_now(),
                }
            };
            act(&prompts, question);
            prompts.leave();
            asking.join().unwrap()
        })
    }

    #[test]
    fn the_first_orders_count_and_only_whole_ones() {
        let rules = Rules { side: 4, ..Rules::default() };
        let mut games = (0..).map(|seed| Cluster::new(&rules, 2, Seed(seed)).unwrap());
        let game = games.find(|game| game.hand() == [0, 2]).unwrap();
        let outcome = ask(&game, |prompts, question| {
            let take = |question, acts: &[Gesture]| {
                take(prompts, &Orders { question, acts: acts.to_vec() })
            };
            let drop = [Gesture::Type('2'), Gesture::Go(ArrowKey::Right), Gesture::Confirm];
            assert_eq!(take(question + 1, &drop), Err(Refusal::Outdated));
            assert_eq!(take(question, &[]), Err(Refusal::NoOrders("there are no acts")));
            for acts in
                [&drop[..2], &[drop[0], drop[2], drop[1]], &[Gesture::Pick(9999), Gesture::Confirm]]
            {
                assert!(matches!(take(question, acts), Err(Refusal::NoOrders(_))), "{acts:?}");
            }
            assert_eq!(take(question, &drop), Ok(()));
            assert_eq!(take(question, &drop), Err(Refusal::Outdated));
        });
        assert_eq!(outcome, PromptOutcome::Answers(vec![Answer::Place { column: 4, color: 2 }]));
    }

    /// No gestures from a page can stop the arena.
    #[test]
    fn any_acts_in_any_game_are_taken_or_refused() {
        fn check<G: HumanInput>() {
            let game = G::new(&G::Rules::default(), G::META.min_players.max(2), Seed(5)).unwrap();
            let places = game.scene_for(Player(0)).board.places() as u32;
            let all = "rwdmsefhnxp*.0123456789".chars().map(Gesture::Type);
            let ways = ArrowKey::ALL.map(Gesture::Go);
            let others = [
                Gesture::Undo,
                Gesture::Cancel,
                Gesture::Confirm,
                Gesture::Pick(0),
                Gesture::Pick(places - 1),
            ];
            let acts: Vec<Gesture> = all.chain(ways).chain(others).collect();
            let mut state = 1_u64;
            let mut next = |below: usize| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (state >> 33) as usize % below
            };
            let mut taken = 0;
            for _ in 0..40 {
                let mut sent: Vec<Gesture> =
                    (0..next(30)).map(|_| acts[next(acts.len())]).collect();
                sent.push(Gesture::Confirm);
                ask(&game, |prompts, question| {
                    let result = take(prompts, &Orders { question, acts: sent });
                    taken += usize::from(result.is_ok());
                });
            }
            assert!(taken > 0, "{}", G::META.id);
        }
        GameId::ALL.into_iter().for_each(|id| with_game!(id, G => check::<G>()));
    }
}
