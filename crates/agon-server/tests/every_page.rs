//! What holds for every page, whatever people have written: a walk through a server whose database
//! has hostile texts in all places.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use agon_core::{Evidence, Fault, FaultKind, Player};
use html5ever::{parse_document, tendril::TendrilSink};
use markup5ever_rcdom::{Handle, NodeData, RcDom};
use serde_json::json;

use crate::hand_in::{enter, hand_in, send_code, wait_until_done};
use crate::support::{Client, Database, Reply, Server, header, short_arena, wait_until};

/// A text that would do harm, if a page did not escape it.
const HOSTILE: &str = "</textarea></title><script>alert(1)</script><img src=x onerror=alert(1)>\" \
    onload='x' a=\" &amp; {{}} \u{202e}evil\u{2066}\u{1b}[2J";

/// So many pages of a kind are looked at.
const OF_A_KIND: usize = 2;

/// Addresses that are no pages of the server itself.
const FILES: [&str; 9] = [
    "/static/",
    "/avatars/",
    "/viewer/",
    "/log/",
    "/games/",
    "replay.agon",
    "grades.csv",
    "agents.txt",
    "/sign-out",
];

/// Puts hostile texts into the database, as if checks of what people send had failed, and pauses
/// all arenas.
fn poison(database: &Database) {
    let (plays, rests) = ("\"is_paused\":false", "\"is_paused\":true");
    let sql = format!("UPDATE arenas SET settings = replace(settings, '{plays}', '{rests}')");
    assert!(database.execute(&sql) > 0);
    let text = HOSTILE.replace('\'', "''");
    for (table, column) in [
        ("bots", "name"),
        ("people", "shown"),
        ("versions", "message"),
        ("versions", "language"),
        ("arenas", "title"),
        ("seats", "stderr"),
        ("audit", "detail"),
        ("audit", "subject"),
        ("sessions", "browser"),
        ("tokens", "label"),
        ("links", "note"),
    ] {
        // Names must differ.
        let own = if column == "name" || column == "shown" { "|| id" } else { "" };
        // Agon knows its own bots by their names.
        let of = if table == "bots" { "WHERE owner IS NOT NULL" } else { "" };
        let sql = format!("UPDATE {table} SET {column} = '{text}' {own} {of}");
        assert!(database.execute(&sql) > 0, "{sql}");
    }
    let inside = json!(HOSTILE).to_string().replace('\'', "''");
    let inside = inside.trim_matches('"');
    for (table, column, name) in [
        ("arenas", "settings", "about"),
        ("versions", "report", "refused"),
        ("versions", "report", "found"),
        ("versions", "report", "remedy"),
        ("versions", "report", "evidence"),
        ("versions", "report", "output"),
    ] {
        let (old, new) = (format!("\"{name}\":\""), format!("\"{name}\":\"{inside}"));
        database
            .execute(&format!("UPDATE {table} SET {column} = replace({column}, '{old}', '{new}')"));
    }
    let evidence = Evidence { last_output: HOSTILE.to_owned(), ..Evidence::default() };
    let fault = Fault {
        player: Player(0),
        step: 3,
        kind: FaultKind::Timeout,
        detail: HOSTILE.to_owned(),
        evidence,
        count: 2,
    };
    let outcome = json!({"reason": HOSTILE, "annulled": HOSTILE, "faults": [fault]}).to_string();
    let outcome = outcome.replace('\'', "''");
    let sql = format!("UPDATE matches SET outcome = '{outcome}' WHERE state <> 'planned'");
    assert!(database.execute(&sql) > 0);
    database.execute("UPDATE seats SET faults = 2 WHERE seat = 0");
}

/// Follows all links from some pages, and returns the pages by their addresses.
fn walk(client: &mut Client, starts: &[&str]) -> BTreeMap<String, Reply> {
    let mut pages = BTreeMap::new();
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    let mut left: VecDeque<String> = starts.iter().map(|&start| start.to_owned()).collect();
    while let Some(path) = left.pop_front() {
        // Pages of a kind differ in their numbers, or in where signing in leads back to.
        let kind = path.split("?next=").next().unwrap_or_default();
        let kind = kind.replace(|c: char| c.is_ascii_digit(), "");
        let seen = kinds.entry(kind).or_default();
        if pages.contains_key(&path) || *seen == OF_A_KIND {
            continue;
        }
        *seen += 1;
        let reply = client.get(&path);
        // People have other names now than in what was written before.
        if reply.status == 404 && path.starts_with("/people/") {
            continue;
        }
        assert!(reply.status == 200, "{path}: {} {}", reply.status, reply.text());
        for link in parse(&reply.text()).all("a") {
            let to = link.attribute("href").unwrap();
            let to = match to.strip_prefix('?') {
                Some(query) => format!("{}?{query}", path.split('?').next().unwrap()),
                None => to,
            };
            let to = to.split('#').next().unwrap().to_owned();
            if to.starts_with('/') && !FILES.iter().any(|file| to.contains(file)) {
                left.push_back(to);
            }
        }
        pages.insert(path, reply);
    }
    pages
}

