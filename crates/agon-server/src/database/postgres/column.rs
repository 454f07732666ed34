//! Values of columns, as PostgreSQL sends them.

use std::error::Error;

use bytes::BytesMut;
use tokio_postgres::{
    Column,
    types::{IsNull, ToSql, Type, to_sql_checked},
};

use super::connection::failed;
use crate::database::{DatabaseError, Row, Value};

/// Reads rows.
pub(crate) fn rows_of(rows: &[tokio_postgres::Row]) -> Result<Vec<Row>, DatabaseError> {
    rows.iter().map(row_of).collect()
}

/// Reads a row.
pub(super) fn row_of(row: &tokio_postgres::Row) -> Result<Row, DatabaseError> {
    let values = row.columns().iter().enumerate().map(|(at, column)| value_of(row, at, column));
    Ok(Row(values.collect::<Result<_, _>>()?))
}

fn value_of(row: &tokio_postgres::Row, at: usize, column: &Column) -> Result<Value, DatabaseError> {
    fn get<'a, T: tokio_postgres::types::FromSql<'a>>(
        row: &'a tokio_postgres::Row,
        at: usize,
        make: impl FnOnce(T) -> Value,
    ) -> Result<Value, DatabaseError> {
        let value: Option<T> = row.try_get(at).map_err(|error| failed(&error))?;
        Ok(value.map_or(Value::Null, make))
    }
    match *column.type_() {
        Type::INT8 => get(row, at, Value::Int),
        Type::INT4 => get(row, at, |number: i32| Value::Int(number.into())),
        Type::BOOL => get(row, at, |whether: bool| Value::Int(whether.into())),
        Type::FLOAT8 => get(row, at, Value::Real),
        Type::TEXT | Type::VARCHAR | Type::NAME => get(row, at, Value::Text),
        Type::BYTEA => get(row, at, Value::Bytes),
        ref other => {
            let text = format!("the column `{}` has the type {other}", column.name());
            Err(DatabaseError::Engine(text))
        }
    }
}

/// Returns values as the library takes them.
pub(crate) fn refs(values: &[Value]) -> Vec<&(dyn ToSql + Sync)> {
    values.iter().map(|value| value as &(dyn ToSql + Sync)).collect()
}

impl ToSql for Value {
    fn to_sql(
        &self,
        of: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match (self, of) {
            (Value::Null, _) => Ok(IsNull::Yes),
            (Value::Int(number), &Type::INT4) => i32::try_from(*number)?.to_sql(of, out),
            (Value::Int(number), &Type::FLOAT8) => (*number as f64).to_sql(of, out),
            (Value::Int(number), &Type::INT8) => number.to_sql(of, out),
            (Value::Real(number), &Type::FLOAT8) => number.to_sql(of, out),
            (Value::Text(text), &(Type::TEXT | Type::VARCHAR | Type::NAME)) => text.to_sql(of, out),
            (Value::Bytes(bytes), &Type::BYTEA) => bytes.to_sql(of, out),
            _ => Err(format!("{self:?} is no {of}").into()),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}
