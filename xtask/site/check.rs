//! Checks all links of a written site: files and anchors must exist.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Result, bail};
use html5ever::{parse_document, tendril::TendrilSink};
use markup5ever_rcdom::{Handle, NodeData, RcDom};
use percent_encoding::percent_decode_str;
use xtask::files_below;

use crate::links;

/// What a check has looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Checked {
    pub(crate) pages: usize,
    pub(crate) links: usize,
}

/// The places and links of a page.
#[derive(Debug, Default)]
struct Html {
    ids: BTreeSet<String>,
    links: Vec<String>,
}

/// Checks the site in a folder.
///
/// # Errors
/// If a link leads to a missing file or anchor. The error lists all such links.
pub(crate) fn run(site: &Path) -> Result<Checked> {
    let mut names = BTreeSet::new();
    for file in files_below(site)? {
        names.insert(file.strip_prefix(site)?.to_string_lossy().into_owned());
    }
    let mut pages = BTreeMap::new();
    for name in names.iter().filter(|name| name.ends_with(".html")) {
        pages.insert(name.as_str(), read(&xtask::read(&site.join(name))?));
    }
    let mut broken = Vec::new();
    let mut links = 0;
    for (name, page) in &pages {
        for link in &page.links {
            links += 1;
            if let Err(reason) = follow(name, link, &names, &pages) {
                broken.push(format!("{name}: `{link}` {reason}"));
            }
        }
    }
    if !broken.is_empty() {
        bail!("{} broken links; correct them in the pages:\n{}", broken.len(), broken.join("\n"));
    }
    Ok(Checked { pages: pages.len(), links })
}

fn follow(
    page: &str,
    link: &str,
    names: &BTreeSet<String>,
    pages: &BTreeMap<&str, Html>,
) -> Result<(), String> {
    if ["http:", "https:", "mailto:", "data:"].iter().any(|scheme| link.starts_with(scheme)) {
        return Ok(());
    }
    if link.starts_with('/') {
        return Err("starts at the root of a server".to_owned());
    }
    let (rest, anchor) = link.split_once('#').map_or((link, ""), |parts| parts);
    let (path, query) = rest.split_once('?').map_or((rest, ""), |parts| parts);
    let folder = page.rsplit_once('/').map_or("", |(folder, _)| folder);
    let file = match path {
        "" => page.to_owned(),
        _ => links::join(folder, path).ok_or("leads out of the site")?,
    };
    if !names.contains(&file) {
        return Err(format!("leads to no file `{file}`"));
    }
    let place = percent_decode_str(anchor).decode_utf8_lossy();
    let target = pages.get(file.as_str());
    if !place.is_empty() && !target.is_some_and(|target| target.ids.contains(&*place)) {
        return Err(format!("leads to no anchor `{place}` in `{file}`"));
    }
    // The viewer loads the replay that its address names.
    match query.split('&').find_map(|part| part.strip_prefix("replay=")) {
        Some(replay) => follow(&file, replay, names, pages),
        None => Ok(()),
    }
}

fn read(html: &str) -> Html {
    let dom = parse_document(RcDom::default(), Default::default()).one(html);
    let mut found = Html::default();
    collect(&dom.document, &mut found);
    found
}

fn collect(node: &Handle, found: &mut Html) {
    if let NodeData::Element { attrs, .. } = &node.data {
        for attribute in attrs.borrow().iter() {
            match &*attribute.name.local {
                "id" => drop(found.ids.insert(attribute.value.to_string())),
                "href" | "src" => found.links.push(attribute.value.to_string()),
                _ => {}
            }
        }
    }
    node.children.borrow().iter().for_each(|child| collect(child, found));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(page: &str) -> Result<Checked> {
        let site = tempfile::tempdir().unwrap();
        let other = "<h2 id=\"größe\">x</h2>";
        xtask::write(&site.path().join("other.html"), other).unwrap();
        xtask::write(&site.path().join("viewer/index.html"), "").unwrap();
        xtask::write(&site.path().join("viewer/replays/a.agon"), "").unwrap();
        xtask::write(&site.path().join("games/page.html"), page).unwrap();
        run(site.path())
    }

    #[test]
    fn good_links_pass() {
        let page = "<h1 id=top>x</h1><a href='#top'>a</a><a href='../other.html'>b</a>
            <a href='page.html#top'>c</a><a href='../other.html#gr%C3%B6%C3%9Fe'>d</a>
            <a href='https://example.org'>e</a>
            <iframe src='../viewer/index.html?replay=replays/a.agon'></iframe>";
        assert_eq!(checked(page).unwrap(), Checked { pages: 3, links: 6 });
    }

    #[test]
    fn broken_links_are_named_with_their_page() {
        for (link, reason) in [
            ("none.html", "leads to no file `games/none.html`"),
            ("#none", "leads to no anchor `none` in `games/page.html`"),
            ("../other.html#none", "leads to no anchor `none` in `other.html`"),
            ("../../x.html", "leads out of the site"),
            ("/other.html", "starts at the root of a server"),
            (
                "../viewer/index.html?replay=replays/b.agon",
                "leads to no file `viewer/replays/b.agon`",
            ),
        ] {
            let error = checked(&format!("<a href='{link}'>x</a>")).unwrap_err().to_string();
            assert!(error.contains(&format!("games/page.html: `{link}` {reason}")), "{error}");
        }
    }

    #[test]
    fn examples_in_code_are_no_links() {
        let page = "<pre><code>&lt;a href='none.html'&gt;</code></pre>";
        assert_eq!(checked(page).unwrap().links, 0);
    }
}
