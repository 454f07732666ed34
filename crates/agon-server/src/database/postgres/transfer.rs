//! From a database on a server to a file of SQLite, and back.
//!
//! Both have the same tables and columns. So a copy of a ladder is one file whatever keeps the
//! original, and a ladder moves from one to the other by a copy.

use std::{path::Path, pin::pin};

use anyhow::{Context, Result, ensure};
use futures_util::TryStreamExt;
use rusqlite::{Connection as File, OpenFlags, params_from_iter};
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Transaction, binary_copy::BinaryCopyInWriter};

use super::connection::{Address, Connection, check_form, connect};
use super::row_of;
use crate::database::Value;
use crate::database::sqlite::{fresh, open_file, value_of};

/// Removes the mark of a restore.
pub(crate) const RESTORED: &str = "DELETE FROM facts WHERE name = 'restoring'";

/// A table, with the names of its columns.
struct Table {
    name: String,
    columns: Vec<String>,
}

impl Table {
    fn names(&self) -> String {
        self.columns.join(", ")
    }

    fn select(&self) -> String {
        format!("SELECT {} FROM {}", self.names(), self.name)
    }
}

/// Copies a database, as it is at one moment, to a new file of SQLite. Those who use it notice
/// nothing.
///
/// # Errors
/// If the database cannot be read or has other tables than this program knows, or the file cannot
/// be written.
pub(crate) async fn save(address: &Address, path: &Path) -> Result<()> {
    let shown = || format!("the database {address} cannot be copied to {}", path.display());
    let saved = async {
        let (mut client, _driver) = connect(address, &address.for_reading()).await?;
        let transaction = client
            .build_transaction()
            .isolation_level(tokio_postgres::IsolationLevel::RepeatableRead)
            .read_only(true)
            .start()
            .await?;
        check_form(&transaction).await?;
        let mut file = fresh(path)?;
        let target = file.transaction()?;
        for table in tables(&target)? {
            save_table(&transaction, &target, &table).await?;
        }
        target.commit()?;
        // A single file, which can be read without others.
        file.pragma_update(None, "journal_mode", "delete")?;
        file.close().map_err(|(_, error)| error)?;
        anyhow::Ok(())
    };
    saved.await.with_context(shown)
}

async fn save_table(
    source: &Transaction<'_>,
    target: &rusqlite::Transaction<'_>,
    table: &Table,
) -> Result<()> {
    let places: Vec<String> = (1..=table.columns.len()).map(|at| format!("?{at}")).collect();
    let sql =
        format!("INSERT INTO {} ({}) VALUES ({})", table.name, table.names(), places.join(", "));
    let mut insert = target.prepare(&sql)?;
    let none: [&(dyn ToSql + Sync); 0] = [];
    let mut rows = pin!(source.query_raw(&table.select(), none).await?);
    while let Some(row) = rows.try_next().await? {
        insert.execute(params_from_iter(row_of(&row)?.0))?;
    }
    Ok(())
}

/// Copies a file of SQLite to a database without a ladder, which belongs to the folder with this
/// id from then on. Returns whether it replaced what an earlier restore had left.
///
/// The database says that it is being restored, until [`finish`] is called: another restore may
/// take its place if this one fails after all is committed.
///
/// # Errors
/// If the database has a ladder, or something cannot be read or written.
pub(crate) async fn fill(path: &Path, address: &Address, folder: &str) -> Result<bool> {
    let shown = || format!("{} cannot be copied to the database {address}", path.display());
    let filled = async {
        let mut connection = Connection::open(address).await?;
        connection.migrate().await?;
        let source = open_file(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        let tables = tables(&source)?;
        let transaction = connection.client.transaction().await?;
        let is_taken_over = make_room(&transaction, &tables).await?;
        for table in &tables {
            fill_table(&source, &transaction, table).await?;
        }
        // The next number of those that the database itself gives.
        let next = "SELECT setval(pg_get_serial_sequence('audit', 'id'), max(id)) FROM audit";
        transaction.execute(next, &[]).await?;
        let sql = "INSERT INTO facts (name, value) VALUES ('folder', $1), ('restoring', $1)
            ON CONFLICT (name) DO UPDATE SET value = excluded.value";
        transaction.execute(sql, &[&folder]).await?;
        transaction.commit().await?;
        anyhow::Ok(is_taken_over)
    };
    filled.await.with_context(shown)
}

/// Notes that a restore is complete.
pub(crate) async fn finish(address: &Address) -> Result<()> {
    let finished = async {
        let connection = Connection::open(address).await?;
        connection.client.execute(RESTORED, &[]).await?;
        anyhow::Ok(())
    };
    finished.await.with_context(|| format!("the database {address}"))
}

/// Removes what an interrupted restore left. Returns whether there was any.
async fn make_room(transaction: &Transaction<'_>, tables: &[Table]) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT FROM facts),
        EXISTS (SELECT FROM facts WHERE name = 'restoring')";
    let row = transaction.query_one(sql, &[]).await?;
    let (is_used, is_unfinished): (bool, bool) = (row.get(0), row.get(1));
    ensure!(!is_used || is_unfinished, "it has a ladder already; name a new one");
    if is_unfinished {
        let names: Vec<&str> = tables.iter().map(|table| table.name.as_str()).collect();
        transaction.batch_execute(&format!("TRUNCATE {}", names.join(", "))).await?;
    }
    Ok(is_unfinished)
}

async fn fill_table(source: &File, target: &Transaction<'_>, table: &Table) -> Result<()> {
    let described = target.prepare(&table.select()).await?;
    let types: Vec<Type> =
        described.columns().iter().map(|column| column.type_().clone()).collect();
    let sql = format!("COPY {} ({}) FROM STDIN BINARY", table.name, table.names());
    let sink = target.copy_in(&sql).await?;
    let mut writer = pin!(BinaryCopyInWriter::new(sink, &types));
    let mut query = source.prepare(&table.select())?;
    let mut rows = query.raw_query();
    while let Some(row) = rows.next()? {
        let column = |at| row.get_ref(at).map(value_of);
        let values: Vec<Value> =
            (0..table.columns.len()).map(column).collect::<rusqlite::Result<_>>()?;
        writer.as_mut().write_raw(values).await?;
    }
    writer.finish().await?;
    Ok(())
}

/// Returns the tables of a file, in the order in which they were made: what others name is first.
fn tables(file: &File) -> Result<Vec<Table>> {
    let sql = "SELECT name FROM sqlite_schema
        WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name <> 'migrations' ORDER BY rowid";
    let mut query = file.prepare(sql)?;
    let names: Vec<String> = query.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    let mut tables = Vec::new();
    for name in names {
        let mut query = file.prepare("SELECT name FROM pragma_table_info(?1)")?;
        let columns = query.query_map([&name], |row| row.get(0))?.collect::<Result<_, _>>()?;
        tables.push(Table { name, columns });
    }
    Ok(tables)
}
