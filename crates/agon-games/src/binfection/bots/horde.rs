//! The built-in bots `horde` and `marshal`.

use agon_core::{ParamError, Params, Policy, Rng};

use super::battlefield::{
    Battlefield, Content, Strikers, claim, fall_back, join, press, strike, supply,
};
use crate::binfection::{Answer, Binfection, Direction, Rules, View};

/// Plans the moves of all stacks together, then rehearses the turn.
///
/// In each turn it strikes where enough stacks meet, matches all other stacks with empty cells,
/// moves units from behind to where the front is weakest, and presses where that is safe. Each step
/// gives orders to stacks that have none yet. Then it rehearses the turn against what it would do
/// in the enemies' place, and improves the orders of its front.
struct Planner {
    strikers: Strikers,
    /// Whether stacks leave cells that they cannot hold.
    falls_back: bool,
    worth: Worth,
    /// Percent of a threat that a stack withstands if it presses.
    caution: u64,
}

type Bot = Result<Box<dyn Policy<Binfection>>, ParamError>;

/// Attacks with all that is near and never falls back: every stack beside a victim joins the
/// strike, whether it is needed or not. The victim's cell is taken with more units, and fewer of
/// them stay behind to defend the own ones. Harm to the enemies counts a little less than a gain.
pub(super) fn horde(params: &Params) -> Bot {
    Ok(Box::new(Planner {
        strikers: Strikers::All,
        falls_back: false,
        worth: Worth { cell: 30, harm: 80, guess: 1 },
        caution: params.number("caution", 0..=300)?,
    }))
}

/// Fights with just enough stacks. A loss of the enemies counts less than a gain.
pub(super) fn marshal(params: &Params) -> Bot {
    Ok(Box::new(Planner {
        strikers: Strikers::Enough,
        falls_back: true,
        worth: Worth { cell: 30, harm: 60, guess: 3 },
        caution: params.number("caution", 0..=300)?,
    }))
}

impl Policy<Binfection> for Planner {
    fn decide(&mut self, view: &View<'_>, _: &mut Rng) -> Answer {
        let mut field = Battlefield::new(view);
        rehearse(&mut field, view.rules(), self.worth, |field| self.plan(field, view.rules()));
        field.answer()
    }
}

impl Planner {
    fn plan(&self, field: &mut Battlefield, rules: &Rules) {
        let cap = rules.cap();
        strike(field, self.strikers);
        let left = claim(field, rules);
        join(field, &left, cap);
        supply(field, cap);
        press(field, self.caution);
        if self.falls_back {
            fall_back(field);
        }
    }
}

/// What an outcome of the coming turn is worth.
#[derive(Clone, Copy, Debug)]
struct Worth {
    /// What a cell counts, in units.
    cell: i64,
    /// Percent of its value that a loss of the enemies counts.
    harm: i64,
    /// How often the guess counts, against once the case that all enemies stay.
    guess: i64,
}

/// The passes over all stacks at the front. The later ones see the orders of the earlier ones.
const PASSES: usize = 2;

/// More units on one cell than this count no more.
const MOST: i64 = 1 << 40;

/// Plans a turn, and gives stacks at the front other orders where that pays. The enemies are
/// expected to plan in the same way.
fn rehearse(field: &mut Battlefield, rules: &Rules, worth: Worth, plan: impl Fn(&mut Battlefield)) {
    plan(field);
    if !field.is_met() {
        return;
    }
    let mut enemies = field.mirrored();
    plan(&mut enemies);
    let front: Vec<usize> = field.own.iter().copied().filter(|&i| is_front(field, i)).collect();
    let rehearsal = Rehearsal { enemies: &enemies, rules, worth };
    for _ in 0..PASSES {
        let mut is_settled = true;
        for &site in &front {
            is_settled &= !rehearsal.improve(field, site);
        }
        if is_settled {
            break;
        }
    }
}

/// Whether a stack can move and could meet an enemy in this turn.
fn is_front(field: &Battlefield, site: usize) -> bool {
    let meets = |direction: Direction| {
        let next = field.beside(site, direction)?;
        let content = field.sites[next].content;
        Some(content == Content::Enemy || field.is_beside(next, Content::Enemy))
    };
    field.sites[site].units > 1 && Direction::ALL.into_iter().filter_map(meets).any(|meets| meets)
}

struct Rehearsal<'a> {
    /// What the enemies see, with their expected orders.
    enemies: &'a Battlefield,
    rules: &'a Rules,
    worth: Worth,
}

impl Rehearsal<'_> {
    /// Gives a stack its best order. Returns whether that is a new one.
    fn improve(&self, field: &mut Battlefield, site: usize) -> bool {
        let old = field.sites[site].order;
        field.order(site, None);
        let force = field.force(site);
        let staying = field.strength(site);
        // Only two sites change with an order: this one and its target.
        let loss = self.value(site, staying) - self.value(site, staying - force);
        let gain = |direction: Direction| {
            let target = field.beside(site, direction)?;
            let there = field.strength(target);
            let gain = self.value(target, there + force) - self.value(target, there) - loss;
            Some((gain, Some(direction)))
        };
        // Of equally good orders, the planned one stays.
        let planned = old.and_then(gain).unwrap_or((0, None));
        let all = Direction::ALL.into_iter().filter_map(gain).chain([(0, None)]);
        let better = |best: (i64, _), other: (i64, _)| if other.0 > best.0 { other } else { best };
        let (_, best) = all.fold(planned, better);
        field.order(site, best);
        best != old
    }

    /// What a site with this many own units is worth after the turn.
    fn value(&self, site: usize, mine: u64) -> i64 {
        let there = &self.enemies.sites[site];
        let is_theirs = there.content == Content::Own;
        let still = if is_theirs { there.units } else { 0 };
        let guessed = self.enemies.strength(site);
        self.outcome(mine, still) + self.worth.guess * self.outcome(mine, guessed)
    }

    /// What is left of a meeting of two owners, after growth.
    fn outcome(&self, mine: u64, theirs: u64) -> i64 {
        let cap = self.rules.cap();
        let grown = |left: u64| {
            let grown = left.min(cap).saturating_mul(self.rules.grow_coefficient).min(cap);
            i64::try_from(grown).unwrap_or(MOST).min(MOST) + self.worth.cell
        };
        if mine > theirs {
            100 * grown(mine - theirs)
        } else if mine < theirs {
            -self.worth.harm * grown(theirs - mine)
        } else {
            0
        }
    }
}
