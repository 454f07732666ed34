//! Successive halving of 64 random versions and the starting one.
//!
//! After each round the better half continues and plays twice as often (Jamieson & Talwalkar,
//! "Non-stochastic best arm identification", 2016).

use agon_core::Purpose;

use crate::{Task, fraction};

const VERSIONS: usize = 64;

pub(crate) fn tune(task: &Task) -> Vec<f64> {
    let mut rng = task.seed.stream(Purpose::Script, 2);
    let mut versions: Vec<Vec<f64>> =
        (1..VERSIONS).map(|_| task.start.iter().map(|_| fraction(&mut rng)).collect()).collect();
    versions.push(task.start.clone());
    let rounds = u64::from(VERSIONS.ilog2());
    // Versions keep their points from round to round, but get new random opponents.
    let mut points = vec![0.0; versions.len()];
    while versions.len() > 1 {
        let pairs = versions.len() as u64 / 2;
        for _ in 0..(task.matches / 2 / rounds / pairs).max(1) {
            let mut order: Vec<usize> = (0..versions.len()).collect();
            rng.shuffle(&mut order);
            for pair in order.chunks_exact(2) {
                let difference =
                    task.landscape.duel(&versions[pair[0]], &versions[pair[1]], &mut rng);
                points[pair[0]] += difference;
                points[pair[1]] -= difference;
            }
        }
        let mut order: Vec<usize> = (0..versions.len()).collect();
        order.sort_by(|&a, &b| points[b].total_cmp(&points[a]));
        order.truncate(versions.len() / 2);
        versions = order.iter().map(|&number| versions[number].clone()).collect();
        points = order.iter().map(|&number| points[number]).collect();
    }
    versions.remove(0)
}
