//! Versions of bots.

use agon_arena::Bundle;
use agon_ladder::api::{List, Report, Version, VersionSummary};
use tokio::task::spawn_blocking;

use super::{
    bots::stored,
    call::{BotPath, Call, PageQuery, VersionPath, limit},
    convert,
    cursor::{cursor, place},
    reply::{Download, Json, Media},
};
use crate::{
    app::App,
    arena_handle::ArenaHandle,
    board::BoardBot,
    http::{
        reply::{Shown, failure, not_found},
        version::{are_sources_open, examination, stages},
        views,
        visitor::Visitor,
        words::{first_line, sentence},
    },
    store::{people::Role, versions::Version as StoredVersion},
};

/// Files in a tar archive.
#[derive(Debug)]
pub(super) struct Tar;

impl Media for Tar {
    const TYPES: &'static [&'static str] = &["application/x-tar"];
}

pub(super) async fn list(call: Call<BotPath, PageQuery>) -> Shown<Json<List<VersionSummary>>> {
    let Call { app, caller, path, query, .. } = call;
    let limit = limit(query.limit)?;
    let arena = views::arena(&app, &path.arena)?;
    let bot = stored(&app, &arena, &path.bot).await?;
    let last = place("versions", &query.cursor, |text| text.parse::<u32>().ok())?;
    let board = arena.board();
    let mut versions = app.store.versions(bot.id).await?;
    versions.retain(|version| views::is_known(&bot, version.state, &caller.visitor));
    versions.retain(|version| last.is_none_or(|last| version.number < last));
    let is_more = versions.len() > limit;
    versions.truncate(limit);
    let next = versions.last().filter(|_| is_more);
    let next = next.map(|version| cursor("versions", &version.number.to_string()));
    let summary = |version| convert::version_summary(&board, version, bot.active);
    Ok(Json(List { items: versions.iter().map(summary).collect(), next }))
}

pub(super) async fn get(call: Call<VersionPath>) -> Shown<Json<Version>> {
    let Call { app, caller, path, .. } = call;
    let arena = views::arena(&app, &path.arena)?;
    let (bot, version) = find(&app, &arena, &path, &caller.visitor).await?;
    Ok(Json(whole(&app, &arena, &bot, &version, &caller.visitor)))
}

/// Finds a version of a bot of which somebody may know.
async fn find(
    app: &App,
    arena: &ArenaHandle,
    path: &VersionPath,
    visitor: &Visitor,
) -> Shown<(BoardBot, StoredVersion)> {
    let bot = stored(app, arena, &path.bot).await?;
    let board = arena.board();
    let versions = app.store.versions(bot.id).await?;
    let version = versions.into_iter().find(|version| version.number == path.number);
    let is_known = |version: &StoredVersion| views::is_known(&bot, version.state, visitor);
    let version = version.filter(is_known).ok_or_else(|| not_found("version"))?;
    Ok((views::with_author(app, &board, bot).await?, version))
}

/// Returns all about a version.
pub(super) fn whole(
    app: &App,
    arena: &ArenaHandle,
    bot: &BoardBot,
    version: &StoredVersion,
    visitor: &Visitor,
) -> Version {
    let board = arena.board();
    let of = arena.get();
    let may_see = visitor.is(bot.bot.owner) || visitor.role() >= Role::Organiser;
    let slug = &of.slug;
    let place = format!("arenas/{slug}/bots/{}/versions/{}", bot.bot.slug, version.number);
    let report = version.report.as_ref();
    let ms = report.map_or(0, |report| report.ms);
    Version {
        summary: convert::version_summary(&board, version, bot.bot.active),
        arena: slug.clone(),
        bot: views::named(bot, Some(version.number)),
        page: format!("{}/{place}", visitor.base),
        digest: version.source.map(|digest| digest.to_string()),
        report: report.filter(|_| may_see).map(|report| Report {
            reason: report.refused.as_deref().map(|why| sentence(first_line(why))),
            output: report.output.clone(),
            examinations: report.checks.iter().map(examination).collect(),
            ms: report.ms,
        }),
        stages: stages(app, version, ms),
        source: version.source.is_some() && (may_see || are_sources_open(&of)),
        same_files: false,
    }
}

/// Returns the files of a version as they were handed in.
pub(super) async fn source(call: Call<VersionPath>) -> Shown<Download<Tar>> {
    let Call { app, caller, path, .. } = call;
    let arena = views::arena(&app, &path.arena)?;
    let (bot, version) = find(&app, &arena, &path, &caller.visitor).await?;
    let visitor = &caller.visitor;
    let may_see = visitor.is(bot.bot.owner) || visitor.role() >= Role::Organiser;
    if !may_see && !are_sources_open(&arena.get()) {
        let advice = "Only the author of this bot and organisers can read them now.";
        return Err(failure(403, "The sources are not open", advice));
    }
    let digest = version.source.ok_or_else(|| not_found("source"))?;
    let blobs = app.blobs.clone();
    let work = spawn_blocking(move || -> anyhow::Result<Vec<u8>> {
        let bundle = Bundle::from_bytes(&blobs.get(digest)?)?;
        let mut archive = tar::Builder::new(Vec::new());
        for (path, contents, is_executable) in bundle.files() {
            let mut header = tar::Header::new_gnu();
            header.set_size(contents.len() as u64);
            header.set_mode(if is_executable { 0o755 } else { 0o644 });
            archive.append_data(&mut header, path, contents)?;
        }
        Ok(archive.into_inner()?)
    });
    let bytes = work.await.map_err(anyhow::Error::from)??;
    let name = format!("{}-v{}.tar", bot.bot.slug, version.number);
    Ok(Download::new(bytes, name))
}