#[test]
fn every_page_is_whole_and_shows_hostile_texts_without_harm() {
    agon_testkit::needs!("python3");
    let (server, mut root) = Server::with_root(&["--pace", "0"]);
    short_arena(&mut root, &["greedy", "random"]);
    let invited = root.post(
        "/admin/invitations",
        "/admin/people",
        &[("role", "author"), ("uses", "5"), ("days", "5"), ("note", "club")],
    );
    let join = invited.find("/join/", 40);
    let mut ada = server.author(&mut root, "ada");
    let mut bob = server.author(&mut root, "bob");
    let token = [("label", "laptop"), ("scope", "read"), ("days", "7")];
    ada.post("/account/tokens", "/account", &token);
    for line in ["", "# 2"] {
        enter(&mut ada, line);
    }
    let failed = hand_in(&mut ada, "cluster", "c", "no C");
    wait_until_done(&mut ada, &failed);
    let bot = "/arenas/cluster/bots/ada";
    ada.post(&format!("{bot}/compare"), bot, &[("a", "1"), ("b", "2")]);
    let database = server.database();
    let all = "SELECT count(*) FROM matches WHERE state = 'played'";
    let own = "SELECT count(*) FROM seats JOIN versions ON versions.id = seats.version
        WHERE source IS NOT NULL AND place IS NOT NULL";
    // The list has a second page.
    wait_until("matches", || database.number(all) > 55 && database.number(own) > 2);
    let shown = ada.get("/arenas/cluster/matches?bot=ada").find("/cluster/matches/", 4);
    let number: String = shown.chars().filter(char::is_ascii_digit).collect();
    let page = format!("/arenas/cluster/matches/{number}");
    root.post(&format!("{page}/annul"), &page, &[("reason", "a test")]);
    root.post("/admin/arenas/cluster/publish", "/admin/arenas/cluster", &[]);
    // Nothing is played while its pages are looked at.
    let server = server.restart(&["--pace", "0"], |data| poison(&Database::of(data)));

    let mut visitor = server.client();
    wait_until("the table", || visitor.get("/arenas/cluster").has("/bots/ada\""));
    let mut all = Vec::new();
    for (who, client, starts) in [
        ("visitor", &mut visitor, vec!["/", "/sign-in", &join]),
        ("ada", &mut ada, vec!["/", "/account", bot, &failed, "/arenas/cluster/hand-in"]),
        ("root", &mut root, vec!["/", "/admin", "/admin/people/ada/erase", "/account"]),
    ] {
        for (path, reply) in walk(client, &starts) {
            let name = format!("{who} {path}");
            check(&name, &reply);
            all.push((name, reply));
        }
    }
    check("lost", &visitor.get("/nothing"));
    let kinds = all.iter().map(|(name, _)| name.replace(|c: char| c.is_ascii_digit(), ""));
    assert!(kinds.collect::<BTreeSet<_>>().len() > 50, "{} pages", all.len());
    check_rights(&all);

    // Texts come back from forms as they were.
    let page = parse(&root.get("/admin/arenas/cluster").text());
    let named = |tag: &str, name: &str| {
        let fields = page.all(tag);
        fields.into_iter().find(|field| field.attribute("name").as_deref() == Some(name)).unwrap()
    };
    let shown = HOSTILE.replace('\u{1b}', "\\u001b");
    assert_eq!(named("textarea", "about").text(), shown);
    assert_eq!(named("input", "title").attribute("value"), Some(shown));
    code_in_the_editor_comes_back_unchanged(&mut bob);
    // The code for other pages is HTML of its own.
    let page = parse(&visitor.get("/arenas/cluster/matches/1?turn=3").text());
    let code = page.all("textarea")[0].text();
    let frame = parse(&format!("<!doctype html><title>x</title>{}", code.trim()));
    let source = frame.all("iframe")[0].attribute("src").unwrap();
    let expected = "/viewer/?replay=/arenas/cluster/matches/1/replay.agon&turn=3";
    assert_eq!(source, format!("{}{expected}", server.address));
}

fn code_in_the_editor_comes_back_unchanged(author: &mut Client) {
    let code = "\n\tx = \"</textarea>\u{200b}&amp;\" # \u{202e}\r\nend\n";
    let reply = send_code(author, code, &[("name", "\u{7}")]);
    assert_eq!(reply.status, 422, "{}", reply.text());
    let page = parse(&reply.text());
    let areas = page.all("textarea");
    let area = areas.iter().find(|area| area.attribute("name").as_deref() == Some("code"));
    assert_eq!(area.unwrap().text(), code.replace("\r\n", "\n"));
    assert!(reply.has(" data-sent") && reply.has(" data-draft=\""), "{}", reply.text());
}

