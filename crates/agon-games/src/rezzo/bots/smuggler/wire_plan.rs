//! [`WirePlan`]: where the smuggler lays its wire: from an enemy's geyser past an own base to a
//! loop with a signal. Every signal pulls the flag one cell, so few cells and a short loop count
//! more than a short walk. Diagonal steps halve the cells.

use std::collections::BTreeSet;

use super::super::{known_map::KnownMap, spot_map::Spot};
use super::area::{Area, Found};

/// A wire that is to be laid.
#[derive(Debug, Default)]
pub(super) struct WirePlan {
    /// The places to visit one after the other, from the geyser on. The last one is beside the
    /// wire.
    pub(super) way: Vec<Spot>,
    /// The places that become wire.
    pub(super) wire: BTreeSet<Spot>,
    /// Cells of loops that the wire may touch at its end.
    pub(super) loops: BTreeSet<Spot>,
    /// Cells of the loop that the wire gets its signals from.
    pub(super) source: Vec<Spot>,
    /// Ticks that the flag needs once the wire is laid.
    pub(super) ticks: u64,
}

/// How much dearer than the cheapest a way to a base may be, and how many such ways are tried.
const DETOUR: u32 = 100;
const MAX_BENDS: usize = 12;
/// The cost of a wire cell that flags have to pass: about the ticks between two signals.
const TRANSPORT: u32 = 12;
/// The cost of a wire that does not begin beside a base of the geyser's owner. Where flags lose
/// beside any base, a wire that does wins with the first signal; bots do not know which rule holds.
const ELSEWHERE: u32 = 120;
/// The cost of a wire cell that only signals pass.
const SUPPLY: u32 = 2;

impl WirePlan {
    /// The best wire to this geyser, if everything that it needs is known.
    pub(super) fn to(known: &KnownMap, geyser: Spot, kept: &BTreeSet<Spot>) -> Option<WirePlan> {
        let area = Area::new(known, geyser, kept)?;
        let starts = area.around(area.index(geyser)?).filter(|&at| area.enter[at].is_some());
        let starts = starts.map(|at| (at, if area.at_target[at] { 0 } else { ELSEWHERE }));
        let may = |at: usize| area.at_loop[at].is_none();
        let goal = |at: usize| area.at_base[at].then_some(0);
        let to_base = area.search(starts, TRANSPORT, may, goal, DETOUR);
        // Some places at a base are a dead end for the rest of the wire.
        to_base
            .goals
            .iter()
            .take(MAX_BENDS)
            .find_map(|&(_, bend)| WirePlan::complete(&area, &to_base.to(bend)))
    }

    /// The best wire from beside this geyser and a base of its owner straight to a loop. It wins
    /// with the first signal where flags lose beside any base.
    pub(super) fn straight(
        known: &KnownMap,
        geyser: Spot,
        kept: &BTreeSet<Spot>,
    ) -> Option<WirePlan> {
        let area = Area::new(known, geyser, kept)?;
        let starts = area.around(area.index(geyser)?).filter(|&at| area.at_target[at]);
        let starts = starts.filter(|&at| area.enter[at].is_some()).map(|at| (at, 0));
        let goal = |at: usize| area.at_loop[at];
        let search = area.search(starts, SUPPLY, |_| true, goal, 0);
        let last = search.goals.iter().min()?.1;
        WirePlan::of(&area, &search.to(last), 1)
    }

    /// Leads a wire that has come to a base on to a loop.
    fn complete(area: &Area, to_base: &Found) -> Option<WirePlan> {
        let cells: Vec<usize> = to_base.iter().filter(|step| step.1).map(|step| step.0).collect();
        let bend = *cells.last()?;
        // The rest must not touch what is already planned, except at the bend.
        let mut taken = vec![false; area.cells.len()];
        for &at in &cells[..cells.len() - 1] {
            taken[at] = true;
            area.around(at).for_each(|near| taken[near] = true);
        }
        taken[bend] = false;
        let flag_cells = cells.len() as u32;
        let goal = |at: usize| area.at_loop[at].map(|period| period * flag_cells);
        let search = area.search([(bend, 0)].into_iter(), SUPPLY, |at| !taken[at], goal, 0);
        let last = search.goals.iter().min()?.1;
        let whole: Found = to_base.iter().chain(&search.to(last)[1..]).copied().collect();
        WirePlan::of(area, &whole, flag_cells)
    }

    /// The plan of a wire from a geyser to a loop, of which flags have to pass `flag_cells`.
    fn of(area: &Area, whole: &Found, flag_cells: u32) -> Option<WirePlan> {
        let last = whole.last()?.0;
        let planned: BTreeSet<usize> =
            whole.iter().filter(|step| step.1).map(|step| step.0).collect();
        let stop = area
            .beside(last)
            .filter(|at| area.enter[*at].is_some() && !planned.contains(at))
            .min_by_key(|&at| area.enter[at])?;
        let way = whole.iter().map(|step| area.spot(step.0));
        let loops = (0..area.cells.len()).filter(|&at| area.is_loop[at]);
        Some(WirePlan {
            way: way.chain([area.spot(stop)]).collect(),
            wire: planned.iter().map(|&at| area.spot(at)).collect(),
            source: area.loop_at(last).into_iter().map(|at| area.spot(at)).collect(),
            loops: loops.map(|at| area.spot(at)).collect(),
            ticks: u64::from(area.at_loop[last]? * (flag_cells + 2)) + planned.len() as u64,
        })
    }
}
