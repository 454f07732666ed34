//! Who sends a request: a person who is signed in, or a visitor.

use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::Ordering;

use agon_ladder::api::ProblemCode::{self, Forbidden};
use axum::http::{Extensions, HeaderMap, header};

use super::reply::{Failure, Shown, failure};
use crate::store::people::{Person, Role};
use crate::store::tokens::PersonalToken;
use crate::{accounts::token::Token, app::App};

/// The cookie of a session.
pub(super) const SESSION: &str = "agon-session";

/// The cookie of visitors, from which the hidden value of their forms comes.
pub(super) const FORMS: &str = "agon-forms";

/// Who sends a request, and from where. The guard makes it.
#[derive(Clone, Debug)]
pub(super) struct Visitor {
    pub(super) person: Option<Person>,
    /// The secret of the session.
    pub(super) session: Option<Token>,
    /// The token with which a program asks the API, in place of a session.
    pub(super) token: Option<PersonalToken>,
    /// The secret of a visitor's forms.
    pub(super) forms: Token,
    pub(super) address: IpAddr,
    /// Path and query.
    pub(super) path: String,
    /// The name of the browser.
    pub(super) browser: String,
    /// Scheme and host of this server as the visitor sees it, for links.
    pub(super) base: String,
    /// The name of the site; may be empty.
    pub(super) site: String,
    /// A message for the page, by its name in the address.
    pub(super) notice: Option<(NoticeKind, &'static str)>,
}

/// How a message is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoticeKind {
    /// Something was done.
    Done,
    /// Something was not done.
    Problem,
}

impl Visitor {
    /// Finds out who sends a request. `is_new` says that the visitor has no cookie yet.
    pub(super) async fn of(
        app: &App,
        headers: &HeaderMap,
        address: IpAddr,
        path: &str,
    ) -> Result<(Visitor, bool), Failure> {
        let session: Option<Token> = cookie(headers, SESSION).and_then(|text| text.parse().ok());
        let person = match &session {
            Some(token) => app.store.signed_in(token).await?,
            None => None,
        };
        let forms: Option<Token> = cookie(headers, FORMS).and_then(|text| text.parse().ok());
        let is_new = forms.is_none();
        let browser = headers.get(header::USER_AGENT).and_then(|value| value.to_str().ok());
        let visitor = Visitor {
            session: session.filter(|_| person.is_some()),
            token: None,
            person,
            forms: forms.unwrap_or_else(Token::fresh),
            address,
            path: path.to_owned(),
            browser: agon_core::text::escape(browser.unwrap_or_default()).into_owned(),
            base: base(app, headers),
            site: app.site.title.clone(),
            notice: notice(path),
        };
        Ok((visitor, is_new))
    }

    /// Returns the visitor whom the guard has found.
    pub(super) fn of_request(extensions: &Extensions) -> Shown<Visitor> {
        let missing = || failure(ProblemCode::Internal, "The server has failed", "Try again.");
        extensions.get::<Visitor>().cloned().ok_or_else(missing)
    }

    /// Returns the hidden value that forms of this visitor carry.
    pub(super) fn form_value(&self) -> String {
        self.session.as_ref().unwrap_or(&self.forms).form_value()
    }

    /// Returns the role; that of a spectator for visitors.
    pub(super) fn role(&self) -> Role {
        self.person.as_ref().map_or(Role::Spectator, |person| person.role)
    }

    /// Returns whether an organiser keeps from this visitor who has an account.
    pub(super) fn may_not_see_people(&self, app: &App) -> bool {
        self.person.is_none() && app.are_people_private.load(Ordering::Relaxed)
    }

    /// Returns whether this is the author of a bot of this owner.
    pub(super) fn is(&self, owner: Option<i64>) -> bool {
        owner.is_some() && self.person.as_ref().map(|person| person.id) == owner
    }

    /// Returns the person.
    pub(super) fn must_be(&self, role: Role) -> Shown<&Person> {
        let Some(person) = &self.person else {
            return Err(Failure::sign_in(&self.path));
        };
        if person.role < role {
            let advice = match role {
                Role::Administrator => "Only administrators can do this. Ask one of them.",
                _ => "Ask an organiser for the right.",
            };
            return Err(failure(Forbidden, "This is not for you", advice));
        }
        Ok(person)
    }

    /// Returns the name that everybody sees; empty for a visitor.
    pub(super) fn name(&self) -> &str {
        self.person.as_ref().map_or("", |person| &person.shown)
    }

    /// Returns whether this is a person who may do something.
    pub(super) fn is_signed_in(&self) -> bool {
        self.role() > Role::Spectator
    }

