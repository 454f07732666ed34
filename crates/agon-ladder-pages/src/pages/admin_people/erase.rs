//! `/admin/people/{name}/erase`: what goes and what stays, and the name once more.

use maud::{Markup, html};

use crate::{
    model::{Context, ErasePerson},
    parts::{
        admin::{AdminTab, admin_page},
        bot,
        form::{self, Field},
        link,
        number::counted,
    },
};

/// Writes the page on which an administrator confirms that a person is erased.
pub fn erase_person(context: &Context, model: &ErasePerson) -> Markup {
    let main = html! {
        h1 { "Erase " (bot::text(&model.name)) }
        (form::problem(model.error.as_deref()))
        p {
            b { "This cannot be undone." } " Agon removes the account of "
            b { (bot::text(&model.name)) } " and all that the person wrote: names, password, \
             sessions, tokens and links; sources, builds, messages and reports of "
            (counted(model.bots, "bot", "bots"))
            "; what the bots wrote in matches; and the replays of these matches."
        }
        p {
            "The results stay, under a name such as " code { "erased-1a2b3c" } ". So the public \
             log is as before. Backups that were made earlier still have everything."
        }
        p { "To keep a person out without losing anything, disable the account instead." }
        form method="post" action=(link::admin_person(&model.name, "erase")) {
            (form::csrf(context))
            (Field {
                label: "Type the name to confirm",
                name: "confirm",
                prefix: "erase",
                required: true,
                most: form::MAX_NAME,
                autocomplete: "off",
                ..Default::default()
            }.write())
            div.row.actions {
                button.danger type="submit" { "Erase this person" }
                a href="/admin/people" { "Cancel" }
            }
        }
    };
    admin_page(context, AdminTab::People, "Erase a person", main)
}
