//! Replies: pages, redirects, and failures with a status and a remedy.

use agon_ladder::api::{BASE, Problem, ProblemCode};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use maud::Markup;

use super::parts::link;
use crate::database::DatabaseError;

/// What handlers return.
pub(super) type Shown<T> = Result<T, Failure>;

/// Why a request gets no page.
#[derive(Clone, Debug)]
pub(super) struct Failure {
    pub(super) status: u16,
    pub(super) title: String,
    /// What to do, in sentences.
    pub(super) advice: String,
    /// Where to go instead.
    pub(super) elsewhere: Option<String>,
    /// The kind of failure for programs; `None` for the usual one with the status.
    code: Option<ProblemCode>,
    /// The seconds after which another try makes sense.
    pub(super) retry_after: Option<u64>,
}

/// Makes a failure.
pub(super) fn failure(status: u16, title: &str, advice: impl Into<String>) -> Failure {
    let (title, advice) = (title.to_owned(), advice.into());
    Failure { status, title, advice, elsewhere: None, code: None, retry_after: None }
}

/// Makes the failure that there is no such thing.
pub(super) fn not_found(what: &str) -> Failure {
    failure(404, &format!("There is no such {what}"), "Look for it from the front page.")
}

/// Makes the failure that an organiser gave no reason.
pub(super) fn without_reason() -> Failure {
    failure(422, "The reason is missing", "Give a reason: everybody can read it.")
}

/// Makes a failure of a kind, for programs.
pub(super) fn coded(code: ProblemCode, title: &str, advice: impl Into<String>) -> Failure {
    Failure { code: Some(code), ..failure(code.status(), title, advice) }
}

impl Failure {
    /// Says after how many seconds another try makes sense.
    pub(super) fn retry_after(self, seconds: u64) -> Failure {
        Failure { retry_after: Some(seconds), ..self }
    }

    /// Returns the failure for programs.
    pub(super) fn problem(&self, instance: &str) -> Problem {
        let code = self.code.unwrap_or_else(|| ProblemCode::of_status(self.status));
        Problem {
            kind: format!("{BASE}/problems#{}", code.name()),
            title: self.title.clone(),
            status: self.status,
            detail: self.advice.clone(),
            instance: instance.to_owned(),
            code,
        }
    }

    /// Sends to the page to sign in, and from there back to `path`.
    pub(super) fn sign_in(path: &str) -> Failure {
        let elsewhere = Some(format!("/sign-in?next={}", link::value(path)));
        Failure { elsewhere, ..failure(401, "You are not signed in", "Sign in first.") }
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
                409,
                "It has changed meanwhile",
                "Go back, load the page again, and see whether it is still needed.",
            ),
            DatabaseError::Taken => failure(
                409,
                "It is there already",
                "The same came at this moment, perhaps from another window of yours. Look at it, \
                 and try again.",
            ),
            DatabaseError::Full => failure(
                507,
                "The server's disk is full",
                "Nothing was changed. Tell the people who run this server, and try again later.",
            ),
            DatabaseError::Engine(text) => {
                tracing::error!("a request fails: {text}");
                let advice = "Nothing was changed. Try again in a minute.";
                failure(503, "The server's database does not answer", advice)
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
                failure(500, "The server has failed", "Nothing was changed. Try again.")
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
