//! `/admin/people`: people and invitations.

mod erase;
mod invitations;

pub use erase::erase_person;
use maud::{Markup, html};

use crate::{
    model::{AdminPeople, AdminPerson, Context, Role},
    parts::{
        admin::{AdminTab, admin_page, search},
        badge, bot, form, link,
        number::{counted, grouped},
        paging::paging,
        time::{ago, utc},
    },
};

/// Writes the list of people, with invitations and class lists.
pub fn admin_people(context: &Context, model: &AdminPeople) -> Markup {
    let main = html! {
        h1 { "People" }
        (reset_link(model))
        @if let Some(upload) = &model.upload { (invitations::uploaded(upload)) }
        div.bar {
            p { (counted(model.paging.total, "account", "accounts")) }
            (search("/admin/people", "Name", &model.search))
        }
        (people(context, model))
        (paging(&model.paging, "Pages of the list"))
        (invitations::invitations(context, &model.invitations))
        div.columns {
            (invitations::invite(context))
            (invitations::class_list(context))
        }
        (privacy(context, model.are_private))
    };
    admin_page(context, AdminTab::People, "People", main)
}

/// Writes the form that says whether visitors see the pages of people.
fn privacy(context: &Context, are_private: bool) -> Markup {
    html! {
        section aria-labelledby="privacy" {
            h2 #privacy { "Who sees the pages of people" }
            (form::form(context, "/admin/privacy", html! {
                div.check {
                    input #private type="checkbox" name="private" value="yes" checked[are_private];
                    label for="private" {
                        "Only people with an account. Tables still show the names of authors."
                    }
                }
                button type="submit" { "Save" }
            }))
        }
    }
}

fn reset_link(model: &AdminPeople) -> Markup {
    let Some(reset) = &model.reset else { return html! {} };
    html! {
        div.notice.done {
            p {
                "Send this link to " b { (bot::text(&reset.name)) }
                ". It works once, and is shown only now."
                @if let Some(until) = reset.until { " It holds until " (utc(until)) "." }
            }
            (form::copied("reset-link", "Link to choose a new password", &reset.address))
        }
    }
}

fn people(context: &Context, model: &AdminPeople) -> Markup {
    html! {
        @if model.people.is_empty() {
            p.empty { "Nobody is found." }
        } @else {
            div.scroll {
                table.plain.stacked {
                    thead {
                        tr {
                            th scope="col" { "Name" }
                            th scope="col" { "Role" }
                            th.n.less scope="col" { "Bots" }
                            th.n.minor scope="col" { "Since" }
                            th.n.minor scope="col" { "Last here" }
                            th scope="col" { "Account" }
                        }
                    }
                    tbody {
                        @for (at, person) in model.people.iter().enumerate() {
                            (line(context, model, at, person))
                        }
                    }
                }
            }
        }
    }
}

/// Returns the address of a form about a person; the list keeps its search after it.
fn action(model: &AdminPeople, person: &AdminPerson, action: &str) -> String {
    let address = link::admin_person(&person.name, action);
    match model.search.as_str() {
        "" => address,
        search => format!("{address}?q={}", link::value(search)),
    }
}

fn line(context: &Context, model: &AdminPeople, at: usize, person: &AdminPerson) -> Markup {
    let action = |name: &str| action(model, person, name);
    let is_administrator = context.viewer.role == Role::Administrator;
    html! {
        tr {
            th.text scope="row" {
                (bot::person(&person.shown))
                @if person.shown.to_lowercase() != person.name {
                    br; "signs in as " (bot::text(&person.name))
                }
                @if person.disabled { " " (badge::plain("disabled")) }
            }
            td { (role(context, &action("role"), at, person)) }
            td.n.less { (grouped(person.bots)) }
            td.n.minor { (person.since.day()) }
            td.n.minor {
                @if let Some(seen) = person.seen { (ago(context.now, seen)) } @else { "never" }
            }
            td.row {
                (form::button(context, &action("reset"), "Reset link", ""))
                @if person.disabled {
                    (form::button(context, &action("enable"), "Enable", ""))
                } @else {
                    (form::button(
                        context,
                        &action("disable"),
                        "Disable",
                        "This person cannot sign in any more, and their bots stop. Disable?",
                    ))
                }
                @if is_administrator && person.shown != context.viewer.name {
                    a href=(link::admin_person(&person.name, "erase")) {
                        "Erase" span.unseen { " " (person.name) } "…"
                    }
                }
            }
        }
    }
}

fn role(context: &Context, action: &str, at: usize, person: &AdminPerson) -> Markup {
    let id = format!("role-{at}");
    html! {
        form.row.single method="post" action=(action) {
            (form::csrf(context))
            label.unseen for=(id) { "Role of " (bot::text(&person.name)) }
            select id=(id) name="role" { (invitations::roles(person.role)) }
            button type="submit" { "Set" }
        }
    }
}
