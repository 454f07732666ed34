//! The page: complete, escaped, with links that lead to replays, and small enough to open.

use agon_contest::report::Links;
use html5ever::{parse_document, tendril::TendrilSink};
use markup5ever_rcdom::{Handle, NodeData, RcDom};

use super::common::{Cup, WORLD, World, links, plan};

/// A node of a page. When the document is dropped, its other nodes lose what is below them.
#[derive(Clone, Debug)]
struct Node(Handle);

/// Reads a page by the rules that browsers follow. A browser must find nothing to repair.
fn parse(html: &str) -> Node {
    let dom = parse_document(RcDom::default(), Default::default()).one(html);
    assert!(dom.errors.borrow().is_empty(), "{:?}", dom.errors);
    Node(dom.document)
}

impl Node {
    fn children(&self) -> Vec<Node> {
        self.0.children.borrow().iter().cloned().map(Node).collect()
    }

    /// Returns the node itself and all nodes below it.
    fn descendants(&self) -> Vec<Node> {
        let below = self.children().into_iter().flat_map(|child| child.descendants());
        std::iter::once(self.clone()).chain(below).collect()
    }

    fn is(&self, tag: &str) -> bool {
        matches!(&self.0.data, NodeData::Element { name, .. } if &*name.local == tag)
    }

    fn child(&self, tag: &str) -> Option<Node> {
        self.children().into_iter().find(|node| node.is(tag))
    }

    /// Returns the nodes below with this tag.
    fn all(&self, tag: &str) -> Vec<Node> {
        self.descendants().into_iter().filter(|node| node.is(tag)).collect()
    }

    fn attribute(&self, name: &str) -> Option<String> {
        let NodeData::Element { attrs, .. } = &self.0.data else { return None };
        let attributes = attrs.borrow();
        let found = attributes.iter().find(|attribute| &*attribute.name.local == name)?;
        Some(found.value.to_string())
    }

    /// Returns the first node with this class.
    fn with_class(&self, class: &str) -> Option<Node> {
        self.descendants().into_iter().find(|node| {
            node.attribute("class").is_some_and(|all| all.split(' ').any(|one| one == class))
        })
    }

    fn text(&self) -> String {
        match &self.0.data {
            NodeData::Text { contents } => contents.borrow().to_string(),
            _ => self.children().iter().map(Node::text).collect(),
        }
    }
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
        let cup = Cup::new(plan(bots, "matches = 2", &format!("kind = \"{format}\"")));
        let document = parse(&cup.page().html);
        let head = |row: Node| row.child("th").unwrap().text();
        let mut names: Vec<String> = rows(&document, "standing").into_iter().map(head).collect();
        let mut expected: Vec<String> = cup.plan.bots.iter().map(|bot| bot.name.clone()).collect();
        names.sort();
        expected.sort();
        assert_eq!(names, expected);
        assert_eq!(rows(&document, "matches").len(), cup.records.len());
    }
}

#[test]
fn every_part_that_the_page_leads_to_is_there_and_nothing_comes_from_elsewhere() {
    let html = Cup::new(plan(5, "matches = 10", "kind = \"round-robin\"")).page().html;
    let document = parse(&html);
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
    for part in ["http:", "https:", "src=", "url(", "@import"] {
        assert!(!html.contains(part), "{part}");
    }
}

#[test]
fn uneven_scores_are_bold_and_unknown_bounds_are_not_printed() {
    let world = World { span: 100_000.0, seat: 0.0, ..WORLD };
    // Five seeds of five, or six of six: equal bots do this with probability 1/16, or 1/32.
    for (matches, bold) in [(10, 0), (12, 2)] {
        let plan = plan(2, &format!("matches = {matches}"), "kind = \"round-robin\"");
        let page = Cup::played(plan, usize::MAX, &world).page();
        let document = parse(&page.html);
        let sections = document.all("section");
        let is_part = |node: &&Node| node.attribute("id").as_deref() == Some("head-to-head");
        assert_eq!(sections.iter().find(is_part).unwrap().all("b").len(), bold);
        let intervals: Vec<String> = (rows(&document, "standing").into_iter())
            .map(|row| row.with_class("elo").unwrap().text())
            .collect();
        assert!(intervals[0].contains(" at least "), "{intervals:?}");
        assert!(intervals[1].contains(" at most "), "{intervals:?}");
        assert!(!page.html.contains('±'), "an interval has two ends");
    }
}

