//! How `marshal` and `horde` take empty cells: as many as possible in each turn.

use super::battlefield::{Battlefield, Content};
use crate::binfection::{Direction, Rules};

/// The longest chain of stacks that change their targets to make room for one more.
const CHAIN: u32 = 12;

/// Gives each stack beside empty cells one of its own, for as many stacks as possible: a matching
/// in a graph, enlarged along augmenting paths. Stacks with the fewest choices come first.
///
/// Returns the stacks that found none.
pub(super) fn claim(field: &mut Battlefield, rules: &Rules) -> Vec<usize> {
    let ways = |site: usize| field.around(site, Content::Empty).count();
    let mut stacks: Vec<(usize, usize)> = field
        .own
        .iter()
        .filter(|&&site| field.is_idle(site))
        .map(|&site| (ways(site), site))
        .filter(|&(ways, _)| ways > 0)
        .collect();
    stacks.sort_unstable();
    let mut claims = Claims::new(field, rules);
    let left = stacks.iter().map(|&(_, stack)| stack);
    let left: Vec<usize> = left.filter(|&stack| !claims.settle(stack)).collect();
    for (stack, direction) in claims.orders() {
        field.send(stack, direction);
    }
    left
}

/// Which stack gets which empty cell.
struct Claims<'a> {
    field: &'a Battlefield,
    /// The stack for each site.
    holder: Vec<Option<u32>>,
    /// The stack for whose sake each site was last looked at.
    asked: Vec<Option<u32>>,
    /// The rank of each empty cell: the least is claimed first.
    ranks: Vec<(u32, u32)>,
}

impl<'a> Claims<'a> {
    fn new(field: &'a Battlefield, rules: &Rules) -> Claims<'a> {
        let count = field.sites.len();
        let ranks = ranks(field, rules);
        Claims { field, holder: vec![None; count], asked: vec![None; count], ranks }
    }

    /// Finds an empty cell for a stack; others may have to change theirs.
    fn settle(&mut self, stack: usize) -> bool {
        self.find(stack, stack as u32, CHAIN)
    }

    fn find(&mut self, stack: usize, sake: u32, chain: u32) -> bool {
        let (targets, count) = self.targets(stack);
        let targets = &targets[..count];
        if let Some(&free) = targets.iter().find(|&&site| self.holder[site].is_none()) {
            self.holder[free] = Some(stack as u32);
            return true;
        }
        if chain == 0 {
            return false;
        }
        for &site in targets {
            if self.asked[site].replace(sake) == Some(sake) {
                continue;
            }
            let holder = self.holder[site].map(|holder| holder as usize);
            if holder.is_none_or(|holder| self.find(holder, sake, chain - 1)) {
                self.holder[site] = Some(stack as u32);
                return true;
            }
        }
        false
    }

    /// The empty cells beside a stack, the best first, and their number.
    fn targets(&self, stack: usize) -> ([usize; 4], usize) {
        let mut targets = [0; 4];
        let mut count = 0;
        for (_, site) in self.field.around(stack, Content::Empty) {
            targets[count] = site;
            count += 1;
        }
        targets[..count].sort_by_key(|&site| self.ranks[site]);
        (targets, count)
    }

    fn orders(&self) -> Vec<(usize, Direction)> {
        let order = |(site, holder): (usize, &Option<u32>)| {
            let stack = (*holder)? as usize;
            let mut ways = self.field.around(stack, Content::Empty);
            Some((stack, ways.find(|&(_, target)| target == site)?.0))
        };
        self.holder.iter().enumerate().filter_map(order).collect()
    }
}

/// Ranks the empty cells. Those farthest from the middle of the own cells come first, by the
/// larger of the distances in x and y: tips that run ahead leave most room for those behind them.
/// Among equals, cells near the centre of the field come first, because enemies come from there.
fn ranks(field: &Battlefield, rules: &Rules) -> Vec<(u32, u32)> {
    let count = field.own.len().max(1) as u64;
    let middle = |part: fn(&super::battlefield::Site) -> u32| {
        let sum: u64 = field.own.iter().map(|&site| u64::from(part(&field.sites[site]))).sum();
        (sum / count) as u32
    };
    let (x, y) = (middle(|site| site.x), middle(|site| site.y));
    let off_centre = |at: u32, size: u32| (2 * at + 1).abs_diff(size);
    let rank = |site: &super::battlefield::Site| {
        let ahead = site.x.abs_diff(x).max(site.y.abs_diff(y));
        let off = off_centre(site.x, rules.field_width) + off_centre(site.y, rules.field_height);
        (u32::MAX - ahead, off)
    };
    field.sites.iter().map(rank).collect()
}
