//! The page: complete, escaped, with links that lead to replays, and small enough to open.
#![allow(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

use agon_tournament::report::{Links, Page, Report, ReportOptions};
use agon_tournament::{Plan, Record, Schedule};

use super::dom::{Node, parse};

fn page(plan: &Plan, schedule: &Schedule, records: &[Record], links: &Links) -> Page {
    Report::new(plan, schedule, records, &ReportOptions::default()).unwrap().html(links)
}

fn files() -> Links {
    Links { replays: Some("replays/".into()), ..Links::default() }
}

fn rows(document: &Node, table: &str) -> Vec<Node> {
    let body = document.with_class(table).unwrap().child("tbody").unwrap();
    body.children().into_iter().filter(|node| node.is("tr")).collect()
}

#[test]
fn each_bot_is_in_the_standing_once() {
    for (bots, format) in
        [(4, "round-robin"), (12, "swiss"), (33, "double-elimination"), (64, "swiss")]
    {
        let plan = super::common::plan(bots, "matches = 2", &format!("kind = \"{format}\""));
        let (schedule, records) = super::common::play(&plan, usize::MAX, &super::common::WORLD);
        let page = page(&plan, &schedule, &records, &files());
        let document = parse(&page.html);
        let head = |row: Node| row.child("th").unwrap().text();
        let mut names: Vec<String> = rows(&document, "standing").into_iter().map(head).collect();
        let mut expected: Vec<String> = plan.bots.iter().map(|bot| bot.name.clone()).collect();
        names.sort();
        expected.sort();
        assert_eq!(names, expected);
        assert_eq!(rows(&document, "matches").len(), records.len());
    }
}

#[test]
fn every_part_that_the_page_leads_to_is_there() {
    let plan = super::common::plan(5, "matches = 10", "kind = \"round-robin\"");
    let (schedule, records) = super::common::play(&plan, usize::MAX, &super::common::WORLD);
    let page = page(&plan, &schedule, &records, &files());
    let document = parse(&page.html);
    let ids: Vec<String> =
        document.descendants().iter().filter_map(|node| node.attribute("id")).collect();
    let links = document.all("nav")[0].children();
    let parts: Vec<String> = links.iter().filter_map(|link| link.attribute("href")).collect();
    assert_eq!(parts.len(), 10);
    assert!(parts.iter().all(|part| ids.iter().any(|id| *part == format!("#{id}"))), "{parts:?}");
    let mut unique = ids.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(unique.len(), ids.len(), "no id is there twice");
}

#[test]
fn a_score_is_bold_if_a_two_sided_test_tells_it_from_an_even_one() {
    let world = super::common::World { span: 100_000.0, seat: 0.0, ..super::common::WORLD };
    // Five seeds of five, or six of six: equal bots do this with probability 1/16, or 1/32.
    for (matches, bold) in [(10, 0), (12, 2)] {
        let matches = format!("matches = {matches}");
        let plan = super::common::plan(2, &matches, "kind = \"round-robin\"");
        let (schedule, records) = super::common::play(&plan, usize::MAX, &world);
        let page = page(&plan, &schedule, &records, &files());
        let document = parse(&page.html);
        let sections = document.all("section");
        let is_part = |node: &&Node| node.attribute("id").as_deref() == Some("head-to-head");
        assert_eq!(sections.iter().find(is_part).unwrap().all("b").len(), bold);
    }
}

#[test]
fn bounds_that_are_not_known_are_not_printed() {
    let world = super::common::World { span: 100_000.0, seat: 0.0, ..super::common::WORLD };
    let plan = super::common::plan(2, "matches = 10", "kind = \"round-robin\"");
    let (schedule, records) = super::common::play(&plan, usize::MAX, &world);
    let page = page(&plan, &schedule, &records, &files());
    let document = parse(&page.html);
    let intervals: Vec<String> = (rows(&document, "standing").into_iter())
        .map(|row| row.with_class("elo").unwrap().text())
        .collect();
    assert!(intervals[0].contains(" at least "), "{intervals:?}");
    assert!(intervals[1].contains(" at most "), "{intervals:?}");
    assert!(!page.html.contains('±'), "an interval has two ends");
}

#[test]
fn nothing_comes_from_elsewhere() {
    let plan = super::common::plan(5, "matches = 10", "kind = \"round-robin\"");
    let (schedule, records) = super::common::play(&plan, usize::MAX, &super::common::WORLD);
    let html = page(&plan, &schedule, &records, &files()).html;
    for part in ["http:", "https:", "src=", "url(", "@import"] {
        assert!(!html.contains(part), "{part}");
    }
}