/// Checks who sees forms, and what tells the script that a page changes.
fn check_rights(pages: &[(String, Reply)]) {
    for (name, reply) in pages {
        let is_organiser = name.starts_with("root ");
        for form in ["/annul\"", "/check\"", "/disqualify\""] {
            assert!(is_organiser || !reply.has(form), "{name}: {form}");
        }
    }
    let found = |name: &str| {
        let found = pages.iter().find(|(known, _)| known == name);
        &found.unwrap_or_else(|| panic!("no {name}")).1
    };
    let bot = "/arenas/cluster/bots/ada";
    assert!(found(&format!("root {bot}")).has("/disqualify\""));
    assert!(found(&format!("ada {bot}")).has("/activate\""));
    assert!(!found(&format!("visitor {bot}")).has("/activate\""));
    let table = found("ada /arenas/cluster");
    let page = parse(&table.text());
    let events = page.all("main")[0].attribute("data-events");
    assert_eq!(events.as_deref(), Some("/arenas/cluster/events"));
    assert!(page.with_class("own").unwrap().text().contains("yours") && table.has(">boss<"));
    assert!(!found("ada /arenas/cluster?tab=published").has("data-events"));
    assert!(found("visitor /arenas/cluster").has("href=\"/sign-in?next=/arenas/cluster\""));
}

/// Checks a page, whatever it shows.
pub(crate) fn check(name: &str, reply: &Reply) {
    let html = reply.text();
    let page = parse(&html);
    let policy = header(&reply.head, "content-security-policy").unwrap();
    assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
    // Readers see all characters.
    let hidden = html.chars().find(|&c| agon_core::text::is_hidden(c) && c != '\n' && c != '\t');
    assert_eq!(hidden, None, "{name}");
    // Hostile texts add no elements.
    assert_eq!((page.all("img").len(), page.all("script").len()), (1, 1), "{name}");
    check_policy(name, &page);
    check_headings(name, &page);
    check_ids(name, &page);
    check_fields(name, &page);
    check_forms(name, &page);
    check_tables(name, &page);
}

fn elements(page: &Node) -> Vec<Node> {
    page.descendants().into_iter().filter(|node| node.tag().is_some()).collect()
}

/// Nothing is in the page that the policy forbids.
fn check_policy(name: &str, page: &Node) {
    for node in elements(page) {
        for attribute in node.attributes() {
            assert!(!attribute.starts_with("on"), "{name}: {attribute}");
            assert!(attribute != "style" && attribute != "srcdoc", "{name}: {attribute}");
        }
        let tag = node.tag().unwrap();
        assert!(!["style", "base", "object", "embed"].contains(&&*tag), "{name}: {tag}");
        if tag == "script" {
            assert!(node.attribute("src").unwrap().starts_with("/static/"), "{name}");
            assert_eq!(node.text(), "", "{name}");
        }
        for source in ["src", "href", "action", "formaction"] {
            let Some(address) = node.attribute(source) else { continue };
            let local = address.is_empty() || address.starts_with(['/', '#', '?']);
            assert!(local && !address.starts_with("//"), "{name}: {address}");
            assert!(!address.contains(['"', '<', ' ', '\n']), "{name}: {address}");
        }
    }
}

/// The page has one heading, and landmarks.
fn check_headings(name: &str, page: &Node) {
    assert_eq!(page.all("h1").len(), 1, "{name}");
    assert!(!page.all("h1")[0].text().trim().is_empty(), "{name}");
    assert_eq!(page.all("main").len(), 1, "{name}");
    assert_eq!(
        page.all("title").len(),
        1 + page.all("svg").iter().map(|s| s.all("title").len()).sum::<usize>(),
        "{name}"
    );
    let skip = page.with_class("skip").unwrap().attribute("href");
    assert_eq!(skip.as_deref(), Some("#main"), "{name}");
    let mut last = 1;
    for node in elements(page) {
        let tag = node.tag().unwrap();
        let Some(level) = ["h1", "h2", "h3"].iter().position(|&h| h == tag) else { continue };
        assert!(level <= last + 1, "{name}: {tag} after h{last}");
        last = level + 1;
    }
}

