//! `/arenas/{arena}/bots/{slug}/versions/{n}`: a version of a bot.

use maud::{Markup, html};

use crate::{
    model::{Context, Examination, SourceFile, Stage, VersionPage, VersionState},
    parts::{
        arena_frame::{Tab, arena_page},
        badge, bot, form,
        inline::sentence,
        link,
        log::{lines, log, output},
        number::{bytes, grouped, millis, rating},
        time,
        viewer::viewer,
    },
};

/// Writes the page of a version.
///
/// While its state changes, the element `#live` has `data-live="true"`, and the script replaces it
/// every second by that of the same page.
pub fn version(context: &Context, model: &VersionPage) -> Markup {
    let own = model.arena.own_bot.as_ref() == Some(&model.bot.slug);
    let tab = if own { Tab::OwnBot } else { Tab::None };
    let title = format!("{} v{}", bot::shown(&model.bot.name, "Bot"), model.number);
    let main = html! {
        p.crumb { (bot::bot(&model.arena.slug, &model.bot)) }
        h1 { "Version " (model.number) }
        @if !model.message.is_empty() { p.lead { (bot::text(&model.message)) } }
        @let live = if model.live { "true" } else { "false" };
        div #live data-live=(live) data-announce=(announcement(model)) {
            (state(context, model))
            (stages(model))
            (check(&model.check))
            @if let Some(build) = &model.build {
                section aria-labelledby="build" {
                    h2 #build { "Build" }
                    (log(&model.arena.slug, build))
                }
            }
        }
        (facts(model))
        @if !model.replay.is_empty() {
            section aria-labelledby="board" {
                h2 #board { "A match of the check" }
                (viewer("Viewer: a match of the check", &model.replay, None))
            }
        }
        (sources(&model.sources))
    };
    arena_page(context, &model.arena, tab, &title, main)
}

/// Returns what a screen reader says when the state has changed.
fn announcement(model: &VersionPage) -> String {
    format!("Version {}: {}", model.number, model.state.words())
}

fn state(context: &Context, model: &VersionPage) -> Markup {
    let active = model.bot.version == Some(model.number);
    let playable = matches!(model.state, VersionState::Ready | VersionState::Retired);
    let kind = match model.state {
        VersionState::Failed | VersionState::Disqualified => "problem",
        VersionState::Ready => "done",
        _ => "plain",
    };
    html! {
        div class={ "notice state " (kind) } {
            p {
                (badge::version(model.state)) " "
                @if model.plays { (badge::own("plays")) " " }
                @if model.reason.is_empty() {
                    (standard(model.state))
                } @else {
                    (sentence(&model.reason))
                }
            }
            @if model.live { p.reload { a href="" { "Reload" } " to see what is new." } }
            @if model.can_activate && playable && !active {
                @let bot = link::bot(&model.arena.slug, &model.bot.slug);
                form.single method="post" action={ (bot) "/activate" } {
                    (form::csrf(context))
                    (form::hidden("version", &model.number.to_string()))
                    button type="submit" { "Make this version active" }
                }
            }
        }
    }
}

/// Explains a state.
fn standard(state: VersionState) -> &'static str {
    match state {
        VersionState::Queued => "It waits for its build.",
        VersionState::Building => "The server builds it from its files.",
        VersionState::Checking => "It plays a few matches that do not count.",
        VersionState::Ready => "It can play.",
        VersionState::Failed => "It cannot play. The report below says why.",
        VersionState::Retired => "A newer version plays instead.",
        VersionState::Disqualified => "An organiser disqualified it.",
    }
}

fn stages(model: &VersionPage) -> Markup {
    html! {
        @if !model.stages.is_empty() {
            ol.stages aria-label="Stages" { @for stage in &model.stages { (line(stage)) } }
        }
    }
}

fn line(stage: &Stage) -> Markup {
    html! {
        li {
            b { (stage.name) } " " (badge::stage(stage.state))
            @if let Some(ms) = stage.ms { " " small { (millis(ms)) } }
            @if !stage.note.is_empty() { div.hint { (sentence(&stage.note)) } }
        }
    }
}

fn check(check: &[Examination]) -> Markup {
    html! {
        @if !check.is_empty() {
            section aria-labelledby="check" {
                h2 #check { "Examination" }
                div.scroll tabindex="0" role="group" aria-label="Examination" {
                    table.check.stacked.flow {
                        thead {
                            tr {
                                th.n scope="col" { "No." }
                                th scope="col" { "Topic" }
                                th scope="col" { "Status" }
                                th scope="col" { "What was found" }
                            }
                        }
                        tbody {
                            @for one in check {
                                tr {
                                    td.n { (one.number) }
                                    th scope="row" { (one.topic) }
                                    td { (badge::examination(one.status)) }
                                    td.text {
                                        (sentence(&one.found))
                                        @if let Some(remedy) = &one.remedy {
                                            p.remedy { b { "What to do: " } (sentence(remedy)) }
                                        }
                                        @if !one.output.is_empty() {
                                            (output(&one.topic, &one.output))
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

fn facts(model: &VersionPage) -> Markup {
    html! {
        dl.facts-list {
            div { dt { "Handed in" } dd { (time::utc(model.at)) } }
            @if !model.way.is_empty() { div { dt { "By" } dd { (bot::text(&model.way)) } } }
            @if !model.language.is_empty() {
                div { dt { "Language" } dd { (bot::text(&model.language)) } }
            }
            div { dt { "Size" } dd { (bytes(model.bytes)) } }
            div { dt { "Matches" } dd { (grouped(model.matches)) } }
            @if let Some(own) = &model.rating { div { dt { "Rating" } dd { (rating(own)) } } }
            @if !model.digest.is_empty() {
                div { dt { "Digest" } dd { code { (bot::text(&model.digest)) } } }
            }
        }
    }
}

fn sources(sources: &[SourceFile]) -> Markup {
    html! {
        @if !sources.is_empty() {
            section aria-labelledby="sources" {
                h2 #sources { "Files" }
                @for (at, file) in sources.iter().enumerate() {
                    details.source open[at == 0 && sources.len() == 1] {
                        summary {
                            code { (bot::text(&file.path)) } " " small { (bytes(file.bytes)) }
                        }
                        @if let Some(text) = &file.text {
                            pre tabindex="0" role="group" aria-label=(file.path) {
                                code { (lines(text)) }
                            }
                        } @else {
                            p.faint { "It is not text, or too long for this page." }
                        }
                    }
                }
            }
        }
    }
}
