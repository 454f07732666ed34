//! The page of a version: how far it is, what building and checking found, its sources.

use agon_arena::Bundle;
use agon_ladder::api::{self, BotState, Examination, Report, Stage, StageState, VersionState};

use super::parts::lists::{code, output};
use super::parts::values::{first_line, millis};
use super::{bot::why_stopped, prelude::*};
use crate::store::arenas::Sources;
use crate::store::versions::{Check, State as VersionStored, Version};

/// The longest source file that is shown, in bytes.
const SHOWN: usize = 256 << 10;

/// The most bytes of all source files that a page shows.
const SHOWN_ALL: usize = 1 << 20;

/// A source file.
struct SourceFile {
    /// Its path in the bot's folder.
    path: String,
    bytes: u64,
    /// Its text; `None` if it is not text, or too long.
    text: Option<String>,
}

/// Finds a version of a bot of which somebody may know.
pub(super) async fn find(
    app: &App,
    arena: &ArenaHandle,
    slug: &str,
    number: u32,
    visitor: &Visitor,
) -> Shown<(BoardBot, Version)> {
    let bot = views::stored(app, arena, slug).await?;
    let versions = app.store.versions(bot.id).await?;
    let version = versions.into_iter().find(|version| version.number == number);
    let is_known = |version: &Version| views::is_known(&bot, version.state, visitor);
    let version = version.filter(is_known).ok_or_else(|| not_found("version"))?;
    Ok((views::with_author(app, &arena.board(), bot).await?, version))
}

/// Returns all about a version that the visitor may see.
pub(super) fn whole(
    app: &App,
    arena: &ArenaHandle,
    bot: &BoardBot,
    version: &Version,
    visitor: &Visitor,
) -> api::Version {
    let of = arena.get();
    let may_see = visitor.may_see(bot.bot.owner);
    let slug = &of.slug;
    let place = format!("arenas/{slug}/bots/{}/versions/{}", bot.bot.slug, version.number);
    let report = version.report.as_ref();
    let ms = report.map_or(0, |report| report.ms);
    api::Version {
        summary: views::version_summary(&arena.board(), version, bot.bot.active),
        arena: slug.clone(),
        bot: views::named(bot, Some(version.number)),
        page: format!("{}/{place}", visitor.base),
        digest: version.source.map(|digest| digest.to_string()),
        report: report.filter(|_| may_see).map(|report| Report {
            reason: report.refused.as_deref().map(|why| as_sentence(first_line(why))),
            output: report.output.clone(),
            examinations: report.checks.iter().map(examination).collect(),
            ms: report.ms,
        }),
        stages: stages(app, version, ms),
        source: version.source.is_some() && (may_see || are_sources_open(&of)),
        same_files: false,
    }
}

