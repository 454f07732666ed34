//! Output of programs.

use agon_text::escape_lines;
use maud::{Markup, html};

use super::{link, number::bytes};
use crate::model::Log;

/// Writes output of a program. Readers can scroll it with the keyboard.
pub(crate) fn log(arena: &str, log: &Log) -> Markup {
    html! {
        figure.log {
            @if !log.title.is_empty() {
                figcaption {
                    (log.title)
                    @if let Some(number) = log.number {
                        " · " a href=(link::match_page(arena, number)) { "match " (number) }
                    }
                    @if log.cut > 0 {
                        small { " · " (bytes(log.cut)) " before this are left out" }
                    }
                }
            }
            (output(if log.title.is_empty() { "Output" } else { &log.title }, &log.text))
        }
    }
}

/// Writes several lines of foreign text.
pub(crate) fn output(label: &str, text: &str) -> Markup {
    html! {
        @if text.trim().is_empty() {
            p.faint { "Nothing was written." }
        } @else {
            pre tabindex="0" role="group" aria-label=(label) {
                code { (lines(text)) }
            }
        }
    }
}

/// Returns foreign text of several lines, with its hidden characters shown.
pub(crate) fn lines(text: &str) -> String {
    // Line ends of Windows would fill each line with an escape that says nothing.
    escape_lines(&text.replace("\r\n", "\n")).into_owned()
}
