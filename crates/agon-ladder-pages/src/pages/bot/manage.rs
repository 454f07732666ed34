//! Buttons with which authors and organisers change a bot.

use maud::{Markup, html};

use crate::{
    model::{BotPage, BotState, Context, OwnBot, VersionState},
    parts::{
        form::{self, Field},
        link,
    },
};

/// Writes the forms that the viewer may use.
pub(super) fn manage(context: &Context, model: &BotPage) -> Markup {
    let mine = model.own.as_ref().filter(|own| own.can_change);
    let below =
        |action: &str| format!("{}/{action}", link::bot(&model.arena.slug, &model.bot.slug));
    html! {
        @if let Some(own) = mine {
            section.manage aria-labelledby="manage" {
                h2 #manage { "Change this bot" }
                @if let Some(why) = &own.fixed { p { (why) } }
                div.forms {
                    @if own.fixed.is_none() {
                        @if own.can_activate {
                            (activate(context, model, &below("activate")))
                        }
                        (compare(context, model, &below("compare")))
                    }
                    // A name may be offensive.
                    @if own.fixed.is_none() || context.viewer.is_organiser() {
                        (rename(context, model, &below("rename")))
                    }
                    @if own.fixed.is_none() { (pause(context, model, own, &below)) }
                }
            }
        }
        @if context.viewer.is_organiser() && !model.bot.boss {
            section.organise aria-labelledby="organise" {
                h2 #organise { "For organisers" }
                (exclude(context, model, &below))
            }
        }
    }
}

/// Returns the numbers of versions that can play, newest first.
fn playable(model: &BotPage) -> Vec<u32> {
    let ready = |state| matches!(state, VersionState::Ready | VersionState::Retired);
    model.versions.iter().filter(|row| ready(row.state)).map(|row| row.number).collect()
}

fn select(id: &str, name: &str, label: &str, numbers: &[u32], chosen: Option<u32>) -> Markup {
    html! {
        div.field {
            label for=(id) { (label) }
            select id=(id) name=(name) {
                @for &number in numbers {
                    option value=(number) selected[Some(number) == chosen] { "v" (number) }
                }
            }
        }
    }
}

fn activate(context: &Context, model: &BotPage, action: &str) -> Markup {
    let others: Vec<u32> =
        playable(model).into_iter().filter(|&number| Some(number) != model.bot.version).collect();
    html! {
        @if !others.is_empty() {
            (form::form(context, action, html! {
                (select("activate-version", "version", "Another version plays", &others, None))
                button type="submit" { "Make it active" }
            }))
        }
    }
}

fn compare(context: &Context, model: &BotPage, action: &str) -> Markup {
    let numbers = playable(model);
    html! {
        @if numbers.len() > 1 {
            (form::form(context, action, html! {
                (select("compare-a", "a", "Is version", &numbers, numbers.first().copied()))
                (select("compare-b", "b", "better than version", &numbers, numbers.get(1).copied()))
                button type="submit" { "Find out" }
            }))
        }
    }
}

fn rename(context: &Context, model: &BotPage, action: &str) -> Markup {
    let field = Field {
        label: "New name",
        name: "name",
        value: &model.bot.name,
        required: true,
        most: form::MAX_NAME,
        autocomplete: "off",
        ..Default::default()
    };
    form::form(context, action, html! { (field.write()) button type="submit" { "Rename" } })
}

fn pause(
    context: &Context,
    model: &BotPage,
    own: &OwnBot,
    below: &dyn Fn(&str) -> String,
) -> Markup {
    match model.state {
        BotState::Paused(_) if !own.can_resume => html! {},
        BotState::Paused(_) => html! {
            (form::button(context, &below("resume"), "Let it play again", ""))
            @if own.can_hold {
                (form::button(
                    context,
                    &below("pause"),
                    "Pause it as an organiser",
                    "Then its author cannot let it play again. Pause it?",
                ))
            }
        },
        BotState::Plays => form::button(
            context,
            &below("pause"),
            "Pause it",
            "It plays no matches until you let it play again, and then it has to play some before \
             it has a rank. Pause it?",
        ),
        BotState::NoVersion | BotState::Disabled | BotState::Disqualified(_) => html! {},
    }
}

fn exclude(context: &Context, model: &BotPage, below: &dyn Fn(&str) -> String) -> Markup {
    if matches!(model.state, BotState::Disqualified(_)) {
        return form::button(context, &below("reinstate"), "Let it play again", "");
    }
    let field = Field {
        label: "Reason, which everybody can read",
        name: "reason",
        required: true,
        most: form::MAX_MESSAGE,
        ..Default::default()
    };
    form::asking(
        context,
        &below("disqualify"),
        "Everybody will read the reason, and the bot plays no more matches. Disqualify it?",
        html! {
            (field.write())
            button.danger type="submit" { "Disqualify" }
        },
    )
}