/// Shows a version. While its state changes, the element `#live` has `data-live="true"`, and the
/// script replaces it every second by that of the same page.
pub(super) async fn page(get: Get<(String, String, u32)>) -> Page {
    let Get { app, path: (slug, bot, number), visitor, .. } = get;
    let arena = views::arena(&app, &slug)?;
    let (bot, stored) = find(&app, &arena, &bot, number, &visitor).await?;
    let board = arena.board();
    let version = whole(&app, &arena, &bot, &stored, &visitor);
    let report = version.report.unwrap_or_default();
    let sources = if version.source { sources(&app, &stored).await? } else { Vec::new() };
    let head = views::head(&arena, &board, &visitor);
    let is_own = visitor.is(bot.bot.owner);
    let extension = match bot.bot.owner.filter(|_| is_own) {
        Some(owner) => app.store.extension(arena.id(), owner).await?,
        None => None,
    };
    let of = &version.summary;
    let (bot_state, _) = views::bot_state(&bot);
    let is_excluded = of.active && bot_state == BotState::Disqualified;
    let can_activate = is_own
        && !of.active
        && stored.state == VersionStored::Ready
        && arena.settings().season.is_open(now(), extension);
    let stopped =
        bot.bot.stopped.as_ref().filter(|_| {
            of.active && bot_state == BotState::Paused && visitor.may_see(bot.bot.owner)
        });
    let (kind, standard) = match of.state {
        VersionState::Queued => ("plain", "It waits for its build."),
        VersionState::Building => ("plain", "The server builds it from its files."),
        VersionState::Checking => ("plain", "It plays a few matches that do not count."),
        VersionState::Ready => ("done", "It can play."),
        VersionState::Failed => ("problem", "It cannot play. The report below says why."),
        VersionState::Retired => ("plain", "A newer version plays instead."),
    };
    let why = match (report.reason, stopped) {
        (Some(why), _) => why,
        (None, Some(stopped)) => {
            let why = why_stopped(&arena.settings(), stopped);
            format!("It can play, but the bot is paused. {why}")
        }
        (None, None) if is_excluded => "An organiser disqualified it.".to_owned(),
        (None, None) => standard.to_owned(),
    };
    let (kind, word) = match is_excluded {
        true => ("problem", "disqualified"),
        false => (kind, of.state.name()),
    };
    let is_live = of.state.is_open();
    let main = html! {
        p.crumb { (names::bot(&slug, &views::bot_ref(&board, &bot))) }
        h1 { "Version " (number) }
        @if !of.message.is_empty() { p.lead { (names::text(&of.message)) } }
        @let announcement = format!("Version {number}: {word}");
        div #live data-live=(is_live) data-announce=(announcement) {
            div class={ "notice state " (kind) } {
                p {
                    @if is_excluded { (badge::disqualified()) } @else { (badge::version(of.state)) }
                    " "
                    @if of.active && bot_state == BotState::Playing { (badge::own("plays")) " " }
                    (sentence(&why))
                }
                @if is_live { p.reload { a href="" { "Reload" } " to see what is new." } }
                @if can_activate {
                    form.single method="post"
                        action={ (link::bot(&slug, &bot.bot.slug)) "/activate" } {
                        (form::csrf(&visitor))
                        (form::hidden("version", &number.to_string()))
                        button type="submit" { "Make this version active" }
                    }
                }
            }
            ol.stages aria-label="Stages" {
                @for stage in &version.stages {
                    li {
                        b { (stage.name) } " " (badge::stage(stage.state))
                        @if let Some(ms) = stage.ms { " " small { (millis(ms)) } }
                        @if !stage.note.is_empty() { div.hint { (sentence(&stage.note)) } }
                    }
                }
            }
            (examinations(&report.examinations))
            @if !report.output.is_empty() {
                (section("build", "Build", log("what the build wrote", &report.output)))
            }
        }
        dl.facts-list {
            div { dt { "Handed in" } dd { (utc(of.created)) } }
            @if !of.language.is_empty() {
                div { dt { "Language" } dd { (names::text(&of.language)) } }
            }
            div { dt { "Size" } dd { (bytes(sources.iter().map(|file| file.bytes).sum())) } }
            div { dt { "Matches" } dd { (grouped(of.matches)) } }
            @if let Some(own) = &of.rating { div { dt { "Rating" } dd { (rating(own)) } } }
            @if let Some(digest) = &version.digest {
                div { dt { "Digest" } dd { code { (names::text(digest)) } } }
            }
        }
        @if !sources.is_empty() {
            (section("sources", "Files", html! {
                @for file in &sources {
                    details.source open[sources.len() == 1] {
                        summary {
                            code { (names::text(&file.path)) } " " small { (bytes(file.bytes)) }
                        }
                        @match &file.text {
                            Some(text) => { (code(&file.path, text)) }
                            None => { p.faint { "It is not text, or too long for this page." } }
                        }
                    }
                }
            }))
        }
    };
    let title = format!("{} v{number}", names::shown(&bot.bot.name, "Bot"));
    let is_own = head.arena.own_bot.as_ref() == Some(&bot.bot.slug);
    let tab = if is_own { Tab::OwnBot } else { Tab::None };
    Ok(arena_page(&visitor, &head, tab, &title, main))
}

