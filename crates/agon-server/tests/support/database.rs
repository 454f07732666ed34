//! The database of a server under test: a file in its folder, or one of PostgreSQL's if the
//! variable [`VARIABLE`] says so.

use std::{cell::RefCell, path::Path, time::Duration};

use agon_ladder::ledger::{pack, unpack};
use agon_testkit::postgres::VARIABLE;
use rusqlite::{Connection, types::ValueRef};
use tokio::runtime::{Builder, Runtime};
use tokio_postgres::{Client, NoTls, SimpleQueryMessage};

/// A row: each value as a text.
pub(crate) type Texts = Vec<Option<String>>;

/// Returns the address of the database of a folder's server; `None` if it is a file in there.
pub(crate) fn address(data: &Path) -> Option<String> {
    let server = std::env::var(VARIABLE).ok()?;
    Some(format!("{server}/{}", name(data)))
}

fn name(data: &Path) -> String {
    let path = std::path::absolute(data).unwrap();
    format!("t{}", &blake3::hash(path.as_os_str().as_encoded_bytes()).to_hex()[..24])
}

/// Returns the flags with which a server, a backup or a restore uses a folder's database. Makes it
/// if there is none.
pub(crate) fn flags(data: &Path) -> Vec<String> {
    let Some(address) = address(data) else { return Vec::new() };
    make(&std::env::var(VARIABLE).unwrap(), &name(data));
    vec!["--database".to_owned(), address]
}

/// Makes a database of a server, unless it is there, and returns its address.
pub(crate) fn make(server: &str, name: &str) -> String {
    let all = Postgres::open(&format!("{server}/postgres"));
    let there = format!("SELECT 1 FROM pg_database WHERE datname = '{name}'");
    if all.rows(&there).is_empty() {
        all.rows(&format!("CREATE DATABASE {name}"));
    }
    format!("{server}/{name}")
}

/// A connection to a server's database.
pub(crate) enum Database {
    File(Connection),
    Server(Postgres),
}

impl Database {
    /// Connects to the database of a folder's server.
    pub(crate) fn of(data: &Path) -> Database {
        match address(data) {
            Some(address) => Database::Server(Postgres::open(&address)),
            None => Database::file(&data.join("agon.db")),
        }
    }

    /// Connects to a database with this address.
    pub(crate) fn at(address: &str) -> Database {
        Database::Server(Postgres::open(address))
    }

    /// Opens a file.
    pub(crate) fn file(path: &Path) -> Database {
        let connection = Connection::open(path).unwrap();
        connection.busy_timeout(Duration::from_secs(60)).unwrap();
        Database::File(connection)
    }

    /// Sees one moment with all questions from now on.
    pub(crate) fn moment(self) -> Database {
        match &self {
            Database::File(connection) => connection.execute_batch("BEGIN").unwrap(),
            Database::Server(server) => {
                server.rows("BEGIN ISOLATION LEVEL REPEATABLE READ");
            }
        }
        self
    }