/// Ids are unique, and references lead somewhere.
fn check_ids(name: &str, page: &Node) {
    let all: Vec<String> = elements(page).iter().filter_map(|n| n.attribute("id")).collect();
    let ids: BTreeSet<&String> = all.iter().collect();
    assert_eq!(ids.len(), all.len(), "{name}: {all:?}");
    for node in elements(page) {
        for attribute in ["for", "aria-labelledby", "aria-describedby", "data-copy"] {
            let Some(id) = node.attribute(attribute) else { continue };
            assert!(ids.contains(&id), "{name}: {attribute}={id}");
        }
        let href = node.attribute("href").unwrap_or_default();
        let id = href.strip_prefix('#').map(str::to_owned);
        assert!(id.is_none_or(|id| ids.contains(&id)), "{name}: {href}");
    }
}

/// Fields have labels.
fn check_fields(name: &str, page: &Node) {
    let labels: BTreeSet<String> =
        page.all("label").iter().filter_map(|label| label.attribute("for")).collect();
    let fields = ["input", "select", "textarea"].iter().flat_map(|tag| page.all(tag));
    for field in fields.filter(|field| field.attribute("type").as_deref() != Some("hidden")) {
        let id = field.attribute("id").unwrap_or_default();
        let labelled = labels.contains(&id) || field.attribute("aria-label").is_some();
        assert!(labelled, "{name}: {id}");
    }
    for button in page.all("button") {
        assert!(!button.text().trim().is_empty(), "{name}");
        assert!(button.attribute("type").is_some(), "{name}");
    }
    for frame in page.all("iframe") {
        assert!(frame.attribute("title").is_some(), "{name}");
    }
    for picture in page.all("svg") {
        let hidden = picture.attribute("aria-hidden").as_deref() == Some("true");
        assert!(hidden || picture.attribute("aria-label").is_some(), "{name}");
    }
}

/// Forms that change something are protected.
fn check_forms(name: &str, page: &Node) {
    for form in page.all("form") {
        let method = form.attribute("method").unwrap();
        let mut tokens = form.all("input");
        tokens.retain(|input| input.attribute("name").as_deref() == Some("csrf"));
        assert_eq!(tokens.len(), usize::from(method == "post"), "{name}");
        let is_filled = |token: &Node| token.attribute("value").is_some_and(|v| !v.is_empty());
        assert!(tokens.iter().all(is_filled), "{name}");
        let is_file = |input: &Node| input.attribute("type").as_deref() == Some("file");
        let files = form.all("input").iter().any(is_file);
        let multipart = form.attribute("enctype").as_deref() == Some("multipart/form-data");
        assert!(!files || multipart, "{name}");
    }
    let nested = page.all("form").iter().any(|form| form.all("form").len() > 1);
    assert!(!nested, "{name}");
}

/// Tables have heads with scopes.
fn check_tables(name: &str, page: &Node) {
    for table in page.all("table") {
        assert_eq!(table.all("thead").len(), 1, "{name}");
        for head in table.all("th") {
            assert!(head.attribute("scope").is_some(), "{name}: {}", head.text());
            assert!(!head.text().trim().is_empty(), "{name}: an empty head");
        }
        let columns = table.all("thead")[0].all("th").len();
        for row in table.all("tbody").iter().flat_map(|body| body.all("tr")) {
            let cells = row.all("td").len() + row.all("th").len();
            assert_eq!(cells, columns, "{name}: {}", row.text());
        }
    }
}

/// A node of a page. When the document is dropped, its other nodes lose what is below them.
#[derive(Clone, Debug)]
struct Node(Handle);

/// Reads a page in which a browser finds nothing to repair.
fn parse(html: &str) -> Node {
    let dom = parse_document(RcDom::default(), Default::default()).one(html);
    let errors = dom.errors.borrow().clone();
    assert!(errors.is_empty(), "{errors:?}");
    Node(dom.document)
}

impl Node {
    /// Returns the node itself and all nodes below it, in the order of the document.
    fn descendants(&self) -> Vec<Node> {
        let mut all = Vec::new();
        let mut left = vec![self.0.clone()];
        while let Some(node) = left.pop() {
            left.extend(node.children.borrow().iter().rev().cloned());
            all.push(Node(node));
        }
        all
    }

    fn is(&self, tag: &str) -> bool {
        matches!(&self.0.data, NodeData::Element { name, .. } if &*name.local == tag)
    }

    /// Returns the name of the element; `None` for other nodes.
    fn tag(&self) -> Option<String> {
        let NodeData::Element { name, .. } = &self.0.data else { return None };
        Some(name.local.to_string())
    }

    /// Returns the names of all attributes.
    fn attributes(&self) -> Vec<String> {
        let NodeData::Element { attrs, .. } = &self.0.data else { return Vec::new() };
        attrs.borrow().iter().map(|attribute| attribute.name.local.to_string()).collect()
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
        let all = self.descendants();
        let texts = all.iter().filter_map(|node| match &node.0.data {
            NodeData::Text { contents } => Some(contents.borrow().to_string()),
            _ => None,
        });
        texts.collect()
    }
}
