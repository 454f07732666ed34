//! Links with a secret: invitations, and those that set a password.

use super::{Store, Stored, now, people::Role};
use crate::accounts::token::{Token, TokenDigest};
use crate::database::{DatabaseError, Statement, row, statement};

/// What a link is good for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// To make an account with a role.
    Join(Role),
    /// To set the password of a person.
    Reset(i64),
}

/// How long a link that sets a password can be used: three days.
pub(crate) const RESET: i64 = 3 * 24 * 3600 * 1000;

/// A link.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    pub(crate) purpose: Purpose,
    pub(crate) expires: i64,
}

/// Returns the statement that makes a link.
pub(crate) fn make(
    code: &Token,
    purpose: &Purpose,
    maker: Option<i64>,
    expires: i64,
    uses: u32,
    note: &str,
) -> Statement {
    let sql = "INSERT INTO links (code, purpose, role, person, maker, created, expires, uses, note)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
    let (name, role, person) = match purpose {
        Purpose::Join(role) => ("join", Some(*role), None),
        Purpose::Reset(person) => ("reset", None, Some(*person)),
    };
    let values = (&code.digest(), name, role, person, maker, now(), expires, uses, note);
    statement(sql, values).once()
}

/// Returns the statement that uses a link once. It fails if the link is used up or too old.
pub(crate) fn use_once(code: &Token) -> Statement {
    let sql = "UPDATE links SET uses = uses - 1 WHERE code = $1 AND uses > 0 AND expires > $2";
    statement(sql, (&code.digest(), now())).once()
}

/// Returns the statement that forgets links that can no longer be used.
pub(crate) fn forget_old() -> Statement {
    statement("DELETE FROM links WHERE expires < $1 OR uses = 0", (now(),))
}

/// Returns the statement that takes back all links that set a person's password.
pub(crate) fn take_back(person: i64) -> Statement {
    statement("DELETE FROM links WHERE person = $1", (person,))
}

/// Returns the statement that takes back all links that a person made.
pub(crate) fn of_maker(maker: i64) -> Statement {
    statement("DELETE FROM links WHERE maker = $1", (maker,))
}

/// Returns the statement that takes a link back.
pub(crate) fn withdraw(digest: &TokenDigest) -> Statement {
    statement("DELETE FROM links WHERE code = $1", (digest,))
}

/// An invitation, without its secret.
#[derive(Clone, Debug)]
pub(crate) struct Invitation {
    pub(crate) digest: TokenDigest,
    pub(crate) role: Role,
    pub(crate) expires: i64,
    /// How many people can still use it.
    pub(crate) uses: u64,
    /// What it is for.
    pub(crate) note: String,
}

row!(Invitation { digest, role, expires, uses, note });

impl Store {
    /// Returns the invitations that can be used, the latest first.
    pub(crate) async fn invitations(&self) -> Stored<Vec<Invitation>> {
        let sql = "SELECT code, role, expires, uses, note FROM links
            WHERE purpose = 'join' AND uses > 0 AND expires > $1 ORDER BY created DESC LIMIT 200";
        self.all(sql, (now(),)).await
    }

    /// Finds a link that can be used.
    pub(crate) async fn link(&self, code: &Token) -> Stored<Option<Link>> {
        let sql = "SELECT purpose, role, person, expires FROM links
            WHERE code = $1 AND uses > 0 AND expires > $2";
        let values = (&code.digest(), now());
        let found = self.first::<(String, Option<Role>, Option<i64>, i64)>(sql, values).await?;
        let link = |(purpose, role, person, expires): (String, _, _, _)| {
            let purpose = match (purpose.as_str(), role, person) {
                ("join", Some(role), _) => Purpose::Join(role),
                ("reset", _, Some(person)) => Purpose::Reset(person),
                _ => {
                    let text = format!("a link is for `{purpose}`, which is unknown");
                    return Err(DatabaseError::Engine(text));
                }
            };
            Ok(Link { purpose, expires })
        };
        found.map(link).transpose()
    }
}
