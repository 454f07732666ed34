//! Replies: pages, redirects, and failures of a kind with a remedy.

use agon_ladder::api::ProblemCode::{
    self, Closed, Conflict, Forbidden, QuotaExhausted, RateLimited, Unauthorized, Unavailable,
    Unprocessable,
};
use agon_ladder::api::{BASE, Problem};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use maud::Markup;

use super::parts::link;
use crate::database::DatabaseError;

/// The media type of what is just bytes.
pub(super) const BYTES: &str = "application/octet-stream";

/// What handlers return.
pub(super) type Shown<T> = Result<T, Failure>;

/// What handlers of pages return: a page, a file, or where to go.
pub(super) type Page = Shown<Response>;

/// Why a request gets no page, and a call of the API not what it asks for.
#[derive(Clone, Debug)]
pub(super) struct Failure {
    pub(super) code: ProblemCode,
    /// The usual status of the kind, unless the library has chosen another one.
    pub(super) status: u16,
    pub(super) title: String,
    /// What to do, in sentences.
    pub(super) advice: String,
    /// Where to go instead.
    pub(super) elsewhere: Option<String>,
    /// The seconds after which another try makes sense.
    pub(super) retry_after: Option<u64>,
}

/// Makes a failure of a kind.
pub(super) fn failure(code: ProblemCode, title: &str, advice: impl Into<String>) -> Failure {
    let title = title.to_owned();
    let advice = advice.into();
    let status = code.status();
    Failure { code, status, title, advice, elsewhere: None, retry_after: None }
}

/// Makes a failure of which the library has only said the status.
pub(super) fn of_status(status: u16, title: &str, advice: impl Into<String>) -> Failure {
    Failure { status, ..failure(ProblemCode::of_status(status), title, advice) }
}

/// Makes the failure that there is no such thing.
pub(super) fn not_found(what: &str) -> Failure {
    let title = format!("There is no such {what}");
    failure(ProblemCode::NotFound, &title, "Look for it from the front page.")
}

/// Makes the failure that an organiser gave no reason.
pub(super) fn without_reason() -> Failure {
    failure(Unprocessable, "The reason is missing", "Give a reason: everybody can read it.")
}

/// Makes the failure that a value of a form or of a body cannot be used.
pub(super) fn unusable(advice: impl Into<String>) -> Failure {
    failure(Unprocessable, "The request cannot be used", advice)
}

impl Failure {
    /// Says after how many seconds another try makes sense.
    pub(super) fn retry_after(self, seconds: u64) -> Failure {
        Failure { retry_after: Some(seconds), ..self }
    }

    /// Returns whether the server is well, but does not take what was sent. A page shows its form
    /// once more then, so that nothing that was typed is lost.
    pub(super) fn is_refusal(&self) -> bool {
        matches!(
            self.code,
            Closed | Forbidden | QuotaExhausted | RateLimited | Unauthorized | Unprocessable
        )
    }

    /// Answers with a page that says what is wrong.
    pub(super) fn with_page(&self, page: Response) -> Response {
        let status = StatusCode::from_u16(self.status);
        let mut page = again(status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR), page);
        if let Some(seconds) = self.retry_after {
            page.headers_mut().insert(header::RETRY_AFTER, seconds.into());
        }
        page
    }

    /// Returns the failure for programs.
    pub(super) fn problem(&self, instance: &str) -> Problem {
        Problem {
            kind: format!("{BASE}/problems#{}", self.code.name()),
            title: self.title.clone(),
            status: self.status,
            detail: self.advice.clone(),
            instance: instance.to_owned(),
            code: self.code,
        }
    }

    /// Sends to the page to sign in, and from there back to `path`.
    pub(super) fn sign_in(path: &str) -> Failure {
        let elsewhere = Some(format!("/sign-in?next={}", link::value(path)));
        Failure { elsewhere, ..failure(Unauthorized, "You are not signed in", "Sign in first.") }
    }
}

impl IntoResponse for Failure {
    /// A placeholder: the guard, which knows the visitor, makes it a page.
    fn into_response(self) -> Response {
        let mut response = StatusCode::INTERNAL_SERVER_ERROR.into_response();
        response.extensions_mut().insert(self);
        response
    }
}

impl From<DatabaseError> for Failure {
    fn from(error: DatabaseError) -> Failure {
        match error {
            DatabaseError::Unexpected { .. } => failure(
                Conflict,
                "It has changed meanwhile",
                "Go back, load the page again, and see whether it is still needed.",
            ),
            DatabaseError::Taken => failure(
                Conflict,
                "It is there already",
                "The same came at this moment, perhaps from another window of yours. Look at it, \
                 and try again.",
            ),
            DatabaseError::Full => failure(
                ProblemCode::DiskFull,
                "The server's disk is full",
                "Nothing was changed. Tell the people who run this server, and try again later.",
            ),
            DatabaseError::Engine(text) => {
                tracing::error!("a request fails: {text}");
                let advice = "Nothing was changed. Try again in a minute.";
                failure(Unavailable, "The server's database does not answer", advice)
            }
        }
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Failure {
        match error.downcast::<DatabaseError>() {
            Ok(error) => error.into(),
            Err(error) => {
                tracing::error!("a request fails: {error:#}");
                let advice = "Nothing was changed. Try again.";
                failure(ProblemCode::Internal, "The server has failed", advice)
            }
        }
    }
}

/// Does work on a thread that may wait, such as for files.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Shown<T> {
    Ok(tokio::task::spawn_blocking(work).await.map_err(anyhow::Error::from)?)
}

/// Returns a page.
pub(super) fn html(page: Markup) -> Response {
    let kind = HeaderValue::from_static("text/html; charset=utf-8");
    ([(header::CONTENT_TYPE, kind)], page.into_string()).into_response()
}

/// Returns a file with its media type, and how long others may keep it.
pub(super) fn file(
    kind: &'static str,
    lasts: &'static str,
    contents: impl IntoResponse,
) -> Response {
    ([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, lasts)], contents).into_response()
}

/// Returns the strong tag of a body.
pub(super) fn tag(body: &[u8]) -> String {
    format!("\"{}\"", &blake3::hash(body).to_hex()[..32])
}

/// Returns a file that browsers save under a name.
pub(super) fn attachment(kind: &str, name: &str, contents: impl IntoResponse) -> Response {
    let disposition = format!("attachment; filename=\"{name}\"");
    let headers = [(header::CONTENT_TYPE, kind), (header::CONTENT_DISPOSITION, &disposition)];
    (headers, contents).into_response()
}

/// Returns a page that shows a form once more, with what is wrong with it.
pub(super) fn again(status: StatusCode, mut page: Response) -> Response {
    *page.status_mut() = status;
    page
}

/// Sends to another page after a form.
pub(super) fn to(path: &str) -> Response {
    match HeaderValue::from_str(path) {
        Ok(path) => (StatusCode::SEE_OTHER, [(header::LOCATION, path)]).into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// Returns a path of this server that a form or address names; the front page if it leads
/// elsewhere.
pub(super) fn own_path(text: &str) -> String {
    let is_own = text.starts_with('/')
        && !text.starts_with("//")
        && !text.contains(|c: char| c.is_control() || c == '\\');
    if is_own { text.to_owned() } else { "/".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_sent_elsewhere() {
        assert_eq!(own_path("/arenas/x?page=2"), "/arenas/x?page=2");
        for text in ["//evil", "https://evil", "/\\evil", "", "x", "/a\nb"] {
            assert_eq!(own_path(text), "/", "{text}");
        }
    }
}
