//! The frame of pages for organisers and administrators.

use maud::{Markup, html};

use super::{form, layout};
use crate::model::{Context, Role};

/// A page for organisers or administrators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AdminTab {
    /// What the server does.
    Overview,
    /// Arenas.
    Arenas,
    /// People.
    People,
    /// The audit log.
    Log,
}

/// Writes a page with the tabs of organisers and administrators.
pub(crate) fn admin_page(context: &Context, tab: AdminTab, title: &str, main: Markup) -> Markup {
    let administrator = context.viewer.role == Role::Administrator;
    let tabs = [
        (AdminTab::Overview, "/admin", "Server", administrator),
        (AdminTab::Arenas, "/admin/arenas", "Arenas", true),
        (AdminTab::People, "/admin/people", "People", administrator),
        (AdminTab::Log, "/admin/log", "Log", administrator),
    ];
    let main = html! {
        div.arena-head {
            nav.tabs aria-label="Administration" {
                @for (own, address, words, _) in tabs.into_iter().filter(|tab| tab.3) {
                    a href=(address) aria-current=[(own == tab).then_some("page")] { (words) }
                }
            }
        }
        (main)
    };
    layout::page(context, title, main)
}

/// Writes a form to search a list.
pub(crate) fn search(action: &str, label: &str, value: &str) -> Markup {
    html! {
        form.search method="get" action=(action) role="search" {
            label.unseen for="q" { (label) }
            input #q name="q" type="search" value=(form::raw(value)) placeholder=(label)
                autocomplete="off";
            button type="submit" { "Find" }
        }
    }
}
