//! Links to the pages of a long list.

use maud::{Markup, html};

use super::number::grouped;
use crate::model::Paging;

/// Writes links to other pages, if there are any.
pub(crate) fn paging(paging: &Paging, label: &str) -> Markup {
    if paging.pages < 2 {
        return html! {};
    }
    let address = |page: u64| {
        if paging.query.is_empty() {
            format!("?page={page}")
        } else {
            format!("?{}&page={page}", paging.query)
        }
    };
    html! {
        nav.paging aria-label=(label) {
            @if paging.page > 1 {
                a href=(address(paging.page - 1)) rel="prev" { "← Previous" }
            }
            @for (at, page) in near(paging.page, paging.pages).into_iter().enumerate() {
                @if at > 0 && page.1 { span aria-hidden="true" { "…" } }
                @let current = page.0 == paging.page;
                a href=(address(page.0)) aria-current=[current.then_some("page")] {
                    span.unseen { "Page " } (grouped(page.0))
                }
            }
            @if paging.page < paging.pages {
                a href=(address(paging.page + 1)) rel="next" { "Next →" }
            }
        }
    }
}

/// Returns the numbers of pages with links, each with whether others are left out before it.
fn near(page: u64, pages: u64) -> Vec<(u64, bool)> {
    let around = page.saturating_sub(2).max(1)..=page.saturating_add(2).min(pages);
    let mut numbers: Vec<u64> = [1].into_iter().chain(around).chain([pages]).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let before = [0].into_iter().chain(numbers.clone());
    numbers.iter().zip(before).map(|(&page, before)| (page, page > before + 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_near_and_to_the_ends() {
        let numbers = |page, pages| -> Vec<u64> {
            near(page, pages).into_iter().map(|(page, _)| page).collect()
        };
        assert_eq!(numbers(1, 3), [1, 2, 3]);
        assert_eq!(numbers(10, 20), [1, 8, 9, 10, 11, 12, 20]);
        assert_eq!(near(5, 9)[1], (3, true));
        assert_eq!(numbers(u64::MAX, 3), [1, 3]);
    }
}
