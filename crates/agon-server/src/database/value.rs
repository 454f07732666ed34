//! Values of columns, rows of them, and what they become.

use std::{slice::Iter, str::FromStr};

use agon_match::spec::Digest;

use super::{DatabaseError, Stored};

/// A value of a column.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Null,
    Int(i64),
    /// A number that no column holds: writing it is an error.
    TooLarge(u64),
    Real(f64),
    Text(String),
    Bytes(Vec<u8>),
}

/// A row that was read.
#[derive(Clone, Debug)]
pub(crate) struct Row(pub(crate) Vec<Value>);

/// What a value of a column becomes.
pub(crate) trait Column: Sized {
    /// Reads a value; `None` if it is of another kind, or out of range.
    fn read(value: &Value) -> Option<Self>;
}

/// What a row, or a part of its columns, becomes.
pub(crate) trait FromRow: Sized {
    /// Reads the next columns.
    fn from_row(values: &mut Iter<'_, Value>) -> Stored<Self>;
}

/// The values of a statement: a tuple of them, or a list.
pub(crate) trait Params {
    /// Returns them in their order.
    fn values(self) -> Vec<Value>;
}

impl Row {
    /// Returns what the row becomes.
    pub(crate) fn read<T: FromRow>(&self) -> Stored<T> {
        T::from_row(&mut self.0.iter())
    }
}

/// Makes a struct from the columns of a row: its fields, in this order.
macro_rules! row {
    ($name:ident { $($field:ident),+ $(,)? }) => {
        impl $crate::database::FromRow for $name {
            fn from_row(
                values: &mut std::slice::Iter<'_, $crate::database::Value>,
            ) -> $crate::database::Stored<$name> {
                Ok($name { $($field: $crate::database::FromRow::from_row(values)?),+ })
            }
        }
    };
}

/// Reads a type from JSON.
macro_rules! json_column {
    ($($name:ty),+) => {$(
        impl $crate::database::Column for $name {
            fn read(value: &$crate::database::Value) -> Option<$name> {
                match value {
                    $crate::database::Value::Text(text) => serde_json::from_str(text).ok(),
                    _ => None,
                }
            }
        }
    )+};
}

/// Keeps an enum as its name in JSON.
macro_rules! name_column {
    ($name:ty) => {
        impl $crate::database::Column for $name {
            fn read(value: &$crate::database::Value) -> Option<$name> {
                let name: String = $crate::database::parsed(value)?;
                serde_json::from_value(name.into()).ok()
            }
        }

        impl From<$name> for $crate::database::Value {
            fn from(value: $name) -> $crate::database::Value {
                let name = serde_json::to_value(value).expect("a name can be written as JSON");
                name.as_str().map(str::to_owned).into()
            }
        }
    };
}

pub(crate) use json_column;
pub(crate) use name_column;
pub(crate) use row;

/// Reads a text as something else.
pub(crate) fn parsed<T: FromStr>(value: &Value) -> Option<T> {
    match value {
        Value::Text(text) => text.parse().ok(),
        _ => None,
    }
}

impl<T: Column> FromRow for T {
    fn from_row(values: &mut Iter<'_, Value>) -> Stored<T> {
        let value = values.next().unwrap_or(&Value::Null);
        T::read(value).ok_or_else(|| {
            // Long texts may be secrets.
            let shown = match value {
                Value::Text(text) if text.len() > 20 => "a long text".to_owned(),
                Value::Bytes(_) => "bytes".to_owned(),
                value => format!("{value:?}"),
            };
            DatabaseError::Engine(format!(
                "a column has {shown}, which this Agon cannot read; restore it from a backup"
            ))
        })
    }
}

macro_rules! tuples {
    ($($name:ident $at:tt),+) => {
        impl<$($name: Into<Value>),+> Params for ($($name,)+) {
            fn values(self) -> Vec<Value> {
                vec![$(self.$at.into()),+]
            }
        }

        impl<$($name: FromRow),+> FromRow for ($($name,)+) {
            fn from_row(values: &mut Iter<'_, Value>) -> Stored<Self> {
                Ok(($($name::from_row(values)?,)+))
            }
        }
    };
}

tuples!(A 0);
tuples!(A 0, B 1);
tuples!(A 0, B 1, C 2);
tuples!(A 0, B 1, C 2, D 3);
tuples!(A 0, B 1, C 2, D 3, E 4);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12, N 13);

impl Params for () {
    fn values(self) -> Vec<Value> {
        Vec::new()
    }
}

impl Params for Vec<Value> {
    fn values(self) -> Vec<Value> {
        self
    }
}

impl Column for i64 {
    fn read(value: &Value) -> Option<i64> {
        match value {
            Value::Int(number) => Some(*number),
            _ => None,
        }
    }
}

macro_rules! smaller_numbers {
    ($($name:ty),+) => {$(
        impl Column for $name {
            fn read(value: &Value) -> Option<$name> {
                i64::read(value)?.try_into().ok()
            }
        }
    )+};
}

smaller_numbers!(u64, u32, u16, usize);

impl Column for bool {
    fn read(value: &Value) -> Option<bool> {
        Some(i64::read(value)? != 0)
    }
}

impl Column for f64 {
    fn read(value: &Value) -> Option<f64> {
        match value {
            Value::Real(number) => Some(*number),
            // SQLite keeps whole numbers as such.
            Value::Int(number) => Some(*number as f64),
            _ => None,
        }
    }
}

impl Column for String {
    fn read(value: &Value) -> Option<String> {
        parsed(value)
    }
}

impl Column for Digest {
    fn read(value: &Value) -> Option<Digest> {
        parsed(value)
    }
}

impl Column for Vec<u8> {
    fn read(value: &Value) -> Option<Vec<u8>> {
        match value {
            Value::Bytes(bytes) => Some(bytes.clone()),
            _ => None,
        }
    }
}

impl<T: Column> Column for Option<T> {
    fn read(value: &Value) -> Option<Option<T>> {
        match value {
            Value::Null => Some(None),
            value => T::read(value).map(Some),
        }
    }
}

macro_rules! values {
    ($($name:ty: $value:ident => $made:expr,)+) => {$(
        impl From<$name> for Value {
            fn from($value: $name) -> Value {
                $made
            }
        }
    )+};
}

values! {
    i64: number => Value::Int(number),
    u64: number => i64::try_from(number).map_or(Value::TooLarge(number), Value::Int),
    usize: number => (number as u64).into(),
    u32: number => Value::Int(number.into()),
    bool: whether => Value::Int(whether.into()),
    f64: number => Value::Real(number),
    &str: text => text.to_owned().into(),
    &String: text => text.clone().into(),
    Digest: digest => digest.to_string().into(),
    &[u8]: bytes => Value::Bytes(bytes.to_vec()),
}

impl From<String> for Value {
    /// The character NUL, which PostgreSQL cannot keep, becomes `�`.
    fn from(text: String) -> Value {
        match text.contains('\0') {
            true => Value::Text(text.replace('\0', "\u{fffd}")),
            false => Value::Text(text),
        }
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Value {
        value.map_or(Value::Null, Into::into)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_out_of_range_are_errors_and_not_other_numbers() {
        assert_eq!(Row(vec![Value::Int(7)]).read::<u64>().unwrap(), 7);
        for value in [Value::Int(-1), Value::Null, "7".into(), Value::Int(1 << 40)] {
            let error = Row(vec![value]).read::<u32>().unwrap_err().to_string();
            assert!(error.contains("which this Agon cannot read"), "{error}");
        }
        assert_eq!(Value::from(u64::MAX), Value::TooLarge(u64::MAX));
    }
}
