//! Tunings of imaginary bots with known strength.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use agon_core::{Purpose, Rng, Seed};
use agon_rating::score_of_elo;
use agon_rating::tune::{Duel, Gains, Param, Tuner, WINDOW};

fn params(texts: &[&str]) -> Vec<Param> {
    texts.iter().map(|text| text.parse().unwrap()).collect()
}

/// Plays two matches, and returns the one's points minus the other's.
///
/// Bots are best at `best`, and `elo` points worse a range away.
fn play(duel: &Duel, (params, best): (&[Param], &[f64]), elo: f64, rng: &mut Rng) -> f64 {
    let lost = |values: &[i64]| {
        let off = values
            .iter()
            .zip(best)
            .zip(params)
            .map(|((&v, b), p)| (v as f64 - b) / p.steps() as f64);
        elo * off.map(|off| off * off).sum::<f64>()
    };
    let score = score_of_elo(lost(&duel.minus) - lost(&duel.plus));
    let mut one_match =
        || if (rng.below(1 << 32) as f64) < score * (1u64 << 32) as f64 { 1.0 } else { -1.0 };
    f64::midpoint(one_match(), one_match())
}

fn tune(texts: &[&str], start: &[i64], best: &[f64], (duels, seed): (u64, u64)) -> Tuner {
    let params = params(texts);
    let mut tuner =
        Tuner::new(params.clone(), start.to_vec(), Gains::default(), duels, Seed::plain(seed));
    let mut rng = Seed::plain(seed).stream(Purpose::Script, 0);
    while let Some(duel) = tuner.next_duel() {
        tuner.result(duel.number, play(&duel, (&params, best), 500.0, &mut rng));
    }
    assert!(tuner.is_over());
    tuner
}

#[test]
fn noisy_matches_lead_to_the_best_values() {
    for seed in 0..8 {
        let tuner = tune(&["low=0..100", "high=0..1:0.01"], &[90, 5], &[30.0, 60.0], (2_000, seed));
        let off: Vec<i64> =
            tuner.best().iter().zip([30, 60]).map(|(value, best)| (value - best).abs()).collect();
        assert!(off.iter().all(|&off| off <= 15), "seed {seed}: {:?}", tuner.best());
    }
}

#[test]
fn a_parameter_of_a_few_values_is_tuned_too() {
    for seed in 0..8 {
        let tuner = tune(&["depth=1..4"], &[0], &[3.0], (600, seed));
        assert!(tuner.best()[0] >= 2, "seed {seed}: {:?}", tuner.best());
    }
    let tuner = tune(&["flag=0..1"], &[0], &[1.0], (300, 1));
    assert_eq!(tuner.best(), [1]);
}

#[test]
fn it_does_not_matter_which_result_comes_first() {
    let params = params(&["a=0..50", "b=-5..5"]);
    let difference = |duel: &Duel| ((duel.number * 7) % 5) as f64 / 2.0 - 1.0;
    let tuner = || Tuner::new(params.clone(), vec![10, 5], Gains::default(), 100, Seed::plain(3));
    let mut plain = tuner();
    let mut duels = Vec::new();
    while let Some(duel) = plain.next_duel() {
        plain.result(duel.number, difference(&duel));
        duels.push(duel);
    }
    assert_eq!(duels.len(), 100);
    for workers in [2, 5, 16, 40] {
        let mut shuffled = tuner();
        let mut playing = Vec::new();
        let mut seen = Vec::new();
        let mut rng = Seed::plain(workers).stream(Purpose::Script, 0);
        loop {
            while playing.len() < workers as usize
                && let Some(duel) = shuffled.next_duel()
            {
                playing.push(duel);
            }
            if playing.is_empty() {
                break;
            }
            assert!(playing.len() as u64 <= WINDOW);
            let over = playing.swap_remove(rng.index(playing.len()));
            shuffled.result(over.number, difference(&over));
            // A second result of the same duel, which should not happen, changes nothing.
            shuffled.result(over.number, -difference(&over));
            seen.push(over);
        }
        seen.sort_by_key(|duel| duel.number);
        assert!(seen == duels && shuffled.course == plain.course, "{workers} at a time");
    }
}

#[test]
fn values_stay_in_their_ranges() {
    let params = params(&["a=0..3", "b=10..1000"]);
    let mut tuner = Tuner::new(params.clone(), vec![3, 0], Gains::default(), 300, Seed::plain(0));
    while let Some(duel) = tuner.next_duel() {
        for values in [&duel.plus, &duel.minus] {
            assert!(
                values
                    .iter()
                    .zip(&params)
                    .all(|(value, param)| (0..=param.steps()).contains(value)),
                "{duel:?}"
            );
        }
        assert_ne!(duel.plus, duel.minus);
        let sign = if duel.plus[1] > duel.minus[1] { 1.0 } else { -1.0 };
        tuner.result(duel.number, sign);
    }
    // The greater b always won.
    assert!(tuner.best()[1] > 900, "{:?}", tuner.best());
    assert_eq!(tuner.last_means().len(), 2);
}
