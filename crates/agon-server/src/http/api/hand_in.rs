//! Handing in: an archive, or a form with files.

use agon_ladder::api::{BASE, ProblemCode, Version};
use agon_ladder::archive::is_archive;
use agon_match::spec::Digest;
use axum::extract::Request;
use schemars::{JsonSchema, SchemaGenerator};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    body::{RequestBody, media_type, read_bytes, unsupported},
    call::{ArenaPath, Call},
    caller::Caller,
    failures::unusable,
    reply::Created,
};
use crate::{
    app::App,
    http::{
        entry::{self, Refusal, Sent, Started, Wanted},
        form::{Fields, Upload, UploadedFile, in_turn, read_upload},
        reply::{Shown, coded},
        version::whole,
        views,
    },
    store::people::Role,
};

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
#[derive(Debug)]
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

    async fn read(request: Request, app: &App, caller: &Caller) -> Shown<(Self, blake3::Hash)> {
        let person = caller.must_be(Role::Author)?.id;
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
    let Call { app, caller, path, query, body: HandedIn(upload, started), key, .. } = call;
    let arrival = started.arrived();
    let person = caller.must_be(Role::Author)?;
    let arena = views::arena(&app, &path.arena)?;
    let said = |of_query: String, field: &str| match of_query.as_str() {
        "" => upload.fields.get(field).to_owned(),
        _ => of_query,
    };
    let (name, message) = (said(query.name, "name"), said(query.message, "message"));
    let wanted = Wanted { name: &name, message: &message, nonce: query.nonce };
    let read = entry::read(&app, &arena, Sent::Files(upload.files)).await?;
    let done = read.map_err(|error| {
        let why = agon_core::text::escape_lines(&error.to_string()).into_owned();
        coded(ProblemCode::Unprocessable, "These files cannot be handed in", why)
    })?;
    let prepared = entry::prepare(&app, &arena, person, &done, &wanted, arrival).await?;
    let entry = prepared.map_err(|refusal| {
        let code = match refusal {
            Refusal::Closed(_) => ProblemCode::Closed,
            Refusal::Quota(_) => ProblemCode::QuotaExhausted,
            Refusal::Name(_) => ProblemCode::Unprocessable,
        };
        let how = match refusal {
            Refusal::Name(_) => {
                " `agon submit` takes it from `--name NAME`, or from `name` in agon.toml."
            }
            Refusal::Closed(_) | Refusal::Quota(_) => "",
        };
        coded(code, "This cannot be handed in", format!("{refusal}{how}"))
    })?;
    let bot = views::with_author(&app, &arena.board(), entry.bot.clone()).await?;
    let whole = whole(&app, &arena, &bot, &entry.version, &caller.visitor);
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
