//! Where a ladder's tables are: in its folder, or in a database on a server.
//!
//! A folder and such a database belong together: an id is in both. Otherwise a wrong address would
//! show one ladder's matches with another's replays.

use std::path::{Path, PathBuf};
use std::{fs, io::ErrorKind, sync::Arc};

use agon_console::serve_options::{DATABASE_VARIABLE, DatabaseOptions};
use anyhow::{Context, Result, ensure};
use deadpool_postgres::ClientWrapper;
use futures_util::TryStreamExt;
use rusqlite::Connection;

use super::postgres::{check_form, connect, failed, row_of};
use super::{
    Address, Database, Engine, Postgres, Row, SQLITE, Sqlite, Statement, Stored, Value, missing,
    sqlite, statement,
};
use crate::durable;

/// The file of SQLite in a folder.
pub(crate) const FILE: &str = "agon.db";

/// The file with the id of a folder whose tables are elsewhere.
const ID: &str = "database.id";

/// A file that each folder has whose server has run.
const OLD: &str = "keys/log.key";

/// Where a ladder's tables are.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    /// In a file of its folder.
    Folder(PathBuf),
    /// In a database on a server.
    Server(Box<Address>),
}

impl Place {
    /// Finds out where the tables of a folder are. The flags must fit the folder.
    pub(crate) fn of(data: &Path, options: &DatabaseOptions) -> Result<Place> {
        let (file, shown) = (data.join(FILE), data.display());
        match Address::of(options)? {
            Some(address) => {
                ensure!(
                    !file.exists(),
                    "`--database` or {DATABASE_VARIABLE} names a database, but the ladder in \
                     {shown} is kept in its file {FILE}; leave it out, or move the ladder to a \
                     new folder with `agon serve backup` and `agon serve restore --database`"
                );
                Ok(Place::Server(Box::new(address)))
            }
            None => {
                ensure!(
                    id(data)?.is_none(),
                    "the ladder in {shown} is kept in a database of PostgreSQL; name it with \
                     `--database` or {DATABASE_VARIABLE}"
                );
                Ok(Place::Folder(file))
            }
        }
    }

    /// Opens the database, and checks that it belongs to the folder.
    pub(crate) async fn open(&self, data: &Path) -> Result<Arc<dyn Database>> {
        match self {
            Place::Folder(file) => Ok(Arc::new(Sqlite::open(file)?)),
            Place::Server(address) => {
                let database: Arc<dyn Database> = Arc::new(Postgres::open(address).await?);
                bind(&*database, data, address).await?;
                Ok(database)
            }
        }
    }
}

/// Checks that database and folder have the same id; new ones get one.
async fn bind(database: &dyn Database, data: &Path, address: &Address) -> Result<()> {
    let rows = database.read("SELECT value FROM facts WHERE name = 'folder'", Vec::new()).await?;
    let theirs: Option<String> = rows.first().map(Row::read).transpose()?;
    let shown = data.display();
    let ours = match (id(data)?, theirs) {
        (Some(ours), Some(theirs)) => {
            ensure!(
                ours == theirs,
                "the database {address} belongs to the ladder of another folder than {shown}"
            );
            // The folder is whole, so its restore ended. No other one may take the database.
            let restored = "DELETE FROM facts WHERE name = 'restoring'";
            database.write(vec![statement(restored, ())]).await?;
            return Ok(());
        }
        (None, Some(_)) => anyhow::bail!(
            "the database {address} has a ladder, whose folder is another one than {shown}; name \
             that one with `--data`, or restore a backup to a new folder and database"
        ),
        (Some(ours), None) => {
            // The first start may have ended between the two.
            ensure!(
                !data.join(OLD).exists(),
                "the database {address} is empty, but {shown} belongs to a ladder; name the right \
                 one, or restore a backup to a new folder and database"
            );
            ours
        }
        (None, None) => set_id(data)?,
    };
    let sql = "INSERT INTO facts (name, value) VALUES ('folder', $1)";
    database.write(vec![statement(sql, (ours,))]).await?;
    Ok(())
}

/// Checks that a folder is that of a ladder.
pub(crate) fn check_ladder(data: &Path) -> Result<()> {
    ensure!(
        data.join(FILE).is_file() || id(data)?.is_some(),
        "{} has no ladder: `--data DIR` names the folder of `agon serve`",
        data.display()
    );
    Ok(())
}

/// Returns the id of a folder whose tables are elsewhere.
pub(crate) fn id(data: &Path) -> Result<Option<String>> {
    let path = data.join(ID);
    match fs::read_to_string(&path) {
        Ok(text) => Ok(Some(text.trim().to_owned())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| path.display().to_string()),
    }
}

/// Gives a folder an id, and returns it.
pub(crate) fn set_id(data: &Path) -> Result<String> {
    let id = format!("{:014x}", crate::store::fresh_id());
    let path = data.join(ID);
    let written = durable::write_new(&path, id.as_bytes());
    written.with_context(|| format!("{} cannot be written", path.display()))?;
    Ok(id)
}

/// Uses a database without being its server, for commands of the shell. It must leave alone what a
/// running server keeps in memory.
pub(crate) enum Guest {
    Sqlite(Connection),
    /// Without the lock of those who write: rows of which the server keeps nothing.
    Postgres(ClientWrapper),
}

impl Guest {
    /// Opens a database that a server of this version has made.
    pub(crate) async fn open(place: &Place) -> Result<Guest> {
        match place {
            Place::Folder(file) => {
                let shown = || format!("the database {}", file.display());
                let connection = sqlite::connect(file).with_context(shown)?;
                let is_old = !missing(SQLITE, &sqlite::steps_done(&connection)?)?.is_empty();
                ensure!(!is_old, "an older Agon made {}; start the server first", file.display());
                Ok(Guest::Sqlite(connection))
            }
            Place::Server(address) => {
                let opened = async {
                    let client = connect(address, &address.for_writing()).await?;
                    check_form(&client).await?;
                    anyhow::Ok(Guest::Postgres(client))
                };
                opened.await.with_context(|| format!("the database {address}"))
            }
        }
    }

    /// Reads rows.
    pub(crate) async fn read(&mut self, sql: &'static str, values: Vec<Value>) -> Result<Vec<Row>> {
        match self {
            Guest::Sqlite(connection) => Ok(sqlite::read(connection, sql, &values)?),
            Guest::Postgres(client) => {
                let rows: Vec<_> = client.query_raw(sql, &values).await?.try_collect().await?;
                Ok(rows.iter().map(row_of).collect::<Stored<_>>()?)
            }
        }
    }

    /// Writes statements in one transaction.
    pub(crate) async fn write(&mut self, statements: Vec<Statement>) -> Result<()> {
        match self {
            Guest::Sqlite(connection) => {
                let written = connection.write(&[statements], &Default::default());
                Ok(written.into_iter().collect::<Stored<()>>()?)
            }
            Guest::Postgres(client) => {
                let transaction = client.transaction().await?;
                for (number, statement) in statements.iter().enumerate() {
                    let done = transaction.execute_raw(statement.sql, &statement.values).await;
                    statement.check(number, done.map_err(|error| failed(&error))?)?;
                }
                Ok(transaction.commit().await?)
            }
        }
    }
}
