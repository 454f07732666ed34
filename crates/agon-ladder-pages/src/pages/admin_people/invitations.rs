//! Invitations, and lists of whole classes.

use maud::{Markup, html};

use crate::{
    model::{Context, Invitation, Role, Upload},
    parts::{
        bot,
        form::{self, Field},
        inline::sentence,
        link,
        number::grouped,
    },
};

/// What is asked before an invitation is withdrawn.
const WITHDRAW: &str = "Nobody can use this link any more. Withdraw it?";

/// Writes the list of invitations.
pub(super) fn invitations(context: &Context, invitations: &[Invitation]) -> Markup {
    html! {
        section aria-labelledby="invitations" {
            h2 #invitations { "Invitations" }
            @for (at, one) in invitations.iter().enumerate() { (new_link(at, one)) }
            @if invitations.is_empty() {
                p.empty { "There are none." }
            } @else {
                div.scroll {
                    table.plain {
                        thead {
                            tr {
                                th scope="col" { "Role" }
                                th scope="col" { "For" }
                                th.n scope="col" { "Uses left" }
                                th.n scope="col" { "Until" }
                                th scope="col" { "Withdraw" }
                            }
                        }
                        tbody {
                            @for one in invitations { (line(context, one)) }
                        }
                    }
                }
                p.hint { "A link is shown only when it is made." }
            }
        }
    }
}

/// Writes the link of an invitation that was just made.
fn new_link(at: usize, one: &Invitation) -> Markup {
    if one.address.is_empty() {
        return html! {};
    }
    html! {
        div.notice.done {
            p { "Copy this link now, and send it to the people whom you invite." }
            (form::copied(&format!("invitation-{at}"), "Link of the invitation", &one.address))
        }
    }
}

fn line(context: &Context, one: &Invitation) -> Markup {
    let action = format!("/admin/invitations/{}/withdraw", link::segment(&one.code));
    html! {
        tr {
            td { (one.role.name()) }
            td.text { (bot::text(&one.note)) }
            td.n { (grouped(one.left)) }
            td.n { @if let Some(until) = one.until { (until.day()) } @else { "no end" } }
            td { (form::button(context, &action, "Withdraw", WITHDRAW)) }
        }
    }
}

/// Writes the form of a new invitation.
pub(super) fn invite(context: &Context) -> Markup {
    let number = |label, name, value| Field {
        label,
        name,
        prefix: "invite",
        kind: "number",
        value,
        required: true,
        ..Default::default()
    };
    html! {
        section aria-labelledby="invite" {
            h2 #invite { "Invite people" }
            (form::form(context, "/admin/invitations", html! {
                div.field {
                    label for="invite-role" { "Role" }
                    select #invite-role name="role" { (roles(Role::Author)) }
                }
                (number("How many people can use it", "uses", "1").write())
                (number("How many days it holds", "days", "14").write())
                (Field {
                    label: "What it is for (optional)",
                    name: "note",
                    prefix: "invite",
                    most: form::MAX_MESSAGE,
                    ..Default::default()
                }.write())
                button type="submit" { "Make a link" }
            }))
        }
    }
}

/// Writes the form to send a class list.
pub(super) fn class_list(context: &Context) -> Markup {
    html! {
        section aria-labelledby="class" {
            h2 #class { "Class list" }
            p {
                "A CSV file with a name in the first column of each line. Each name becomes an \
                 author, and gets a personal link to set a password. A first line with the title \
                 " code { "name" } " is left out."
            }
            form.fields method="post" action="/admin/people/upload" enctype="multipart/form-data" {
                (form::csrf(context))
                div.field {
                    label for="list" { "Class list (CSV file)" }
                    input #list name="list" type="file" accept=".csv,text/csv" required;
                }
                div.check {
                    input #public type="checkbox" name="public" value="yes";
                    label for="public" {
                        "Everybody sees these names beside the bots. Otherwise each author gets a \
                         display name such as " code { "player-1a2b3c4d" } ", and can change it."
                    }
                }
                button type="submit" { "Upload the class list" }
            }
        }
    }
}

/// Writes what became of a class list.
pub(super) fn uploaded(upload: &Upload) -> Markup {
    html! {
        (form::problem(upload.error.as_deref()))
        @if !upload.people.is_empty() {
            section aria-labelledby="uploaded" {
                h2 #uploaded { "The class list" }
                div.scroll tabindex="0" role="group" aria-label="The class list" {
                    table.plain.stacked {
                        thead {
                            tr {
                                th scope="col" { "Name" }
                                th scope="col" { "Result" }
                                th scope="col" { "Link to set a password" }
                            }
                        }
                        tbody {
                            @for one in &upload.people {
                                tr {
                                    th scope="row" { (bot::text(&one.name)) }
                                    td.text { (sentence(&one.words)) }
                                    td.text {
                                        @if !one.address.is_empty() {
                                            code { (bot::text(&one.address)) }
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Writes the options of a role.
pub(super) fn roles(chosen: Role) -> Markup {
    html! {
        @for role in Role::ALL {
            option value=(role.name()) selected[role == chosen] { (role.name()) }
        }
    }
}
