//! What holds for every page, whatever is in its model.

use std::collections::BTreeSet;

use crate::{
    dom::{Node, parse},
    sample::{Kind, pages},
};

/// Calls a check with each page of each kind.
fn each(check: impl Fn(&str, &Node)) {
    for kind in [Kind::Empty, Kind::Full, Kind::Hostile] {
        for (name, html) in pages(kind) {
            check(&format!("{} {name}", kind.name()), &parse(&html));
        }
    }
}

fn elements(page: &Node) -> Vec<Node> {
    page.descendants().into_iter().filter(|node| node.tag().is_some()).collect()
}

#[test]
fn pages_have_nothing_that_the_policy_forbids() {
    each(|name, page| {
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
    });
}

#[test]
fn hostile_texts_add_no_elements() {
    let kinds = [Kind::Full, Kind::Hostile].map(pages);
    for ((name, usual), (_, hostile)) in kinds[0].iter().zip(&kinds[1]) {
        let images = |html: &str| {
            let page = parse(html);
            (page.all("img").len(), page.all("script").len(), page.all("textarea").len())
        };
        assert_eq!(images(usual), images(hostile), "{name}");
    }
}

#[test]
fn pages_have_one_heading_and_landmarks() {
    each(|name, page| {
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
    });
}

#[test]
fn ids_are_unique_and_references_lead_somewhere() {
    each(|name, page| {
        let all: Vec<String> = elements(page).iter().filter_map(|n| n.attribute("id")).collect();
        let ids: BTreeSet<&String> = all.iter().collect();
        assert_eq!(ids.len(), all.len(), "{name}: {all:?}");
        for node in elements(page) {
            for attribute in ["for", "aria-labelledby", "aria-describedby", "data-copy"] {
                let Some(id) = node.attribute(attribute) else { continue };
                assert!(ids.contains(&id), "{name}: {attribute}={id}");
            }
            if let Some(id) =
                node.attribute("href").and_then(|a| a.strip_prefix('#').map(str::to_owned))
            {
                assert!(ids.contains(&id), "{name}: #{id}");
            }
        }
    });
}

#[test]
fn fields_have_labels() {
    each(|name, page| {
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
    });
}

#[test]
fn forms_that_change_something_are_protected() {
    each(|name, page| {
        for form in page.all("form") {
            let method = form.attribute("method").unwrap();
            let tokens = form
                .all("input")
                .into_iter()
                .filter(|input| input.attribute("name").as_deref() == Some("csrf"));
            let tokens: Vec<_> = tokens.collect();
            assert_eq!(tokens.len(), usize::from(method == "post"), "{name}");
            assert!(tokens.iter().all(|token| token.attribute("value").is_some()), "{name}");
            let files =
                form.all("input").iter().any(|i| i.attribute("type").as_deref() == Some("file"));
            let multipart = form.attribute("enctype").as_deref() == Some("multipart/form-data");
            assert!(!files || multipart, "{name}");
        }
        let nested = page.all("form").iter().any(|form| form.all("form").len() > 1);
        assert!(!nested, "{name}");
    });
}

#[test]
fn tables_have_heads_with_scopes() {
    each(|name, page| {
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
    });
}

#[test]
fn readers_see_all_characters() {
    for kind in [Kind::Empty, Kind::Full, Kind::Hostile] {
        for (name, html) in pages(kind) {
            let hidden = html.chars().find(|&c| agon_text::is_hidden(c) && c != '\n' && c != '\t');
            assert_eq!(hidden, None, "{} {name}", kind.name());
        }
    }
}
