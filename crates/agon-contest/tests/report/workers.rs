//! Whether reports find machines on which matches come out differently, and only those.

use agon_contest::{
    Plan,
    report::{Links, Report, ReportOptions},
};
use agon_core::{Purpose, Seed};
use agon_match::spec::PlayedOn;

use super::common::{Cup, WORLD, World, plan};

/// Plays a tournament whose matches are played by workers, drawn with `seed`.
fn played(plan: Plan, seed: u64, workers: usize) -> Cup {
    let mut cup = Cup::played(plan, usize::MAX, &World { faults: false, ..WORLD });
    let mut rng = Seed::plain(seed).stream(Purpose::Sample, 0);
    for record in &mut cup.records {
        let worker = format!("lab-{}", rng.index(workers));
        record.machine = Some(PlayedOn { worker, scale: 100 });
    }
    cup
}

/// The same with four bots.
fn four(seed: u64, workers: usize) -> Cup {
    let plan = plan(4, "matches = 60", "kind = \"round-robin\"");
    played(Plan { seed: Seed(seed), ..plan }, seed, workers)
}

fn report(cup: &Cup) -> Report<'_> {
    Report::new(&cup.plan, &cup.schedule, &cup.records, &ReportOptions { points: 2 }).unwrap()
}

#[test]
fn equal_machines_are_rarely_called_different() {
    agon_testkit::slow!();
    const TOURNAMENTS: u64 = 150;
    let (mut named, mut lines, mut missed) = (0, 0, 0);
    for seed in 0..TOURNAMENTS {
        let cup = four(seed, 3);
        let report = report(&cup);
        named += u32::from(report.workers.iter().any(|line| !line.bots.is_empty()));
        for line in &report.workers {
            let favourites = line.favourites.unwrap();
            lines += 1;
            missed += u32::from(favourites.low > 0.0 || favourites.high < 0.0);
        }
    }
    assert_eq!(lines, 3 * TOURNAMENTS as u32);
    eprintln!("{named} of {TOURNAMENTS} tournaments name a bot; {missed} of {lines} miss 0");
    // 0.15 and 22 are expected of exact intervals; these are three standard deviations more.
    assert!(named <= 2, "{named}");
    assert!((8..=37).contains(&missed), "{missed}");
}

#[test]
fn a_machine_that_holds_a_bot_up_is_found() {
    let mut cup = four(1, 3);
    // The best bot comes last there in every second match.
    let mut rng = Seed::plain(9).stream(Purpose::Sample, 0);
    for record in &mut cup.records {
        if record.machine.as_ref().unwrap().worker == "lab-1" && rng.below(2) == 0 {
            record.machine.as_mut().unwrap().scale = 130;
            if let Some(seat) = record.seats.iter().position(|name| name == "dora") {
                record.places = (0..2).map(|other| if other == seat { 2 } else { 1 }).collect();
            }
        }
    }
    let report = report(&cup);
    assert!(report.workers.iter().all(|line| line.favourites.is_some()));
    let [fair, slow, other] = &report.workers[..] else { panic!("{:?}", report.workers) };
    assert_eq!([fair.worker, slow.worker, other.worker], ["lab-0", "lab-1", "lab-2"]);
    // Those whom it met there gain.
    let (down, up): (Vec<_>, Vec<_>) = slow.bots.iter().partition(|of| of.difference.mean < 0.0);
    assert!(up.iter().all(|of| of.difference.low > 0.0));
    let [dora] = &down[..] else { panic!("{:?}", slow.bots) };
    assert!(dora.bot == "dora" && dora.difference.high < 0.0, "{dora:?}");
    assert!(dora.difference.low > -1.0 && dora.difference.mean < -0.2, "{dora:?}");
    let warning = report.warnings.iter().find(|text| text.contains("lab-1")).unwrap();
    assert!(
        warning.starts_with("dora scored ")
            && warning.contains(" of a win less on the worker lab-1")
    );
    let page = report.html(&Links::default()).html;
    assert!(page.contains("id=\"workers\"") && page.contains("lab-1"), "the page shows them");
}

/// One bot wins 58 of 60: a machine on which it wins all of a few is no other one.
#[test]
fn a_rare_loss_elsewhere_is_no_difference() {
    let plan = plan(2, "matches = 60", "kind = \"round-robin\"");
    let mut cup = played(plan, 3, 4);
    for (at, record) in cup.records.iter_mut().enumerate() {
        let ada = record.seats.iter().position(|name| name == "ada").unwrap();
        let is_lost = at == 20 || at == 41;
        record.places = (0..2).map(|seat| if (seat == ada) == is_lost { 2 } else { 1 }).collect();
    }
    let report = report(&cup);
    assert!(report.workers.iter().all(|line| line.bots.is_empty()), "{:?}", report.workers);
}

#[test]
fn machines_without_matches_to_compare_are_not_compared() {
    let mut cup = four(2, 1);
    let alone = report(&cup);
    assert!(alone.workers.len() == 1 && alone.workers[0].favourites.is_none());
    assert_eq!(alone.workers[0].matches, cup.records.len() as u64);
    // A few matches say nothing; the matches of this machine are no worker's.
    cup.records[9..].iter_mut().for_each(|record| record.machine = None);
    let few = report(&cup);
    assert!(few.workers[0].favourites.is_none() && few.workers[0].matches == 9);
    cup.records.iter_mut().for_each(|record| record.machine = None);
    let none = report(&cup);
    assert!(none.workers.is_empty());
    assert!(!none.html(&Links::default()).html.contains("id=\"workers\""));
}

/// As in journals of older versions: workers played other matches than volunteers, whose names have
/// a `/`.
#[test]
fn machines_are_not_compared_by_matches_that_come_out_the_same_everywhere() {
    let text = "game = \"cluster\"\nmatches = 60\nbots = [\"ada=builtin:greedy\", \
                \"bob=builtin:random\"]\n[format]\nkind = \"round-robin\"\n";
    let plan = Plan::parse(text, std::path::Path::new("cup.toml")).unwrap();
    let mut cup = played(plan, 3, 2);
    for (at, record) in cup.records.iter_mut().enumerate() {
        let ada = record.seats.iter().position(|name| name == "ada").unwrap();
        let has_won = at / 2 % 2 == 0;
        record.places = (0..2).map(|seat| if (seat == ada) == has_won { 1 } else { 2 }).collect();
        let worker = if has_won { "lab-0" } else { "ada/lab-1" };
        record.machine = Some(PlayedOn { worker: worker.to_owned(), scale: 100 });
    }
    let built_in = report(&cup);
    assert_eq!(built_in.workers.len(), 2);
    for line in &built_in.workers {
        assert!(line.matches > 0 && line.favourites.is_none() && line.bots.is_empty(), "{line:?}");
    }
    // Of other bots, that would be suspicious.
    cup.plan = Plan::parse(&text.replace("builtin:greedy", "./bots/ada"), &cup.plan.file).unwrap();
    let other = report(&cup);
    assert!(other.workers.iter().all(|line| !line.bots.is_empty()), "{:?}", other.workers);
    let all = other.workers.iter().flat_map(|line| &line.bots).map(|bot| bot.difference);
    assert!(all.into_iter().all(|of| of.low >= -1.0 && of.high <= 1.0));
}
