//! Bots and their versions, and what their authors and organisers do with them.

use agon_arena::Bundle;
use agon_ladder::api::{
    ActivateRequest, BASE, Bot, BotSummary, CompareRequest, Comparison, RatingPoint, ReasonRequest,
    RenameRequest, Version, VersionSummary,
};
use agon_ladder::archive::is_archive;
use agon_match::spec::Digest;
use axum::extract::Request;
use schemars::SchemaGenerator;
use serde_json::{Value, json};

use super::call::{Download, RequestBody, VersionPath, media_type, read_bytes, unsupported};
use super::prelude::*;
use crate::http::bot::comparison;
use crate::http::bot_changes::{Stop, bot_name, changeable};
use crate::http::entry::{Sent, Started, Wanted};
use crate::http::form::{UploadedFile, in_turn, read_upload};
use crate::http::version::{are_sources_open, find, whole};
use crate::http::{bot, bot_changes, entry};

pub(super) async fn list(call: Call<ArenaPath, PageQuery>) -> Shown<Json<List<BotSummary>>> {
    let Call { app, visitor, path, query, .. } = call;
    let limit = limit(query.limit)?;
    let board = views::arena(&app, &path.arena)?.board();
    let last = place("bots", &query.cursor, |text| {
        let (created, id) = text.split_once('.')?;
        Some((created.parse::<i64>().ok()?, id.parse::<i64>().ok()?))
    })?;
    let key = |bot: &BoardBot| (bot.bot.created, bot.bot.id);
    let mut bots: Vec<&BoardBot> =
        board.bots.values().filter(|bot| last.is_none_or(|last| key(bot) > last)).collect();
    bots.sort_unstable_by_key(|bot| key(bot));
    let next = cut("bots", &mut bots, limit, |bot| {
        let (created, id) = key(bot);
        format!("{created}.{id}")
    });
    let summary = |bot: &&BoardBot| {
        let active = bot.bot.active.and_then(|id| board.versions.get(&id));
        views::bot_summary(&board, bot, active, &visitor)
    };
    Ok(Json(List { items: bots.iter().map(summary).collect(), next }))
}

pub(super) async fn get(call: Call<BotPath>) -> Shown<Json<Bot>> {
    let Call { app, visitor, path, .. } = call;
    let arena = views::arena(&app, &path.arena)?;
    reply(&app, &arena, &path.bot, &visitor).await
}

/// Returns all about a bot, as it is stored now.
async fn reply(app: &App, arena: &ArenaHandle, slug: &str, visitor: &Visitor) -> Shown<Json<Bot>> {
    Ok(Json(bot::whole(app, arena, slug, visitor).await?.bot))
}

pub(super) async fn ratings(call: Call<BotPath>) -> Shown<Json<List<RatingPoint>>> {
    let Call { app, path, .. } = call;
    let arena = views::arena(&app, &path.arena)?;
    let stored = views::stored(&app, &arena, &path.bot).await?;
    let versions = app.store.versions(stored.id).await?;
    Ok(Json(List { items: bot::ratings(&app, &versions).await?, next: None }))
}

pub(super) async fn comparisons(call: Call<BotPath>) -> Shown<Json<List<Comparison>>> {
    let Call { app, visitor, path, .. } = call;
    let own = changeable(&app, &visitor, &path.arena, &path.bot).await?;
    let items = app.comparisons.of(own.bot.id).iter().map(comparison).collect();
    Ok(Json(List { items, next: None }))
}

pub(super) async fn compare(call: Posted<BotPath, CompareRequest>) -> Shown<Created<Comparison>> {
    let Call { app, visitor, path, body: JsonBody(body), .. } = call;
    let own = changeable(&app, &visitor, &path.arena, &path.bot).await?;
    let body = comparison(&bot_changes::compare(&app, &own, body.a, body.b).await?);
    Ok(Created { body, location: None })
}

pub(super) async fn activate(call: Posted<BotPath, ActivateRequest>) -> Shown<Json<Bot>> {
    let Call { app, visitor, path, body: JsonBody(body), .. } = call;
    let own = changeable(&app, &visitor, &path.arena, &path.bot).await?;
    bot_changes::activate(&app, &own, body.version).await?;
    reply(&app, &own.arena, &path.bot, &visitor).await
}

