//! What is removed when a person is erased. The results stay.
//!
//! A person is erased in one transaction, except for the matches: they may be a million, so they
//! follow in parts, between which others write. All statements can be done again: requests that had
//! begun before may have written more. They find everything by the person's id.

use super::bots::{Stopped, StoppedBy};
use super::{Store, Stored, matches::Outcome, people::Person, to_json};
use crate::database::{Statement, row, statement};

/// Why the bots of an erased person do not play.
const WHY: &str = "its author was erased";

/// Selects the versions of a person.
macro_rules! versions {
    () => {
        "(SELECT versions.id FROM versions JOIN bots ON bots.id = versions.bot
            WHERE bots.owner = $1)"
    };
}

/// Selects the matches of a part. A version plays in one arena only.
macro_rules! part {
    () => {
        "(SELECT arena, number FROM seats
            WHERE version = $1 AND number > $2 AND number <= $3)"
    };
}

/// The most matches of a part.
const PART: u32 = 500;

/// A person who is erased.
#[derive(Clone, Debug)]
pub(crate) struct Erasure {
    pub(crate) person: i64,
    /// What stands for all names from now on.
    pub(crate) alias: String,
    pub(crate) at: i64,
}

row!(Erasure { person, alias, at });

/// What must be read before a person is erased.
#[derive(Clone, Debug, Default)]
pub(crate) struct Traces {
    /// Outcomes of annulled matches without the reason, which names the person.
    annulled: Vec<Outcomes>,
    /// Entries of the audit log by others that name the person.
    entries: Vec<i64>,
}

/// The arena and the number of a match, and its new outcome.
type Outcomes = (i64, u64, Outcome);

impl Erasure {
    /// Returns the statements that erase the person, but for what is in matches. They fail if no
    /// administrator would be left.
    pub(crate) fn statements(&self, traces: &Traces) -> Vec<Statement> {
        let Erasure { person, ref alias, at } = *self;
        let account =
            "UPDATE people SET name = $2, shown = $2, role = 'spectator', password = NULL,
                disabled = coalesce(disabled, $3), erased = coalesce(erased, $3)
            WHERE id = $1
                AND (role <> 'administrator' OR disabled IS NOT NULL
                    OR 1 < (SELECT count(*) FROM people WHERE role = 'administrator'
                        AND disabled IS NULL AND password IS NOT NULL))";
        let mut all = vec![statement(account, (person, alias, at)).once()];
        let of_person = [
            // Everything with which the person signs in, or others do by the person's invitation,
            // and kept replies.
            "DELETE FROM sessions WHERE person = $1",
            "DELETE FROM networks WHERE person = $1",
            "DELETE FROM tokens WHERE person = $1",
            "DELETE FROM links WHERE person = $1 OR maker = $1",
            "DELETE FROM idempotency WHERE person = $1",
            "DELETE FROM extensions WHERE person = $1",
            // The person's files are removed, as far as nobody else has the same ones.
            "INSERT INTO doomed (digest) SELECT DISTINCT source FROM versions
                WHERE source IS NOT NULL AND bot IN (SELECT id FROM bots WHERE owner = $1)
                ON CONFLICT (digest) DO NOTHING",
            "INSERT INTO doomed (digest) SELECT DISTINCT built FROM versions
                WHERE built IS NOT NULL AND bot IN (SELECT id FROM bots WHERE owner = $1)
                ON CONFLICT (digest) DO NOTHING",
            "UPDATE versions SET source = NULL, built = NULL, run = '', language = '',
                message = '', report = NULL,
                state = CASE state WHEN 'ready' THEN 'ready' ELSE 'refused' END
                WHERE bot IN (SELECT id FROM bots WHERE owner = $1)",
        ];
        all.extend(of_person.map(|sql| statement(sql, (person,))));
        all.extend(traces.annulled.iter().map(set_outcome));
        let bots = "UPDATE bots SET name = $2, slug = $2, stopped = $3, skeleton = NULL
            WHERE owner = $1";
        let stopped = Stopped { by: StoppedBy::Erased, why: WHY.to_owned(), at };
        all.push(statement(bots, (person, alias, to_json(&stopped))));
        // What an organiser did stays, but not in the person's words.
        let own = "UPDATE audit SET detail = '', subject = CASE
                WHEN action LIKE 'arena.%' OR action LIKE 'match.%' THEN subject ELSE $2 END
            WHERE person = $1";
        all.push(statement(own, (person, alias)));
        for &entry in &traces.entries {
            let sql = "UPDATE audit SET detail = '', subject = $2 WHERE id = $1";
            all.push(statement(sql, (entry, alias)));
        }
        let pending = "INSERT INTO erasures (person, at) VALUES ($1, $2)
            ON CONFLICT (person) DO NOTHING";
        all.push(statement(pending, (person, at)));
        all
    }
}

