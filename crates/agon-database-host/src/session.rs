//! Carries out the orders of the arena, one after the other, on the database that is open.

use std::io;

use agon_database::{Answer, Order, unpack};

use crate::{
    database::{Database, Tournament},
    refused::Refused,
};

/// A database that is open.
pub(crate) struct Session {
    tournament: Tournament,
    database: Database,
}

impl Session {
    /// Carries out an order. The first one opens a session.
    ///
    /// # Errors
    /// If the order, or its bytes, make no sense now.
    pub(crate) fn obey(
        session: &mut Option<Session>,
        order: Order,
        bytes: &[u8],
    ) -> io::Result<Answer> {
        let none = |what| io::Error::new(io::ErrorKind::InvalidData, what);
        let answer = match (order, session.take()) {
            (Order::Open { file, plan }, _) => {
                let bots = unpack(bytes).ok_or_else(|| none("these are no bots"))?;
                let tournament = Tournament { file: file.into(), plan, bots };
                Database::open(&tournament)
                    .and_then(|database| opened(session, tournament, database))
            }
            (Order::Anew, Some(Session { tournament, database })) => {
                drop(database);
                Database::anew(&tournament)
                    .and_then(|database| opened(session, tournament, database))
            }
            (Order::Append { before }, Some(open)) => {
                let rows = unpack(bytes).ok_or_else(|| none("these are no matches"))?;
                let matches = session.insert(open).database.append(before, &rows);
                matches.map(|matches| Answer::Appended { matches }).map_err(Refused::from)
            }
            (Order::Anew | Order::Append { .. }, None) => return Err(none("no database is open")),
        };
        Ok(answer.unwrap_or_else(|Refused(why)| Answer::Refused(why)))
    }
}

fn opened(
    session: &mut Option<Session>,
    tournament: Tournament,
    database: Database,
) -> Result<Answer, Refused> {
    let answer = Answer::Opened { matches: database.matches(), last: database.last()? };
    *session = Some(Session { tournament, database });
    Ok(answer)
}