pub(super) async fn rename(call: Posted<BotPath, RenameRequest>) -> Shown<Json<Bot>> {
    let Call { app, visitor, path, body: JsonBody(body), .. } = call;
    let own = changeable(&app, &visitor, &path.arena, &path.bot).await?;
    bot_name(&body.name).map_err(unusable)?;
    bot_changes::rename(&app, &own, &body.name).await?;
    reply(&app, &own.arena, &path.bot, &visitor).await
}

/// Stops a bot, or lets it play again.
pub(super) async fn stop(
    call: Posted<BotPath, ReasonRequest, true>,
    stop: Stop,
) -> Shown<Json<Bot>> {
    let Call { app, visitor, path, body: JsonBody(body), .. } = call;
    let own = changeable(&app, &visitor, &path.arena, &path.bot).await?;
    bot_changes::stop(&app, &own, stop, reason(&body)?).await?;
    reply(&app, &own.arena, &path.bot, &visitor).await
}

pub(super) async fn versions(call: Call<BotPath, PageQuery>) -> Shown<Json<List<VersionSummary>>> {
    let Call { app, visitor, path, query, .. } = call;
    let limit = limit(query.limit)?;
    let arena = views::arena(&app, &path.arena)?;
    let bot = views::stored(&app, &arena, &path.bot).await?;
    let last = place("versions", &query.cursor, |text| text.parse::<u32>().ok())?;
    let board = arena.board();
    let mut versions = app.store.versions(bot.id).await?;
    versions.retain(|version| views::is_known(&bot, version.state, &visitor));
    versions.retain(|version| last.is_none_or(|last| version.number < last));
    let next = cut("versions", &mut versions, limit, |version| version.number.to_string());
    let summary = |version| views::version_summary(&board, version, bot.active);
    Ok(Json(List { items: versions.iter().map(summary).collect(), next }))
}

pub(super) async fn version(call: Call<VersionPath>) -> Shown<Json<Version>> {
    let Call { app, visitor, path, .. } = call;
    let arena = views::arena(&app, &path.arena)?;
    let (bot, version) = find(&app, &arena, &path.bot, path.number, &visitor).await?;
    Ok(Json(whole(&app, &arena, &bot, &version, &visitor)))
}

