//! Versions of bots.

use agon_arena::Bundle;
use agon_ladder::api::{List, Version, VersionSummary};
use tokio::task::spawn_blocking;

use super::{
    call::{BotPath, Call, PageQuery, VersionPath, limit},
    cursor::{cut, place},
    reply::{Download, Json, Media},
};
use crate::http::{
    reply::{Shown, failure, not_found},
    version::{are_sources_open, find, whole},
    views,
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
    let bot = views::stored(&app, &arena, &path.bot).await?;
    let last = place("versions", &query.cursor, |text| text.parse::<u32>().ok())?;
    let board = arena.board();
    let mut versions = app.store.versions(bot.id).await?;
    versions.retain(|version| views::is_known(&bot, version.state, &caller.visitor));
    versions.retain(|version| last.is_none_or(|last| version.number < last));
    let next = cut("versions", &mut versions, limit, |version| version.number.to_string());
    let summary = |version| views::version_summary(&board, version, bot.active);
    Ok(Json(List { items: versions.iter().map(summary).collect(), next }))
}

pub(super) async fn get(call: Call<VersionPath>) -> Shown<Json<Version>> {
    let Call { app, caller, path, .. } = call;
    let arena = views::arena(&app, &path.arena)?;
    let visitor = &caller.visitor;
    let (bot, version) = find(&app, &arena, &path.bot, path.number, visitor).await?;
    Ok(Json(whole(&app, &arena, &bot, &version, visitor)))
}

/// Returns the files of a version as they were handed in.
pub(super) async fn source(call: Call<VersionPath>) -> Shown<Download<Tar>> {
    let Call { app, caller, path, .. } = call;
    let arena = views::arena(&app, &path.arena)?;
    let visitor = &caller.visitor;
    let (bot, version) = find(&app, &arena, &path.bot, path.number, visitor).await?;
    if !visitor.may_see(bot.bot.owner) && !are_sources_open(&arena.get()) {
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