fn set_outcome((arena, number, outcome): &Outcomes) -> Statement {
    let sql = "UPDATE matches SET outcome = $3 WHERE arena = $1 AND number = $2";
    statement(sql, (*arena, *number, to_json(outcome)))
}

/// Returns the statement that notes that an erasure is complete.
pub(crate) fn complete(person: i64) -> Statement {
    statement("DELETE FROM erasures WHERE person = $1", (person,))
}

impl Store {
    /// Returns the erasures that are not complete.
    pub(crate) async fn erasures(&self) -> Stored<Vec<Erasure>> {
        let sql = "SELECT erasures.person, people.name, erasures.at FROM erasures
            JOIN people ON people.id = erasures.person ORDER BY erasures.at, erasures.person";
        self.all(sql, ()).await
    }

    /// Returns the versions of a person.
    pub(crate) async fn versions_of(&self, person: i64) -> Stored<Vec<i64>> {
        self.all(concat!("SELECT id FROM versions WHERE id IN ", versions!()), (person,)).await
    }

    /// Looks for what is left of a person.
    pub(crate) async fn traces(&self, person: &Person) -> Stored<Traces> {
        let bots = self.bots_of(person.id).await?;
        let mut names = vec![person.name.clone(), person.shown.clone()];
        names.extend(bots.into_iter().flat_map(|bot| [bot.name, bot.slug]));
        let names: Vec<String> = names.iter().map(|name| name.to_lowercase()).collect();
        let entries = self.entries_about(person.id, &names).await?;
        Ok(Traces { annulled: self.annulled_about(person.id, &names).await?, entries })
    }