/// Returns the files of a version as they were handed in.
pub(super) async fn source(call: Call<VersionPath>) -> Shown<Download> {
    let Call { app, visitor, path, .. } = call;
    let arena = views::arena(&app, &path.arena)?;
    let (bot, version) = find(&app, &arena, &path.bot, path.number, &visitor).await?;
    if !visitor.may_see(bot.bot.owner) && !are_sources_open(&arena.get()) {
        let advice = "Only the author of this bot and organisers can read them now.";
        return Err(failure(Forbidden, "The sources are not open", advice));
    }
    let digest = version.source.ok_or_else(|| not_found("source"))?;
    let blobs = app.blobs.clone();
    let work = blocking(move || -> anyhow::Result<Vec<u8>> {
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
    let bytes = work.await??;
    let name = format!("{}-v{}.tar", bot.bot.slug, version.number);
    Ok(Download { bytes, name, media_type: "application/x-tar" })
}

/// Media types of archives.
const ARCHIVES: [&str; 5] = [
    "application/zip",
    "application/x-tar",
    "application/gzip",
    "application/x-gzip",
    "application/octet-stream",
];

/// The name of the bot, and what is new.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct HandInQuery {
    /// The name of a new bot; the author's name if it is missing. It counts for a first version
    /// only.
    #[serde(default)]
    #[schemars(length(max = 40))]
    name: String,
    /// What is new in this version.
    #[serde(default)]
    #[schemars(length(max = 2000))]
    message: String,
    /// The digest of a secret number of the author, for the seed of a final; see `revealNonce`.
    #[serde(default)]
    nonce: Option<Digest>,
}

/// The files of a version.
pub(super) struct HandedIn(Upload, Started);

impl RequestBody for HandedIn {
    fn describe(_: &mut SchemaGenerator) -> Option<Value> {
        let mut content = serde_json::Map::new();
        for kind in ARCHIVES {
            content.insert(kind.to_owned(), json!({}));
        }
        let text = json!({"type": "string"});
        let files = json!({"type": "array", "items": {
            "type": "string", "contentMediaType": "application/octet-stream",
        }});
        content.insert(
            "multipart/form-data".to_owned(),
            json!({"schema": {
                "type": "object",
                "properties": {"files": files, "name": text, "message": text},
                "required": ["files"],
            }}),
        );
        Some(json!({
            "description": "A zip, tar or tar.gz archive, or a form with files.",
            "required": true,
            "content": content,
        }))
    }

    async fn read(request: Request, app: &App, visitor: &Visitor) -> Shown<(Self, blake3::Hash)> {
        let person = visitor.must_be(Role::Author)?.id;
        let started = Started::now(app);
        let kind = media_type(&request);
        let upload = match kind.as_str() {
            "multipart/form-data" => in_turn(app, person, read_upload(request, app, None)).await?,
            kind if ARCHIVES.contains(&kind) => {
                in_turn(app, person, read_archive(request, app)).await?
            }
            _ => return Err(unsupported("an archive or `multipart/form-data`")),
        };
        let mut digest = blake3::Hasher::new();
        for name in ["name", "message"] {
            digest.update(blake3::hash(upload.fields.get(name).as_bytes()).as_bytes());
        }
        for file in &upload.files {
            digest.update(blake3::hash(file.name.as_bytes()).as_bytes());
            digest.update(blake3::hash(&file.contents).as_bytes());
        }
        Ok((HandedIn(upload, started), digest.finalize()))
    }
}

async fn read_archive(request: Request, app: &App) -> Shown<Upload> {
    let contents = read_bytes(request, app).await?;
    if !is_archive(&contents) {
        return Err(unusable(
            "The body is not an archive. Send a zip, tar or tar.gz file with the bot's folder.",
        ));
    }
    let file = UploadedFile { name: "archive".to_owned(), contents };
    Ok(Upload { fields: Fields::default(), files: vec![file] })
}

pub(super) async fn hand_in(
    call: Call<ArenaPath, HandInQuery, HandedIn>,
) -> Shown<Created<Version>> {
    let Call { app, visitor, path, query, body: HandedIn(upload, started), key, .. } = call;
    let arrival = started.arrived();
    let person = visitor.must_be(Role::Author)?;
    let arena = views::arena(&app, &path.arena)?;
    let said = |of_query: String, field: &str| match of_query.as_str() {
        "" => upload.fields.get(field).to_owned(),
        _ => of_query,
    };
    let name = said(query.name, "name");
    let message = said(query.message, "message");
    let wanted = Wanted { name: &name, message: &message, nonce: query.nonce };
    let read = entry::read(&app, &arena, Sent::Files(upload.files)).await?;
    let done = read.map_err(|error| {
        let why = agon_core::text::escape_lines(&error.to_string()).into_owned();
        failure(Unprocessable, "These files cannot be handed in", why)
    })?;
    let prepared = entry::prepare(&app, &arena, person, &done, &wanted, arrival).await;
    let entry = prepared.map_err(|mut refusal| {
        if refusal.code == Unprocessable {
            let how = " `agon submit` takes it from `--name NAME`, or from `name` in agon.toml.";
            refusal.advice.push_str(how);
        }
        refusal
    })?;
    let bot = views::with_author(&app, &arena.board(), entry.bot.clone()).await?;
    let whole = whole(&app, &arena, &bot, &entry.version, &visitor);
    let body = Version { same_files: entry.is_known, ..whole };
    let location = format!("{BASE}{}", entry.page(&arena));
    // The reply is kept together with the version: a second request finds both or none.
    let kept = key.map(|key| {
        let text = crate::store::to_json(&body);
        key.statement(201, Some(&location), Some(text))
    });
    entry::finish(&app, &arena, entry, kept).await?;
    Ok(Created { body, location: Some(location) })
}