    /// Asks for rows.
    pub(crate) fn rows(&self, sql: &str) -> Vec<Texts> {
        let connection = match self {
            Database::File(connection) => connection,
            Database::Server(server) => return server.rows(sql),
        };
        let mut query = connection.prepare(sql).unwrap();
        let columns = query.column_count();
        let text = |value: ValueRef<'_>| match value {
            ValueRef::Null => None,
            ValueRef::Integer(number) => Some(number.to_string()),
            ValueRef::Real(number) => Some(number.to_string()),
            ValueRef::Text(text) => Some(String::from_utf8(text.to_vec()).unwrap()),
            ValueRef::Blob(_) => panic!("bytes"),
        };
        let rows =
            query.query_map([], |row| (0..columns).map(|at| Ok(text(row.get_ref(at)?))).collect());
        rows.unwrap().map(Result::unwrap).collect()
    }

    /// Asks for the first value of the first row.
    pub(crate) fn text(&self, sql: &str) -> Option<String> {
        self.rows(sql).into_iter().next().and_then(|row| row.into_iter().next()).flatten()
    }

    /// Asks for a number.
    pub(crate) fn number(&self, sql: &str) -> u64 {
        let text = self.text(sql).unwrap_or_else(|| panic!("{sql}: no number"));
        text.parse().unwrap_or_else(|_| panic!("{sql}: {text}"))
    }

    /// Changes rows, and returns how many.
    pub(crate) fn execute(&self, sql: &str) -> u64 {
        match self {
            Database::File(connection) => connection.execute(sql, []).unwrap() as u64,
            Database::Server(server) => server.execute(sql),
        }
    }

    /// Returns the entries of the public log, in order.
    pub(crate) fn log(&self) -> Vec<String> {
        self.numbered_log().into_iter().map(|(_, entry)| entry).collect()
    }

    fn numbered_log(&self) -> Vec<(String, String)> {
        let digits = match self {
            Database::File(_) => "hex(entry)",
            Database::Server(_) => "encode(entry, 'hex')",
        };
        let entry = |row: Texts| {
            let [number, packed] = [0, 1].map(|column| row[column].clone().unwrap());
            (number, unpack(&from_hex(&packed)).unwrap())
        };
        let rows = self.rows(&format!("SELECT number, {digits} FROM log ORDER BY number"));
        rows.into_iter().map(entry).collect()
    }

    /// Replaces a text in the entries of the public log that have both, and returns how many.
    pub(crate) fn replace_in_log(&self, with: &str, old: &str, new: &str) -> u64 {
        let is_meant = |entry: &String| entry.contains(with) && entry.contains(old);
        let all = self.numbered_log().into_iter().filter(|(_, entry)| is_meant(entry));
        let changed = all.map(|(number, entry)| {
            let packed = to_hex(&pack(&entry.replace(old, new)));
            let bytes = match self {
                Database::File(_) => format!("x'{packed}'"),
                Database::Server(_) => format!("decode('{packed}', 'hex')"),
            };
            self.execute(&format!("UPDATE log SET entry = {bytes} WHERE number = {number}"))
        });
        changed.sum()
    }

    /// Does several statements, as a whole.
    pub(crate) fn batch(&self, sql: &str) {
        match self {
            Database::File(connection) => connection.execute_batch(sql).unwrap(),
            Database::Server(server) => drop(server.rows(sql)),
        }
    }

    /// Checks that the database is whole, as far as its kind can say.
    pub(crate) fn check(&self) {
        if let Database::File(_) = self {
            assert_eq!(self.text("PRAGMA integrity_check").as_deref(), Some("ok"));
        }
    }
}

fn from_hex(digits: &str) -> Vec<u8> {
    let byte = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).unwrap();
    (0..digits.len()).step_by(2).map(byte).collect()
}

fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A connection to PostgreSQL.
pub(crate) struct Postgres {
    runtime: RefCell<Runtime>,
    client: Client,
}

impl Postgres {
    fn open(address: &str) -> Postgres {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let client = runtime.block_on(async {
            let (client, driver) = tokio_postgres::connect(address, NoTls).await.unwrap();
            drop(tokio::spawn(driver));
            client
        });
        Postgres { runtime: RefCell::new(runtime), client }
    }

    fn rows(&self, sql: &str) -> Vec<Texts> {
        let found = self.runtime.borrow_mut().block_on(self.client.simple_query(sql)).unwrap();
        let row = |message| match message {
            SimpleQueryMessage::Row(row) => {
                Some((0..row.len()).map(|at| row.get(at).map(str::to_owned)).collect())
            }
            _ => None,
        };
        found.into_iter().filter_map(row).collect()
    }

    fn execute(&self, sql: &str) -> u64 {
        self.runtime.borrow_mut().block_on(self.client.execute(sql, &[])).unwrap()
    }
}
