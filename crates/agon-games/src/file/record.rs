//! Positions and views that are plain memory, such as a struct of C. The module says once which
//! fields they have; the arena writes and reads them as JSON.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::message::Malformed;

/// The fields of a record.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Record {
    /// Bytes of the record.
    pub(super) size: usize,
    fields: Vec<Field>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Field {
    name: String,
    about: String,
    /// The first byte.
    at: usize,
    /// Bytes of a number: 1, 2, 4 or 8.
    bytes: usize,
    signed: bool,
    /// The room of a list; 0 for a single number.
    count: usize,
    /// The field before that holds the length of the list; empty if the list is always full.
    length: String,
}

/// The most fields of a record.
const MAX_FIELDS: usize = 256;

impl Record {
    /// Checks what a module says.
    pub(super) fn check(&self, most: usize) -> Result<(), Malformed> {
        let wrong = |text| Err(Malformed(text));
        if self.size > most || self.fields.len() > MAX_FIELDS {
            return wrong("a record is too large");
        }
        for (number, field) in self.fields.iter().enumerate() {
            let bytes = field.count.max(1).checked_mul(field.bytes);
            let end = bytes.and_then(|bytes| bytes.checked_add(field.at));
            let before = &self.fields[..number];
            if !super::is_identifier(&field.name) || super::is_bad_text(&field.about) {
                return wrong("a field of a record has no plain name or text");
            }
            if before.iter().any(|known| known.name == field.name) {
                return wrong("two fields of a record have the same name");
            }
            if ![1, 2, 4, 8].contains(&field.bytes) || end.is_none_or(|end| end > self.size) {
                return wrong("a field is outside of its record");
            }
            let counts = |known: &Field| known.name == field.length && known.count == 0;
            if !field.length.is_empty() && (field.count == 0 || !before.iter().any(counts)) {
                return wrong("the length of a list is no number before it");
            }
        }
        Ok(())
    }

    /// Returns a record as JSON.
    pub(super) fn to_json(&self, record: &[u8]) -> Result<Value, Malformed> {
        if record.len() != self.size {
            return Err(Malformed("a record has another size"));
        }
        let mut object = Map::new();
        for field in &self.fields {
            let number = |at: usize| field.read(&record[field.at + at * field.bytes..]);
            let value = match field.count {
                0 => number(0),
                count => (0..self.length(field, count, &object)?).map(number).collect(),
            };
            object.insert(field.name.clone(), value);
        }
        Ok(Value::Object(object))
    }

    /// Returns the used length of a list.
    fn length(
        &self,
        field: &Field,
        count: usize,
        before: &Map<String, Value>,
    ) -> Result<usize, Malformed> {
        if field.length.is_empty() {
            return Ok(count);
        }
        let length = before.get(&field.length).and_then(Value::as_u64).map(|used| used as usize);
        length.filter(|&used| used <= count).ok_or(Malformed("a list is longer than its room"))
    }

    /// Returns the bytes of a record; an error names the field.
    pub(super) fn bytes_of(&self, value: &Value) -> Result<Vec<u8>, String> {
        let object = value.as_object().ok_or("a position is an object")?;
        let mut record = vec![0; self.size];
        for field in &self.fields {
            let Field { name, at, bytes, .. } = field;
            let value = object.get(name).ok_or_else(|| format!("`{name}` is missing"))?;
            let values = match (field.count, value) {
                (0, value) => std::slice::from_ref(value),
                (_, Value::Array(values)) => values,
                _ => return Err(format!("`{name}` is no list")),
            };
            let used = match field.count {
                0 => 1,
                count => {
                    let used = self.length(field, count, object);
                    used.map_err(|error| format!("`{name}`: {error}"))?
                }
            };
            if values.len() != used {
                return Err(format!("`{name}` has {} numbers instead of {used}", values.len()));
            }
            for (number, value) in values.iter().enumerate() {
                let word = field.word(value).ok_or_else(|| {
                    let bits = 8 * bytes;
                    format!("`{name}`: {value} is no whole number of {bits} bits")
                })?;
                let at = at + number * bytes;
                record[at..at + bytes].copy_from_slice(&word[..*bytes]);
            }
        }
        match object.keys().find(|key| !self.fields.iter().any(|field| field.name == **key)) {
            Some(key) => Err(format!("there is no `{}`", agon_core::text::shown_name(key))),
            None => Ok(record),
        }
    }

    /// Returns the JSON Schema of a record.
    pub(super) fn schema(&self) -> Value {
        let property = |field: &Field| {
            let mut schema = match field.count {
                0 => json!({ "type": "integer" }),
                count => json!({
                    "type": "array", "items": { "type": "integer" }, "maxItems": count
                }),
            };
            schema["description"] = field.about.clone().into();
            (field.name.clone(), schema)
        };
        let names: Vec<&str> = self.fields.iter().map(|field| &*field.name).collect();
        let properties: Map<String, Value> = self.fields.iter().map(property).collect();
        json!({ "type": "object", "properties": properties, "required": names })
    }
}

impl Field {
    fn read(&self, from: &[u8]) -> Value {
        let mut word = [0; 8];
        word[..self.bytes].copy_from_slice(&from[..self.bytes]);
        let shift = 64 - 8 * self.bytes as u32;
        match self.signed {
            true => ((i64::from_le_bytes(word) << shift) >> shift).into(),
            false => u64::from_le_bytes(word).into(),
        }
    }

    /// Returns the bytes of a number, if it fits.
    fn word(&self, value: &Value) -> Option<[u8; 8]> {
        let shift = 64 - 8 * self.bytes as u32;
        if self.signed {
            let number = value.as_i64()?;
            return ((number << shift) >> shift == number).then(|| number.to_le_bytes());
        }
        let number = value.as_u64()?;
        ((number << shift) >> shift == number).then(|| number.to_le_bytes())
    }
}
