//! Values of columns, and rows of them.

/// A value of a column.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Null,
    Int(i64),
    Real(f64),
    Text(String),
    Bytes(Vec<u8>),
}

/// A row that was read. Columns are numbered as in the query, from 0.
///
/// The types of columns are those of the schema. Another one is a mistake of this program, and the
/// methods panic.
#[derive(Clone, Debug)]
pub(crate) struct Row(pub(crate) Vec<Value>);

impl Row {
    /// Returns a whole number.
    pub(crate) fn int(&self, column: usize) -> i64 {
        self.maybe_int(column).expect("the column holds a number")
    }

    /// Returns a whole number that is not negative.
    pub(crate) fn count(&self, column: usize) -> u64 {
        self.int(column).try_into().unwrap_or(0)
    }

    /// Returns a whole number, if there is one.
    pub(crate) fn maybe_int(&self, column: usize) -> Option<i64> {
        match &self.0[column] {
            Value::Int(number) => Some(*number),
            Value::Null => None,
            other => panic!("column {column} holds {other:?}, not a whole number"),
        }
    }

    /// Returns a number.
    pub(crate) fn real(&self, column: usize) -> f64 {
        match &self.0[column] {
            Value::Real(number) => *number,
            // SQLite keeps whole numbers as such.
            Value::Int(number) => *number as f64,
            other => panic!("column {column} holds {other:?}, not a number"),
        }
    }

    /// Returns a number, if there is one.
    pub(crate) fn maybe_real(&self, column: usize) -> Option<f64> {
        (self.0[column] != Value::Null).then(|| self.real(column))
    }

    /// Returns a text.
    pub(crate) fn text(&self, column: usize) -> String {
        self.maybe_text(column).expect("the column holds a text")
    }

    /// Returns a text, if there is one.
    pub(crate) fn maybe_text(&self, column: usize) -> Option<String> {
        match &self.0[column] {
            Value::Text(text) => Some(text.clone()),
            Value::Null => None,
            other => panic!("column {column} holds {other:?}, not a text"),
        }
    }

    /// Returns bytes, if there are any.
    pub(crate) fn maybe_bytes(&self, column: usize) -> Option<Vec<u8>> {
        match &self.0[column] {
            Value::Bytes(bytes) => Some(bytes.clone()),
            Value::Null => None,
            other => panic!("column {column} holds {other:?}, not bytes"),
        }
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Value {
        Value::Int(number)
    }
}

impl From<u64> for Value {
    /// The same bits: ids and seeds use all 64.
    fn from(number: u64) -> Value {
        Value::Int(number.cast_signed())
    }
}

impl From<u32> for Value {
    fn from(number: u32) -> Value {
        Value::Int(number.into())
    }
}

impl From<bool> for Value {
    fn from(whether: bool) -> Value {
        Value::Int(whether.into())
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Value {
        Value::Real(number)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        text.to_owned().into()
    }
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

impl From<&[u8]> for Value {
    fn from(bytes: &[u8]) -> Value {
        Value::Bytes(bytes.to_vec())
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Value {
        value.map_or(Value::Null, Into::into)
    }
}