    /// Removes what a version wrote in a part of its matches: those after a number. Returns the
    /// number of the last match of this part; `None` if there was none.
    pub(crate) async fn erase_part(
        &self,
        version: i64,
        after: u64,
        at: i64,
    ) -> Stored<Option<u64>> {
        let sql = "SELECT max(number) FROM (SELECT number FROM seats
            WHERE version = $1 AND number > $2 ORDER BY number LIMIT $3) AS part";
        let last = self.first(sql, (version, after, PART)).await?.flatten();
        let Some(last): Option<u64> = last else { return Ok(None) };
        let replays = concat!(
            "INSERT INTO doomed (digest) SELECT DISTINCT replay FROM matches
            WHERE replay IS NOT NULL AND replay_removed IS NULL AND (arena, number) IN ",
            part!(),
            " ON CONFLICT (digest) DO NOTHING"
        );
        let removed = concat!(
            "UPDATE matches SET replay_removed = coalesce(replay_removed, $4), replay_erased = 1
            WHERE replay IS NOT NULL AND replay_erased = 0 AND (arena, number) IN ",
            part!()
        );
        let logs = "UPDATE seats SET stderr = NULL, cost = NULL
            WHERE (stderr IS NOT NULL OR cost IS NOT NULL)
                AND version = $1 AND number > $2 AND number <= $3";
        let mut all = vec![
            statement(replays, (version, after, last)),
            statement(removed, (version, after, last, at)),
            statement(logs, (version, after, last)),
        ];
        let outcomes = self.outcomes_without(version, after, last).await?;
        all.extend(outcomes.iter().map(set_outcome));
        self.write(all).await?;
        Ok(Some(last))
    }

    /// Returns the outcomes of a part of a version's matches without the faults of the version,
    /// whose evidence is in its own words.
    async fn outcomes_without(&self, version: i64, after: u64, last: u64) -> Stored<Vec<Outcomes>> {
        const SQL: &str = "SELECT matches.arena, matches.number, outcome, seat FROM matches
            JOIN seats ON seats.arena = matches.arena AND seats.number = matches.number
            WHERE outcome IS NOT NULL AND seats.faults > 0
                AND version = $1 AND seats.number > $2 AND seats.number <= $3
            ORDER BY matches.arena, matches.number, seat";
        let mut all: Vec<Outcomes> = Vec::new();
        let rows: Vec<(i64, u64, Outcome, usize)> = self.all(SQL, (version, after, last)).await?;
        for (arena, number, outcome, seat) in rows {
            // Several seats of a match may be the version's.
            let before = all.pop_if(|(of, last, _)| *of == arena && *last == number);
            let is_changed = before.is_some();
            let mut outcome = before.map_or(outcome, |(.., before)| before);
            let count = outcome.faults.len();
            outcome.faults.retain(|fault| fault.player.index() != seat);
            if is_changed || outcome.faults.len() < count {
                all.push((arena, number, outcome));
            }
        }
        Ok(all)
    }

    /// Returns the outcomes of annulled matches of a person without the reason, where it has one
    /// of the names.
    async fn annulled_about(&self, person: i64, names: &[String]) -> Stored<Vec<Outcomes>> {
        const SQL: &str = concat!(
            "SELECT arena, number, outcome FROM matches
            WHERE state = 'annulled' AND outcome IS NOT NULL
                AND EXISTS (SELECT 1 FROM seats WHERE seats.arena = matches.arena
                    AND seats.number = matches.number AND version IN ",
            versions!(),
            ")"
        );
        let mut all = Vec::new();
        let rows: Vec<(i64, u64, Outcome)> = self.all(SQL, (person,)).await?;
        for (arena, number, mut outcome) in rows {
            if has_name(&outcome.annulled, names) {
                outcome.annulled = "for a reason that was erased".to_owned();
                all.push((arena, number, outcome));
            }
        }
        Ok(all)
    }

    /// Returns the entries of the audit log by others that name a person or the person's bots.
    async fn entries_about(&self, person: i64, names: &[String]) -> Stored<Vec<i64>> {
        const SQL: &str = "SELECT id, action, subject, detail FROM audit
            WHERE person IS NULL OR person <> $1 ORDER BY id";
        let rows: Vec<(i64, String, String, String)> = self.all(SQL, (person,)).await?;
        let names_somebody = |(_, action, subject, detail): &(i64, String, String, String)| {
            let is_about_somebody =
                ["person.", "bot.", "account."].iter().any(|of| action.starts_with(of));
            is_about_somebody && has_name(subject, names) || has_name(detail, names)
        };
        Ok(rows.into_iter().filter(names_somebody).map(|(id, ..)| id).collect())
    }
}

/// Returns whether a text has one of the names, which are in lower case, as a whole word.
fn has_name(text: &str, names: &[String]) -> bool {
    let text = text.to_lowercase();
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '-');
    names.iter().filter(|name| !name.is_empty()).any(|name| {
        text.match_indices(name.as_str()).any(|(at, found)| {
            let before = text[..at].chars().next_back();
            let after = text[at + found.len()..].chars().next();
            !is_part(before) && !is_part(after)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_whole_words() {
        let names = ["ada".to_owned(), "red fox".to_owned()];
        for text in ["ada", "Ada v3", "by ADA.", "a Red Fox!"] {
            assert!(has_name(text, &names), "{text}");
        }
        for text in ["", "adas", "canada", "ada-2", "red  fox", "redfox"] {
            assert!(!has_name(text, &names), "{text}");
        }
    }
}