    /// Returns whether this is the author of a bot of this owner, or an organiser.
    pub(super) fn may_see(&self, owner: Option<i64>) -> bool {
        self.is(owner) || self.role() >= Role::Organiser
    }
}

/// Returns scheme and host of this server: what its operator named, or what the browser did.
fn base(app: &App, headers: &HeaderMap) -> String {
    let host = headers.get(header::HOST).and_then(|value| value.to_str().ok());
    let is_host = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | ':' | '[' | ']');
    match host.filter(|host| app.site.is_guessed && host.chars().all(is_host)) {
        Some(host) => {
            let scheme = if app.site.is_secure { "https" } else { "http" };
            format!("{scheme}://{host}")
        }
        None => app.site.address.clone(),
    }
}

/// Returns a cookie's value.
fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let all = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let pairs = all.flat_map(|text| text.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.into_iter().find(|(known, _)| *known == name).map(|(_, value)| value)
}

/// Returns the address of the client: that of the peer, or what a trusted proxy says.
pub(super) fn client(peer: SocketAddr, headers: &HeaderMap, proxies: &[IpAddr]) -> IpAddr {
    let peer = peer.ip().to_canonical();
    if !proxies.contains(&peer) {
        return peer;
    }
    // The last one is what the proxy itself saw.
    let named = headers.get_all("x-forwarded-for").iter().next_back();
    let named =
        named.and_then(|value| value.to_str().ok()?.rsplit(',').next()?.trim().parse().ok());
    named.unwrap_or(peer)
}

/// Returns a message after a form, by its name in an address: a foreign address cannot put words
/// here.
fn notice(path: &str) -> Option<(NoticeKind, &'static str)> {
    let (_, query) = path.split_once('?')?;
    let text = match query.split('&').find_map(|pair| pair.strip_prefix("done="))? {
        "compared" => {
            "Matches between the two versions are being played; reload this page to see the \
             result."
        }
        "checked" => {
            "The match was played again by its rules: every state and the result are the same."
        }
        "published" => "The table is being computed and published.",
        "activated" => {
            "This version plays now. It has a rank again once it has played as many matches as \
             the rules say."
        }
        "same" => {
            "This version has the same files as those that you handed in, so there is no new one: \
             this one plays again."
        }
        "renamed" => "The bot has its new name.",
        "paused" => "The bot does not play until you resume it.",
        "resumed" => {
            "The bot plays again. It has a rank again once it has played as many matches as the \
             rules say."
        }
        "disqualified" => "The bot does not play any more.",
        "reinstated" => "The bot plays again.",
        "annulled" => "The match does not count any more.",
        "restored" => "The match counts again.",
        "extended" => "The author's deadline is changed.",
        "password" => "Your password is changed; other browsers are signed out.",
        "first" => {
            "Your password is set. Choose the display name that others see beside your bots."
        }
        "revoked" => "The token is revoked.",
        "signed-out" => "That browser is signed out.",
        "welcome" => "Welcome! Choose an arena and hand in your first bot.",
        "changed" => "The change is made.",
        "made" => "The arena is made.",
        "erased" => {
            "The person is erased. Files of bots and replays are removed within a few minutes."
        }
        "check-failed" => {
            let text = "The match was played again by its rules, and differs from what was \
                        recorded.";
            return Some((NoticeKind::Problem, text));
        }
        _ => return None,
    };
    Some((NoticeKind::Done, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cookies_are_found() {
        let mut headers = HeaderMap::new();
        headers.append(header::COOKIE, "a=1; agon-session=2".parse().unwrap());
        headers.append(header::COOKIE, "b=3".parse().unwrap());
        let found = |name| cookie(&headers, name);
        assert_eq!((found("agon-session"), found("b"), found("c")), (Some("2"), Some("3"), None));
    }

    #[test]
    fn only_a_trusted_proxy_is_believed() {
        let mut headers = HeaderMap::new();
        headers.append("x-forwarded-for", "6.6.6.6, 10.0.0.7".parse().unwrap());
        let peer: SocketAddr = "127.0.0.1:5".parse().unwrap();
        let client = |proxies: &[IpAddr]| client(peer, &headers, proxies).to_string();
        assert_eq!(client(&[]), "127.0.0.1");
        assert_eq!(client(&[peer.ip()]), "10.0.0.7");
    }

    #[test]
    fn messages_have_names() {
        assert!(notice("/x?done=paused").is_some());
        assert!(notice("/x?done=You+won").is_none() && notice("/x").is_none());
    }
}