fn examinations(all: &[Examination]) -> Markup {
    if all.is_empty() {
        return html! {};
    }
    let heads = [("n", "No."), ("", "Topic"), ("", "Status"), ("", "What was found")];
    let rows = html! {
        @for one in all {
            tr {
                td.n { (one.number) }
                th scope="row" { (one.topic) }
                td { (badge::examination(one.status)) }
                td.text {
                    (sentence(&one.found))
                    @if let Some(remedy) = &one.remedy {
                        p.remedy { b { "What to do: " } (sentence(remedy)) }
                    }
                    @if !one.output.is_empty() { (output(&one.topic, &one.output)) }
                }
            }
        }
    };
    section("check", "Examination", wide_table("Examination", "check stacked flow", &heads, rows))
}

/// Returns whether everybody can read the sources of an arena's bots.
pub(super) fn are_sources_open(arena: &Arena) -> bool {
    match arena.settings.sources {
        Sources::Secret => false,
        Sources::Open => true,
        Sources::After => arena.settings.season.freeze.is_some_and(|freeze| freeze <= now()),
    }
}

/// Returns the stages from the hand-in to the first match.
fn stages(app: &App, version: &Version, ms: u64) -> Vec<Stage> {
    use StageState::{Done, Failed, Running, Waiting};
    let since = app.queue.since(version.id).map(|since| since.as_millis() as u64);
    let has_checks = version.report.as_ref().is_some_and(|report| !report.checks.is_empty());
    let (build, check) = match version.state {
        VersionStored::Waiting => (Waiting, Waiting),
        VersionStored::Building => (Running, Waiting),
        VersionStored::Checking => (Done, Running),
        VersionStored::Ready => (Done, Done),
        VersionStored::Refused if has_checks => (Done, Failed),
        VersionStored::Refused => (Failed, Waiting),
    };
    let stage = |name: &str, state: StageState, note: &str| Stage {
        name: name.to_owned(),
        state,
        ms: if state == Running { since } else { None },
        note: note.to_owned(),
    };
    let mut stages = vec![
        stage("build", build, ""),
        stage("check", check, "as `agon check` does: two short matches"),
    ];
    if ms > 0 {
        stages[1].ms = Some(ms);
    }
    if version.state == VersionStored::Waiting && app.queue.is_behind_others(version.id) {
        stages[0].note = "others are built before it".to_owned();
    }
    stages
}

fn examination(check: &Check) -> Examination {
    // A compiler says more than a line.
    let (found, more) = check.found.split_once('\n').unwrap_or((&check.found, ""));
    let output = [more, &check.evidence].join("\n").trim().to_owned();
    Examination {
        number: check.number,
        topic: check.topic.clone(),
        status: check.status,
        found: found.to_owned(),
        output,
        remedy: check.remedy.clone(),
    }
}

/// Returns the files of a version as they were handed in.
async fn sources(app: &App, version: &Version) -> Shown<Vec<SourceFile>> {
    let Some(digest) = version.source else { return Ok(Vec::new()) };
    let blobs = app.blobs.clone();
    let read = blocking(move || -> anyhow::Result<Vec<SourceFile>> {
        let bundle = Bundle::from_bytes(&blobs.get(digest)?)?;
        let mut room = SHOWN_ALL;
        let file = |(path, contents, _): (&str, &[u8], bool)| {
            let text = std::str::from_utf8(contents).ok();
            let most = SHOWN.min(room);
            let text = text.filter(|text| text.len() <= most && !text.contains('\0'));
            room -= text.map_or(0, str::len);
            let text = text.map(str::to_owned);
            SourceFile { path: path.to_owned(), bytes: contents.len() as u64, text }
        };
        Ok(bundle.files().map(file).collect())
    });
    Ok(read.await??)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remedies_stand_above_what_was_written() {
        let one = Examination {
            output: "a.c:1: oh".to_owned(),
            remedy: Some("Answer sooner.".to_owned()),
            ..Examination::default()
        };
        let html = examinations(&[one]).into_string();
        assert!(html.find("What to do:").unwrap() < html.find("a.c:1").unwrap(), "{html}");
    }
}
