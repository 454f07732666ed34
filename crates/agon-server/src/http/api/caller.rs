//! Who asks, and what the token allows.

use std::net::IpAddr;

use agon_ladder::api::{ProblemCode, Scope, TOKEN_PREFIX};
use axum::http::{HeaderMap, Method, header};

use crate::{
    accounts::token::Token,
    app::App,
    http::{
        reply::{Failure, Shown, coded},
        visitor::Visitor,
    },
    limits::network,
    store::{
        people::{Person, Role},
        tokens::PersonalToken,
    },
};

/// Who sends a request to the API. The gate makes it.
#[derive(Clone, Debug)]
pub(super) struct Caller {
    /// The person with the rights that this request has.
    pub(super) visitor: Visitor,
    pub(super) token: Option<PersonalToken>,
    /// What this request may do.
    pub(super) scopes: Vec<Scope>,
}

impl Caller {
    /// Finds out who sends a request.
    ///
    /// A session of a browser counts for reading only: another site cannot make a browser send a
    /// token, so that requests with a token need no hidden values.
    pub(super) async fn of(
        app: &App,
        method: &Method,
        headers: &HeaderMap,
        address: IpAddr,
        path: &str,
    ) -> Shown<Caller> {
        let is_reading = matches!(*method, Method::GET | Method::HEAD);
        let (mut visitor, _) = Visitor::of(app, headers, address, path).await?;
        let (token, scopes) = match headers.get(header::AUTHORIZATION) {
            Some(value) => {
                let secret = value.to_str().ok().and_then(bearer).ok_or_else(not_valid)?;
                let found = app.store.token(&secret).await?;
                let (token, person) = found.ok_or_else(not_valid)?;
                visitor.session = None;
                visitor.person = Some(with_rights(person, &token.scopes, is_reading));
                let scopes = token.scopes.clone();
                (Some(token), scopes)
            }
            None if is_reading && visitor.person.is_some() => (None, Scope::ALL.to_vec()),
            None => {
                visitor.person = None;
                (None, Vec::new())
            }
        };
        if is_reading && !scopes.contains(&Scope::Read) {
            visitor.person = None;
        }
        Ok(Caller { visitor, token, scopes })
    }

    /// Checks that this request may do what needs a scope.
    pub(super) fn check(&self, needed: Option<Scope>) -> Shown<()> {
        let Some(needed) = needed else { return Ok(()) };
        if self.scopes.contains(&needed) {
            return Ok(());
        }
        if self.scopes.is_empty() {
            return Err(coded(
                ProblemCode::Unauthorized,
                "A token is missing",
                "Send `Authorization: Bearer agon_…`. Your account's page makes tokens.",
            ));
        }
        let advice = format!("Use a token with the scope `{}`.", needed.name());
        Err(coded(ProblemCode::MissingScope, "The token may not do this", advice))
    }

    /// Returns the person.
    ///
    /// # Errors
    /// If nobody is signed in, or may not do what the role may.
    pub(super) fn must_be(&self, role: Role) -> Shown<&Person> {
        self.visitor.must_be(role)
    }

    /// Returns whose requests are counted together.
    pub(super) fn limit_key(&self) -> String {
        match &self.token {
            Some(token) => format!("token {}", token.id),
            None => address_key(self.visitor.address),
        }
    }
}

/// Returns whose requests without a token are counted together.
pub(super) fn address_key(address: IpAddr) -> String {
    format!("address {}", network(address))
}

/// Returns a person with the rights that a token gives: without `manage`, those of an author at
/// most change something.
fn with_rights(person: Person, scopes: &[Scope], is_reading: bool) -> Person {
    if is_reading || scopes.contains(&Scope::Manage) {
        return person;
    }
    Person { role: person.role.min(Role::Author), ..person }
}

/// Reads the secret of a token in a header.
fn bearer(value: &str) -> Option<Token> {
    let (scheme, rest) = value.trim().split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("bearer") {
        return None;
    }
    rest.trim().strip_prefix(TOKEN_PREFIX)?.parse().ok()
}

fn not_valid() -> Failure {
    coded(
        ProblemCode::Unauthorized,
        "The token is not valid",
        "It is wrong, revoked or too old. Your account's page makes another one.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_have_a_prefix() {
        let secret = "1234567890".repeat(4);
        assert!(bearer(&format!("Bearer agon_{secret}")).is_some());
        assert!(bearer(&format!("bearer  agon_{secret}")).is_some());
        for text in [&format!("Bearer {secret}"), &format!("Basic agon_{secret}"), "Bearer agon_1"]
        {
            assert!(bearer(text).is_none(), "{text}");
        }
    }
}
