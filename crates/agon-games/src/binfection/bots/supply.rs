//! How `marshal` and `horde` move units from behind the front to it.

use super::battlefield::{Battlefield, Content};
use crate::binfection::Direction;

/// Moves idle stacks behind the front a step towards it, to where most is needed, unless that
/// would waste growth. A cell at the limit of `cap` units does not grow: half of it is free.
pub(super) fn supply(field: &mut Battlefield, cap: u64) {
    let (distance, nearest_first) = distances(field);
    for site in nearest_first {
        if distance[site] == 0 || !field.is_idle(site) {
            continue;
        }
        let is_full = 2 * field.sites[site].units > cap;
        let worth = |(direction, next): (Direction, usize)| {
            let held = field.sites[next].arriving + field.staying(next) + field.force(site);
            let fits = distance[next] < distance[site] && (is_full || 2 * held <= cap);
            fits.then(|| (held as i64 - field.threat(next) as i64, direction))
        };
        if let Some((_, direction)) = field.around(site, Content::Own).filter_map(worth).min() {
            field.send(site, direction);
        }
    }
}

/// The number of steps from each site through own cells to the front, and the own cells by it.
fn distances(field: &Battlefield) -> (Vec<u32>, Vec<usize>) {
    let is_front = |&site: &usize| {
        field.is_beside(site, Content::Empty) || field.is_beside(site, Content::Enemy)
    };
    let mut queue: Vec<usize> = field.own.iter().copied().filter(is_front).collect();
    let mut distance = vec![u32::MAX; field.sites.len()];
    queue.iter().for_each(|&site| distance[site] = 0);
    let mut done = 0;
    while let Some(&site) = queue.get(done) {
        done += 1;
        for (_, next) in field.around(site, Content::Own) {
            if distance[next] == u32::MAX {
                distance[next] = distance[site] + 1;
                queue.push(next);
            }
        }
    }
    (distance, queue)
}