#[test]
fn names_and_messages_stay_texts() {
    let evil = "<script>alert(1)</script>\"'&amp;\u{202e}";
    let mut plan = super::common::plan(4, "matches = 20", "kind = \"round-robin\"");
    plan.bots[2].name = evil.to_owned();
    plan.bots[1].text = "</code><img src=x onerror=alert(1)>".to_owned();
    let (schedule, mut records) = super::common::play(&plan, usize::MAX, &super::common::WORLD);
    for fault in records.iter_mut().flat_map(|record| record.faults.iter_mut().flatten()) {
        fault.text = "]]></script><b>\u{1b}[31m".to_owned();
    }
    let page = page(&plan, &schedule, &records, &files());
    let document = parse(&page.html);
    assert_eq!((document.all("script").len(), document.all("img").len()), (1, 0));
    let shown = evil.replace('\u{202e}', "\\u202e");
    assert!(rows(&document, "standing").iter().any(|row| row.text().contains(&shown)));
    let titles = document.all("th").into_iter().filter_map(|head| head.attribute("title"));
    assert!(titles.into_iter().any(|title| title == shown));
    let text = "]]></script><b>\\u001b[31m";
    assert!(rows(&document, "faults").iter().any(|row| row.text().contains(text)));
    assert!(!page.html.contains(['\u{1b}', '\u{202e}']), "hidden characters");
}

#[test]
fn links_lead_to_replays() {
    let plan = super::common::plan(3, "matches = 2", "kind = \"round-robin\"");
    let (schedule, mut records) = super::common::play(&plan, usize::MAX, &super::common::WORLD);
    records.sort_by_key(|record| record.id);
    records[1].replay = None;
    records[2].replay = Some("a b&c.agon".to_owned());
    let linked = |links: &Links| {
        let page = page(&plan, &schedule, &records, links);
        let document = parse(&page.html);
        let link = |row: Node| row.all("a").first().map(|link| link.attribute("href").unwrap());
        (rows(&document, "matches").into_iter().map(link).collect::<Vec<_>>(), page.replays)
    };
    let (links, replays) = linked(&files());
    assert_eq!(links[0], Some(format!("replays/{}.agon", records[0].id)));
    assert_eq!(links[1..3], [None, Some("replays/a%20b%26c.agon".to_owned())]);
    let mut expected: Vec<String> =
        records.iter().filter_map(|record| record.replay.clone()).collect();
    expected.sort();
    assert_eq!(replays, expected);
    let viewer = Some(("viewer/index.html".into(), "../replays/".into()));
    let (links, _) = linked(&Links { viewer, ..Links::default() });
    assert_eq!(
        links[2].as_deref(),
        Some("viewer/index.html?replay=..%2Freplays%2Fa%2520b%2526c.agon")
    );
    let (links, replays) = linked(&Links::default());
    assert!(links.iter().all(Option::is_none) && replays.is_empty());
}

#[test]
fn long_lists_are_cut_and_say_so() {
    let plan = super::common::plan(40, "matches = 4", "kind = \"round-robin\"");
    let (schedule, mut records) = super::common::play(&plan, usize::MAX, &super::common::WORLD);
    records.sort_by_key(|record| record.id);
    assert_eq!(records.len(), 3120);
    let page = page(&plan, &schedule, &records, &files());
    let document = parse(&page.html);
    let shown = rows(&document, "matches");
    assert_eq!(shown.len(), 2000);
    let last = records.last().unwrap().id.to_string();
    assert!(shown[1999].text().starts_with(&last), "the last one is there");
    let faulty = |row: &&Node| row.with_class("bad").is_some();
    let all = records
        .iter()
        .filter(|record| record.faults.iter().any(|faults| !faults.is_empty()))
        .count();
    assert!(all < 500 && shown.iter().filter(faulty).count() == all, "all with faults are there");
    assert!(page.html.contains("2\u{202f}000 of 3\u{202f}120 matches"));
    assert!(page.html.contains("The best 24 by rating; 16 bots are left out here."));
    assert!(page.html.len() < 1_500_000, "{}", page.html.len());
}

#[test]
fn a_tournament_that_has_not_begun_has_a_page() {
    let plan = super::common::plan(4, "game = \"cellhack\"\nmatches = 2", "kind = \"groups\"");
    let (schedule, records) = super::common::play(&plan, 0, &super::common::WORLD);
    let page = page(&plan, &schedule, &records, &files());
    let document = parse(&page.html);
    assert_eq!(rows(&document, "standing").len(), 4);
    assert!(page.html.contains("not over yet"));
    let body = page.html.split("<script>").next().unwrap();
    assert!(!body.contains("NaN") && !body.contains("inf\""), "numbers that are none");
}