#[test]
fn names_and_messages_stay_texts() {
    let evil = "<script>alert(1)</script>\"'&amp;\u{202e}";
    let mut plan = plan(4, "matches = 20", "kind = \"round-robin\"");
    plan.bots[2].name = evil.to_owned();
    plan.bots[1].text = "</code><img src=x onerror=alert(1)>".to_owned();
    let mut cup = Cup::new(plan);
    for fault in cup.records.iter_mut().flat_map(|record| record.faults.iter_mut().flatten()) {
        fault.text = "]]></script><b>\u{1b}[31m".to_owned();
    }
    let page = cup.page();
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
    let mut cup = Cup::new(plan(3, "matches = 2", "kind = \"round-robin\""));
    cup.records.sort_by_key(|record| record.id);
    cup.records[1].replay = None;
    cup.records[2].replay = Some("a b&c.agon".to_owned());
    let linked = |links: &Links| {
        let page = cup.report().html(links);
        let document = parse(&page.html);
        let link = |row: Node| row.all("a").first().map(|link| link.attribute("href").unwrap());
        (rows(&document, "matches").into_iter().map(link).collect::<Vec<_>>(), page.replays)
    };
    let (addresses, replays) = linked(&links());
    assert_eq!(addresses[0], Some(format!("replays/{}.agon", cup.records[0].id)));
    assert_eq!(addresses[1..3], [None, Some("replays/a%20b%26c.agon".to_owned())]);
    let mut expected: Vec<String> =
        cup.records.iter().filter_map(|record| record.replay.clone()).collect();
    expected.sort();
    assert_eq!(replays, expected);
    let (addresses, replays) = linked(&Links::default());
    assert!(addresses.iter().all(Option::is_none) && replays.is_empty());
}

#[test]
fn long_lists_are_cut_and_say_so() {
    let mut cup = Cup::new(plan(40, "matches = 4", "kind = \"round-robin\""));
    cup.records.sort_by_key(|record| record.id);
    assert_eq!(cup.records.len(), 3120);
    let page = cup.page();
    let document = parse(&page.html);
    let shown = rows(&document, "matches");
    assert_eq!(shown.len(), 2000);
    let last = cup.records.last().unwrap().id.to_string();
    assert!(shown[1999].text().starts_with(&last), "the last one is there");
    let faulty = |row: &&Node| row.with_class("bad").is_some();
    let all = cup.records.iter().filter(|record| record.faults.iter().any(|it| !it.is_empty()));
    let all = all.count();
    assert!(all < 500 && shown.iter().filter(faulty).count() == all, "all with faults are there");
    assert!(page.html.contains("2\u{202f}000 of 3\u{202f}120 matches"));
    assert!(page.html.contains("The best 24 by rating; 16 bots are left out here."));
    assert!(page.html.len() < 1_500_000, "{}", page.html.len());
}

#[test]
fn a_tournament_that_has_not_begun_has_a_page() {
    let plan = plan(4, "game = \"cellhack\"\nmatches = 2", "kind = \"groups\"");
    let page = Cup::played(plan, 0, &WORLD).page();
    assert_eq!(rows(&parse(&page.html), "standing").len(), 4);
    assert!(page.html.contains("not over yet"));
    let body = page.html.split("<script>").next().unwrap();
    assert!(!body.contains("NaN") && !body.contains("inf\""), "numbers that are none");
}
