//! Links with a secret: invitations, and those that set a password.

use super::{Store, Stored, now, people::Role};
use crate::{
    accounts::token::{Token, TokenDigest},
    database::{Row, Statement, statement},
};

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
        Purpose::Join(role) => ("join", Some(role.name()), None),
        Purpose::Reset(person) => ("reset", None, Some(*person)),
    };
    let values = [
        code.digest().as_bytes().into(),
        name.into(),
        role.into(),
        person.into(),
        maker.into(),
        now().into(),
        expires.into(),
        uses.into(),
        note.into(),
    ];
    statement(sql, values).once()
}

/// Returns the statement that uses a link once. It fails if the link is used up or too old.
pub(crate) fn use_once(code: &Token) -> Statement {
    let sql = "UPDATE links SET uses = uses - 1 WHERE code = $1 AND uses > 0 AND expires > $2";
    statement(sql, [code.digest().as_bytes().into(), now().into()]).once()
}

/// Returns the statement that forgets links that can no longer be used.
pub(crate) fn forget_old() -> Statement {
    statement("DELETE FROM links WHERE expires < $1 OR uses = 0", [now().into()])
}

/// Returns the statement that takes back all links that set a person's password.
pub(crate) fn take_back(person: i64) -> Statement {
    statement("DELETE FROM links WHERE person = $1", [person.into()])
}

/// Returns the statement that takes back all links that a person made.
pub(crate) fn of_maker(maker: i64) -> Statement {
    statement("DELETE FROM links WHERE maker = $1", [maker.into()])
}

/// Returns the statement that takes a link back.
pub(crate) fn withdraw(digest: &TokenDigest) -> Statement {
    statement("DELETE FROM links WHERE code = $1", [digest.as_bytes().into()])
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

impl Store {
    /// Returns the invitations that can be used, the latest first.
    pub(crate) async fn invitations(&self) -> Stored<Vec<Invitation>> {
        let sql = "SELECT code, role, expires, uses, note FROM links
            WHERE purpose = 'join' AND uses > 0 AND expires > $1 ORDER BY created DESC LIMIT 200";
        let invitation = |row: &Row| {
            let digest = TokenDigest::of_bytes(&row.maybe_bytes(0)?)?;
            let role = row.maybe_text(1)?.parse().ok()?;
            let (expires, uses, note) = (row.int(2), row.count(3), row.text(4));
            Some(Invitation { digest, role, expires, uses, note })
        };
        Ok(self.rows(sql, [now().into()]).await?.iter().filter_map(invitation).collect())
    }

    /// Finds a link that can be used.
    pub(crate) async fn link(&self, code: &Token) -> Stored<Option<Link>> {
        let sql = "SELECT purpose, role, person, expires FROM links
            WHERE code = $1 AND uses > 0 AND expires > $2";
        let row = self.row(sql, [code.digest().as_bytes().into(), now().into()]).await?;
        Ok(row.as_ref().and_then(link))
    }
}

fn link(row: &Row) -> Option<Link> {
    let purpose = match row.text(0).as_str() {
        "join" => Purpose::Join(row.text(1).parse().ok()?),
        "reset" => Purpose::Reset(row.int(2)),
        _ => return None,
    };
    Some(Link { purpose, expires: row.int(3) })
}
