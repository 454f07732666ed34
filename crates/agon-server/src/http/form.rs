//! Fields of forms, and files. A form counts only with the hidden value of the visitor's pages.

use std::{collections::BTreeMap, time::Duration};

use axum::{
    Form,
    body::Bytes,
    extract::{FromRequest, Multipart, Request, multipart::MultipartError},
};
use tokio::time::timeout;

use super::{
    reply::{Failure, Shown, failure},
    visitor::Visitor,
};
use crate::{app::App, store::people::Role};

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

impl Fields {
    /// Returns a field; empty if it is missing.
    pub(super) fn get(&self, name: &str) -> &str {
        self.all(name).first().map_or("", String::as_str)
    }

    /// Returns all values of a field.
    pub(super) fn all(&self, name: &str) -> &[String] {
        self.0.get(name).map_or(&[], Vec::as_slice)
    }

    fn add(&mut self, name: String, value: String) {
        self.0.entry(name).or_default().push(value);
    }

    fn check(&self, visitor: &Visitor) -> Shown<()> {
        if self.get("csrf") == visitor.form_value() {
            return Ok(());
        }
        Err(failure(
            403,
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

fn visitor(request: &Request) -> Shown<Visitor> {
    let missing = || failure(500, "The server has failed", "Try again.");
    request.extensions().get::<Visitor>().cloned().ok_or_else(missing)
}

impl<S: Send + Sync> FromRequest<S> for Fields {
    type Rejection = Failure;

    async fn from_request(request: Request, state: &S) -> Shown<Fields> {
        let visitor = visitor(&request)?;
        let read = Form::<Vec<(String, String)>>::from_request(request, state);
        let read = timeout(SHORT, read).await.map_err(|_| {
            failure(408, "The form took too long", "Nothing was changed. Send it once more.")
        })?;
        let Form(pairs) = read.map_err(|rejection| {
            failure(
                rejection.status().as_u16(),
                "The form cannot be read",
                "Nothing was changed. Load the page again and send the form once more.",
            )
        })?;
        let mut fields = Fields::default();
        for (name, value) in pairs.into_iter().take(MOST) {
            fields.add(name, value);
        }
        fields.check(&visitor)?;
        Ok(fields)
    }
}

impl FromRequest<App> for Upload {
    type Rejection = Failure;

    async fn from_request(request: Request, app: &App) -> Shown<Upload> {
        // Before a byte of the body is read.
        let visitor = visitor(&request)?;
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
        failure(
            429,
            "Another upload of yours is under way",
            "Wait until it has arrived, and send this one again.",
        )
    })?;
    // Others wait here, without their bodies in memory.
    let place = timeout(WAIT, app.uploads().acquire()).await.map_err(|_| {
        failure(503, "Too many uploads at once", "Nothing was handed in. Try again in a minute.")
    })?;
    let _place = place.map_err(anyhow::Error::from)?;
    match timeout(LONGEST, read).await {
        Ok(upload) => upload,
        Err(_) => Err(failure(
            408,
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
    let mut form = Multipart::from_request(request, app).await.map_err(|rejection| {
        failure(
            rejection.status().as_u16(),
            "The form cannot be read",
            "Nothing was changed. Load the page again and send the form once more.",
        )
    })?;
    let mut upload = Upload::default();
    let mut count = 0;
    while let Some(field) = form.next_field().await.map_err(|error| unread(&error))? {
        count += 1;
        if count > MOST {
            return Err(failure(413, "There are too many files", "Hand in an archive."));
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
                    return Err(failure(413, "The text is too long", advice));
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

fn unread(error: &MultipartError) -> Failure {
    match error.status().as_u16() {
        413 => failure(
            413,
            "The upload is too large",
            format!(
                "A bot's files may have {} MiB together. Leave out what it does not need.",
                agon_ladder::archive::MAX_BYTES >> 20
            ),
        ),
        status => failure(
            status,
            "The upload did not arrive as a whole",
            "Nothing was handed in. Send it once more.",
        ),
    }
}
