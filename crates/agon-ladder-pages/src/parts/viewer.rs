//! The viewer of replays in a page.

use maud::{Markup, html};

use super::link;

/// Shows a replay from a turn, with a link for browsers without frames.
pub(crate) fn viewer(title: &str, replay: &str, turn: Option<u64>) -> Markup {
    html! {
        div.viewer {
            iframe src=(link::viewer(replay, turn)) title=(title) allow="fullscreen" {}
        }
    }
}
