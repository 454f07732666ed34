//! `/arenas/{arena}/hand-in`: three ways to hand in a bot.

use maud::{Markup, html};

use crate::{
    model::{Context, HandIn},
    parts::{
        arena_frame::{Tab, arena_page},
        bot,
        form::{self, Field},
        layout, link,
        number::{bytes, counted},
        time,
    },
};

/// What the script adds to the hint of the editor.
const KEYS: &str = "Tab indents. Escape, then Tab leaves the editor.";

/// Writes the page on which authors hand in.
pub fn hand_in(context: &Context, model: &HandIn) -> Markup {
    let main = html! {
        h1 { "Hand in" }
        @if !context.viewer.is_signed_in() {
            (sign_in(context))
        } @else if let Some(reason) = &model.closed {
            div.notice.warning { p { strong { "You cannot hand in now. " } (reason) } }
            (draft(model))
        } @else {
            (form::problem(model.error.as_deref()))
            (about(context, model))
            (quota(context, model))
            nav.ways aria-label="Ways to hand in" {
                a href="#editor" { "In the editor" }
                a href="#files" { "Files or a folder" }
                @if !model.shell.is_empty() { a href="#shell" { "From a shell" } }
            }
            (editor(context, model))
            (files(context, model))
            (shell(model))
        }
    };
    arena_page(context, &model.arena, Tab::HandIn, "Hand in", main)
}

fn sign_in(context: &Context) -> Markup {
    html! {
        p.empty {
            a.button.primary href=(layout::sign_in(context)) { "Sign in" }
            " to hand in a bot. You need an account; organisers send invitations."
        }
    }
}

fn about(context: &Context, model: &HandIn) -> Markup {
    html! {
        p {
            @if let Some(own) = &model.bot {
                "This becomes a new version of " (bot::bot(&model.arena.slug, own)) ". "
            } @else {
                "This becomes your first version. "
            }
            "Agon builds and examines it"
            @if let Some(why) = &model.stopped {
                ". It does not play then, because your bot is paused. " (why)
            } @else {
                ", and then it plays"
                @if model.bot.is_some() { " in place of the one before" }
                "."
            }
        }
        @if !model.game_rules.is_empty() {
            p {
                @if model.bot.is_none() {
                    "The code below is a complete bot that makes random moves. "
                }
                a href=(model.game_rules) { "The rules of the game" }
                " say what a bot sees and what it can answer."
            }
        }
        @if let Some(deadline) = model.until.or(model.arena.deadline) {
            p {
                @if model.until.is_some() { "Your deadline: " } @else { "Deadline: " }
                (time::zoned(deadline))
                @if let Some(left) = time::left(context.now, deadline.at) { " · " b { (left) } }
            }
        }
    }
}

fn quota(context: &Context, model: &HandIn) -> Markup {
    let quota = &model.quota;
    html! {
        dl.facts-list {
            div {
                dt { "Hand-ins left today" }
                dd {
                    b { (quota.left) } " of " (quota.per_day)
                    @if let Some(next) = quota.next {
                        " · next " (time::utc(next))
                        @if let Some(left) = time::left(context.now, next) { " (" (left) ")" }
                    }
                }
            }
            div {
                dt { "Size" }
                dd {
                    "at most " (bytes(quota.bytes)) " in "
                    (counted(u64::from(quota.files), "file", "files"))
                }
            }
        }
    }
}

/// Writes the fields that both forms have.
fn common(model: &HandIn, prefix: &str) -> Markup {
    html! {
        @if model.bot.is_none() {
            (Field {
                label: "Name of your bot",
                name: "name",
                prefix,
                value: &model.name,
                required: true,
                most: form::MAX_NAME,
                autocomplete: "off",
                ..Default::default()
            }.write())
        }
        (Field {
            label: "What changed (optional)",
            name: "message",
            prefix,
            value: &model.message,
            hint: "Everybody can read it in the list of versions.",
            most: form::MAX_MESSAGE,
            autocomplete: "off",
            ..Default::default()
        }.write())
    }
}

