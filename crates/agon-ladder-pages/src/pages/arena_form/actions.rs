//! What organisers do with an arena, besides changing its settings.

use maud::{Markup, html};

use crate::{
    model::{ArenaHead, Context, Phase},
    parts::{badge, form::button, link},
};

/// Writes links and buttons.
pub(super) fn actions(context: &Context, arena: &ArenaHead) -> Markup {
    let address = link::admin_arena(&arena.slug);
    let below = |action: &str| format!("{address}/{action}");
    html! {
        div.row.actions {
            (badge::phase(arena.phase))
            a.button href=(link::arena(&arena.slug)) { "Leaderboard" }
            a.button href=(below("grades.csv")) download { "Grades as CSV" }
            (button(context, &below("publish"), "Publish ratings",
                "Everybody will see the ratings as they are now. Publish them?"))
            @if arena.phase == Phase::Paused {
                (button(context, &below("resume"), "Resume", ""))
            } @else if matches!(arena.phase, Phase::Open | Phase::Frozen) {
                (button(context, &below("pause"), "Pause", ""))
            }
            @if !matches!(arena.phase, Phase::Planned | Phase::Over) {
                (button(
                    context,
                    &below("finish"),
                    "Finish",
                    "No more matches will be played. Finish the arena?",
                ))
            }
        }
    }
}
