//! Requests for pages, fields of forms, and files. A form counts only with the hidden value of the
//! visitor's pages.

use std::{collections::BTreeMap, time::Duration};

use agon_ladder::api::ProblemCode::{self, Forbidden, RateLimited, Unavailable};
use axum::extract::{FromRequest, FromRequestParts, Multipart, Path, Query, Request};
use axum::response::{IntoResponse, Response};
use axum::{
    Form, body::Bytes, extract::multipart::MultipartError, http::StatusCode, http::request::Parts,
};
use serde::{Deserialize, de::DeserializeOwned};
use tokio::time::timeout;

use super::reply::{Failure, Shown, failure, of_status};
use super::visitor::Visitor;
use crate::{app::App, store::people::Role};

/// A request for a page.
pub(super) struct Get<P = (), Q = NoQuery> {
    pub(super) app: App,
    /// The parts of the path.
    pub(super) path: P,
    pub(super) query: Q,
    pub(super) visitor: Visitor,
}

/// A form without files, which a page has sent.
pub(super) struct Post<P = (), Q = NoQuery> {
    pub(super) app: App,
    /// The parts of the path.
    pub(super) path: P,
    pub(super) query: Q,
    pub(super) visitor: Visitor,
    pub(super) fields: Fields,
}

/// A query of which nothing is read.
#[derive(Debug, Deserialize)]
pub(super) struct NoQuery {}

/// The fields of a form without files.
#[derive(Clone, Debug, Default)]
pub(super) struct Fields(BTreeMap<String, Vec<String>>);

/// A form with files.
#[derive(Clone, Debug, Default)]
pub(super) struct Upload {
    pub(super) fields: Fields,
    pub(super) files: Vec<UploadedFile>,
}

/// A file of a form.
#[derive(Clone, Debug)]
pub(super) struct UploadedFile {
    /// Its name, or its path in the chosen folder.
    pub(super) name: String,
    pub(super) contents: Bytes,
}

/// How long an upload may take: others wait for its place.
const LONGEST: Duration = Duration::from_secs(120);

/// How long an upload waits for others.
const WAIT: Duration = Duration::from_secs(30);

/// How long the body of a request without files may take.
pub(super) const SHORT: Duration = Duration::from_secs(20);

/// The most bytes of a field that is no file.
const FIELD: usize = 1 << 20;

/// The most fields and files of a form.
const MOST: usize = 5_000;

/// Returns a text from elsewhere on one line, cut to so many bytes.
pub(super) fn one_line(text: &str, most: usize) -> String {
    agon_core::text::escape(agon_core::text::name::cut(text.trim(), most)).into_owned()
}

impl Fields {
    /// Returns a field; empty if it is missing.
    pub(super) fn get(&self, name: &str) -> &str {
        self.all(name).first().map_or("", String::as_str)
    }

    /// Returns all values of a field.
    pub(super) fn all(&self, name: &str) -> &[String] {
        self.0.get(name).map_or(&[], Vec::as_slice)
    }

    /// Reads the fields of a form of a visitor.
    async fn read(request: Request, app: &App, visitor: &Visitor) -> Shown<Fields> {
        let read = Form::<Vec<(String, String)>>::from_request(request, app);
        let read = timeout(SHORT, read).await.map_err(|_| {
            let advice = "Nothing was changed. Send it once more.";
            failure(ProblemCode::Timeout, "The form took too long", advice)
        })?;
        let Form(pairs) = read.map_err(|rejection| unreadable(rejection.status()))?;
        let mut fields = Fields::default();
        for (name, value) in pairs.into_iter().take(MOST) {
            fields.add(name, value);
        }
        fields.check(visitor)?;
        Ok(fields)
    }

    fn add(&mut self, name: String, value: String) {
        self.0.entry(name).or_default().push(value);
    }

    fn check(&self, visitor: &Visitor) -> Shown<()> {
        if self.get("csrf") == visitor.form_value() {
            return Ok(());
        }
        Err(failure(
            Forbidden,
            "This form is out of date",
            "Nothing was changed. Perhaps you signed in or out in another tab: go back, load the \
             page again and send the form once more.",
        ))
    }
}

impl<'a> FromIterator<(&'a str, String)> for Fields {
    fn from_iter<T: IntoIterator<Item = (&'a str, String)>>(pairs: T) -> Fields {
        let mut fields = Fields::default();
        pairs.into_iter().for_each(|(name, value)| fields.add(name.to_owned(), value));
        fields
    }
}