fn editor(context: &Context, model: &HandIn) -> Markup {
    let address = |page: &str| link::below(&model.arena.slug, page);
    html! {
        section.way aria-labelledby="editor" {
            h2 #editor { "In the editor" }
            (languages(model))
            @if !model.language.is_empty() {
                @let game = link::segment(&model.arena.game);
                @let kit = format!("/games/{game}/kits/{}", link::segment(&model.language));
                p { a href=(kit) download { "Download the starter kit" } " (.zip)" }
            }
            // Who has to sign in first comes back to the same language.
            @let language = link::value(&model.language);
            form method="post" action={ (address("hand-in")) "?language=" (language) }
                enctype="multipart/form-data" data-editor="true" data-draft=(model.draft)
                data-sent[model.is_sent] {
                (form::csrf(context))
                (form::hidden("way", "editor"))
                (form::hidden("language", &model.language))
                (form::hidden("file", &model.file))
                div.notice.warning data-restored hidden {
                    p { "This is what you typed in this tab and did not hand in." }
                    p { button type="button" { "Discard it and open " (model.origin) } }
                }
                div.field.code {
                    label for="code" {
                        code { (bot::shown(&model.file, "Code")) }
                        @if !model.origin.is_empty() { small { " from " (model.origin) } }
                    }
                    textarea #code name="code" rows="24" spellcheck="false" autocapitalize="off"
                        autocomplete="off" wrap="off" aria-describedby="code-about"
                        { "\n" (form::raw(&model.code)) }
                    p.hint #code-about data-keys=(KEYS) {
                        "A bot with several files needs one of the other ways."
                    }
                }
                (common(model, "editor"))
                (form::replaces("editor", model.replaces.as_deref()))
                div.row.actions {
                    button.primary type="submit" { "Hand in" }
                    (opponents(model))
                    button type="submit" formaction=(address("try")) formnovalidate
                        data-try="true" { "Try it" }
                }
            }
            div #try-result .try-result {}
        }
    }
}

/// Writes where the script shows what was typed here before handing in was over.
fn draft(model: &HandIn) -> Markup {
    html! {
        section aria-labelledby="typed" data-drafts=(model.draft) hidden {
            h2 #typed { "What you did not hand in" }
            p { "You typed it in this tab, and it is nowhere else. Copy it to keep it." }
            div.field.code {
                label for="draft" { "Your text" }
                textarea #draft rows="24" readonly spellcheck="false" wrap="off" {}
                button type="button" data-copy="draft" hidden { "Copy" }
            }
        }
    }
}

fn languages(model: &HandIn) -> Markup {
    html! {
        @if model.languages.len() > 1 {
            nav.switch aria-label="Language" {
                @for language in &model.languages {
                    @let current = language.id == model.language;
                    a href={ "?language=" (link::value(&language.id)) "#editor" }
                        aria-current=[current.then_some("true")] { (bot::text(&language.name)) }
                }
            }
        }
    }
}

fn opponents(model: &HandIn) -> Markup {
    html! {
        @if !model.opponents.is_empty() {
            div.field.inline {
                label for="opponent" { "or a trial match against" }
                select #opponent name="opponent" {
                    @for choice in &model.opponents {
                        option value=(form::raw(&choice.id)) selected[choice.on] {
                            (bot::shown(&choice.label, "unnamed"))
                        }
                    }
                }
            }
        }
    }
}

fn files(context: &Context, model: &HandIn) -> Markup {
    html! {
        section.way aria-labelledby="files" {
            h2 #files { "Files or a folder" }
            form method="post" action=(link::below(&model.arena.slug, "hand-in"))
                enctype="multipart/form-data" data-drop="true" {
                (form::csrf(context))
                (form::hidden("way", "files"))
                div.drop {
                    p data-drop-text="You can also drop them here." {
                        "One file, several files, a folder, or an archive (.zip, .tar.gz)."
                    }
                    div.row {
                        div.field {
                            label for="upload-files" { "Files or an archive" }
                            input #upload-files name="files" type="file" multiple;
                        }
                        div.field {
                            label for="upload-folder" { "or a folder" }
                            input #upload-folder name="folder" type="file" webkitdirectory multiple;
                        }
                    }
                    ul.dropped aria-label="Dropped files" hidden {}
                }
                (common(model, "files"))
                button.primary type="submit" { "Hand in these files" }
            }
        }
    }
}

fn shell(model: &HandIn) -> Markup {
    html! {
        @if !model.shell.is_empty() {
            section.way aria-labelledby="shell" {
                h2 #shell { "From a shell" }
                p {
                    a href=(link::below(&model.arena.slug, "agents.txt")) {
                        "Everything for taking part as plain text"
                    }
                    ", for coding agents and shells."
                }
                ol.shell {
                    @for (at, step) in model.shell.iter().enumerate() {
                        li { (form::copied(&format!("shell-{at}"), &step.words, &step.command)) }
                    }
                }
            }
        }
    }
}
