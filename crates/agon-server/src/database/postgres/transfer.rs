//! From a database on a server to a file of SQLite, and back.
//!
//! Both have the same tables and columns. So a copy of a ladder is one file whatever keeps the
//! original, and a ladder moves from one to the other by a copy.

use std::{path::Path, pin::pin};

use anyhow::{Context, Result, ensure};
use futures_util::TryStreamExt;
use rusqlite::{Connection as File, params_from_iter};
use tokio_postgres::types::Type;
use tokio_postgres::{Client, binary_copy::BinaryCopyInWriter};

use super::connection::{Address, check_form, connect, connect_to_write, migrate};
use super::row_of;
use crate::database::Value;
use crate::database::sqlite::{up_to_date, value_of};

/// A table.
struct Table {
    name: String,
    /// The names of its columns, with commas.
    columns: String,
}

impl Table {
    fn select(&self) -> String {
        format!("SELECT {} FROM {}", self.columns, self.name)
    }
}

/// Copies a database, as it is at one moment, to a new file of SQLite. Those who use it notice
/// nothing.
pub(crate) async fn save(address: &Address, path: &Path) -> Result<()> {
    let shown = || format!("the database {address} cannot be copied to {}", path.display());
    let saved = async {
        let client = connect(address, &address.for_reading()).await?;
        client.batch_execute("BEGIN ISOLATION LEVEL REPEATABLE READ").await?;
        check_form(&client).await?;
        let mut file = up_to_date(path)?;
        let target = file.transaction()?;
        for table in tables(&target)? {
            let Table { name, columns } = &table;
            let places = vec!["?"; columns.split(',').count()].join(", ");
            let sql = format!("INSERT INTO {name} ({columns}) VALUES ({places})");
            let mut insert = target.prepare(&sql)?;
            let none: [&Value; 0] = [];
            let mut rows = pin!(client.query_raw(&table.select(), none).await?);
            while let Some(row) = rows.try_next().await? {
                insert.execute(params_from_iter(row_of(&row)?.0))?;
            }
        }
        target.commit()?;
        // A single file, which can be read without others.
        file.pragma_update(None, "journal_mode", "delete")?;
        file.close().map_err(|(_, error)| error)?;
        anyhow::Ok(())
    };
    saved.await.with_context(shown)
}

/// Copies a file of SQLite, whose tables are brought up to date first, to a database without a
/// ladder, which belongs to the folder with this id from then on. Returns whether it replaced what
/// an earlier restore had left.
///
/// The database says that it is being restored, until it is opened with the folder: another restore
/// may take its place if this one fails after all is committed.
pub(crate) async fn fill(path: &Path, address: &Address, folder: &str) -> Result<bool> {
    let shown = || format!("{} cannot be copied to the database {address}", path.display());
    let filled = async {
        let mut client = connect_to_write(address).await?;
        migrate(&mut client).await?;
        let source = up_to_date(path)?;
        let tables = tables(&source)?;
        let transaction = Client::transaction(&mut client).await?;
        let sql = "SELECT EXISTS (SELECT FROM facts),
            EXISTS (SELECT FROM facts WHERE name = 'restoring')";
        let row = transaction.query_one(sql, &[]).await?;
        let (is_used, is_unfinished): (bool, bool) = (row.get(0), row.get(1));
        ensure!(!is_used || is_unfinished, "it has a ladder already; name a new one");
        if is_unfinished {
            let names: Vec<&str> = tables.iter().map(|table| table.name.as_str()).collect();
            transaction.batch_execute(&format!("TRUNCATE {}", names.join(", "))).await?;
        }
        for table in &tables {
            let described = transaction.prepare(&table.select()).await?;
            let types = described.columns().iter().map(|column| column.type_().clone());
            let types: Vec<Type> = types.collect();
            let sql = format!("COPY {} ({}) FROM STDIN BINARY", table.name, table.columns);
            let mut writer =
                pin!(BinaryCopyInWriter::new(transaction.copy_in(&sql).await?, &types));
            let mut query = source.prepare(&table.select())?;
            let mut rows = query.raw_query();
            while let Some(row) = rows.next()? {
                let values = (0..types.len()).map(|at| row.get_ref(at).map(value_of));
                let values: Vec<Value> = values.collect::<rusqlite::Result<_>>()?;
                writer.as_mut().write_raw(values).await?;
            }
            writer.finish().await?;
        }
        // The next number of those that the database itself gives.
        let next = "SELECT setval(pg_get_serial_sequence('audit', 'id'), max(id)) FROM audit";
        transaction.execute(next, &[]).await?;
        let sql = "INSERT INTO facts (name, value) VALUES ('folder', $1), ('restoring', $1)
            ON CONFLICT (name) DO UPDATE SET value = excluded.value";
        transaction.execute(sql, &[&folder]).await?;
        transaction.commit().await?;
        anyhow::Ok(is_unfinished)
    };
    filled.await.with_context(shown)
}

/// Returns the tables of a file, in the order in which they were made: what others name is first.
/// Columns that follow from others are left out.
fn tables(file: &File) -> Result<Vec<Table>> {
    let sql = "SELECT name, (SELECT group_concat(name, ', ') FROM pragma_table_info(made.name))
        FROM sqlite_schema AS made
        WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name <> 'migrations' ORDER BY rowid";
    let mut query = file.prepare(sql)?;
    let table = |row: &rusqlite::Row<'_>| Ok(Table { name: row.get(0)?, columns: row.get(1)? });
    Ok(query.query_map([], table)?.collect::<Result<_, _>>()?)
}