impl<P: DeserializeOwned + Send, Q: DeserializeOwned + Send> FromRequestParts<App> for Get<P, Q> {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Get<P, Q>, Response> {
        let path = Path::<P>::from_request_parts(parts, app).await;
        let Path(path) = path.map_err(IntoResponse::into_response)?;
        let query = Query::<Q>::try_from_uri(&parts.uri);
        let Query(query) = query.map_err(IntoResponse::into_response)?;
        let visitor = Visitor::of_request(&parts.extensions);
        let visitor = visitor.map_err(IntoResponse::into_response)?;
        Ok(Get { app: app.clone(), path, query, visitor })
    }
}

impl<P: DeserializeOwned + Send, Q: DeserializeOwned + Send> FromRequest<App> for Post<P, Q> {
    type Rejection = Response;

    async fn from_request(request: Request, app: &App) -> Result<Post<P, Q>, Response> {
        let (mut parts, body) = request.into_parts();
        let Get { app, path, query, visitor } = Get::from_request_parts(&mut parts, app).await?;
        let fields = Fields::read(Request::from_parts(parts, body), &app, &visitor).await;
        let fields = fields.map_err(IntoResponse::into_response)?;
        Ok(Post { app, path, query, visitor, fields })
    }
}

impl FromRequest<App> for Upload {
    type Rejection = Failure;

    async fn from_request(request: Request, app: &App) -> Shown<Upload> {
        // Before a byte of the body is read.
        let visitor = Visitor::of_request(request.extensions())?;
        let person = visitor.must_be(Role::Author)?.id;
        in_turn(app, person, read_upload(request, app, Some(&visitor))).await
    }
}

/// Reads an upload of a person when it is its turn.
pub(super) async fn in_turn<T>(
    app: &App,
    person: i64,
    read: impl Future<Output = Shown<T>>,
) -> Shown<T> {
    let _own = app.own_upload(person).ok_or_else(|| {
        let advice = "Wait until it has arrived, and send this one again.";
        failure(RateLimited, "Another upload of yours is under way", advice)
    })?;
    // Others wait here, without their bodies in memory.
    let place = timeout(WAIT, app.upload_places.acquire()).await.map_err(|_| {
        let advice = "Nothing was handed in. Try again in a minute.";
        failure(Unavailable, "Too many uploads at once", advice)
    })?;
    let _place = place.map_err(anyhow::Error::from)?;
    match timeout(LONGEST, read).await {
        Ok(upload) => upload,
        Err(_) => Err(failure(
            ProblemCode::Timeout,
            "The upload took too long",
            "Nothing was handed in. Leave out what the bot does not need, and send it again.",
        )),
    }
}

/// Reads a form with files. A page's form must have the hidden value of its visitor.
pub(super) async fn read_upload(
    request: Request,
    app: &App,
    visitor: Option<&Visitor>,
) -> Shown<Upload> {
    let form = Multipart::from_request(request, app).await;
    let mut form = form.map_err(|rejection| unreadable(rejection.status()))?;
    let mut upload = Upload::default();
    let mut count = 0;
    while let Some(field) = form.next_field().await.map_err(|error| unread(&error))? {
        count += 1;
        if count > MOST {
            let advice = "Hand in an archive.";
            return Err(failure(ProblemCode::TooLarge, "There are too many files", advice));
        }
        let name = field.name().unwrap_or_default().to_owned();
        match field.file_name().map(str::to_owned) {
            Some(file) => {
                let contents = field.bytes().await.map_err(|error| unread(&error))?;
                // Browsers send an empty one if nothing was chosen.
                if !file.is_empty() {
                    upload.files.push(UploadedFile { name: file, contents });
                }
            }
            None => {
                let value = field.text().await.map_err(|error| unread(&error))?;
                if value.len() > FIELD {
                    let advice = "Hand in a file instead; the editor is for at most 1 MiB.";
                    return Err(failure(ProblemCode::TooLarge, "The text is too long", advice));
                }
                // Browsers write the ends of lines in their own way.
                upload.fields.add(name, value.replace("\r\n", "\n"));
            }
        }
        // As soon as it can be known: not after megabytes.
        if let Some(visitor) = visitor.filter(|_| upload.fields.0.contains_key("csrf")) {
            upload.fields.check(visitor)?;
        }
    }
    if let Some(visitor) = visitor {
        upload.fields.check(visitor)?;
    }
    Ok(upload)
}

fn unreadable(status: StatusCode) -> Failure {
    let advice = "Nothing was changed. Load the page again and send the form once more.";
    of_status(status.as_u16(), "The form cannot be read", advice)
}

fn unread(error: &MultipartError) -> Failure {
    match error.status().as_u16() {
        413 => failure(
            ProblemCode::TooLarge,
            "The upload is too large",
            format!(
                "A bot's files may have {} MiB together. Leave out what it does not need.",
                agon_ladder::archive::MAX_BYTES >> 20
            ),
        ),
        status => of_status(
            status,
            "The upload did not arrive as a whole",
            "Nothing was handed in. Send it once more.",
        ),
    }
}
