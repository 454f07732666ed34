//! Bytes that bots attach to their units and that the arena only carries around, such as the data
//! and the function of an amoeba.

use std::{cmp::Ordering, fmt};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use triomphe::ThinArc;

/// Immutable bytes that are cheap to clone. A blob is a single word, so that answers with a blob
/// stay small.
///
/// In JSON, a blob that is UTF-8 text is a string. Other blobs are strings of `"\u{0}hex:"` and
/// hexadecimal digits. In binary formats a blob is plain bytes.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Blob(ThinArc<(), u8>);

const HEX: &str = "\0hex:";

impl Blob {
    /// Returns the bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.0.slice
    }

    /// Returns the bytes as text, if they are UTF-8.
    pub fn text(&self) -> Option<&str> {
        std::str::from_utf8(self.bytes()).ok()
    }
}

impl Ord for Blob {
    fn cmp(&self, other: &Blob) -> Ordering {
        self.bytes().cmp(other.bytes())
    }
}

impl PartialOrd for Blob {
    fn partial_cmp(&self, other: &Blob) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl From<&[u8]> for Blob {
    fn from(bytes: &[u8]) -> Blob {
        Blob(ThinArc::from_header_and_slice((), bytes))
    }
}

impl From<Vec<u8>> for Blob {
    fn from(bytes: Vec<u8>) -> Blob {
        Blob::from(bytes.as_slice())
    }
}

impl From<&str> for Blob {
    fn from(text: &str) -> Blob {
        Blob::from(text.as_bytes())
    }
}

impl fmt::Debug for Blob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "b\"{}\"", self.bytes().escape_ascii())
    }
}

impl Serialize for Blob {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if !serializer.is_human_readable() {
            return serializer.serialize_bytes(self.bytes());
        }
        match self.text() {
            Some(text) if !text.starts_with(HEX) => serializer.serialize_str(text),
            _ => {
                let digits: String = self.bytes().iter().map(|b| format!("{b:02x}")).collect();
                serializer.serialize_str(&format!("{HEX}{digits}"))
            }
        }
    }
}

impl<'de> Deserialize<'de> for Blob {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Blob, D::Error> {
        if !deserializer.is_human_readable() {
            return deserializer.deserialize_byte_buf(BytesVisitor);
        }
        let text = String::deserialize(deserializer)?;
        match text.strip_prefix(HEX) {
            None => Ok(Blob::from(text.as_str())),
            Some(digits) => from_hex(digits).map(Blob::from).ok_or_else(|| {
                de::Error::invalid_value(de::Unexpected::Str(&text), &"pairs of hexadecimal digits")
            }),
        }
    }
}

/// Reads pairs of hexadecimal digits, in upper or lower case.
pub fn from_hex(digits: &str) -> Option<Vec<u8>> {
    let value = |digit: u8| char::from(digit).to_digit(16).map(|v| v as u8);
    if !digits.len().is_multiple_of(2) {
        return None;
    }
    digits.as_bytes().chunks(2).map(|pair| Some(value(pair[0])? * 16 + value(pair[1])?)).collect()
}

struct BytesVisitor;

impl de::Visitor<'_> for BytesVisitor {
    type Value = Blob;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("bytes")
    }

    fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<Blob, E> {
        Ok(Blob::from(bytes))
    }
}

impl JsonSchema for Blob {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Blob".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "description": "text, or \"\\u0000hex:\" and hexadecimal \
            digits" })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn survives_json_and_postcard(bytes: Vec<u8>, prefix: bool) {
            let blob = Blob::from(if prefix { [HEX.as_bytes(), &bytes].concat() } else { bytes });
            let json = serde_json::to_string(&blob).unwrap();
            prop_assert_eq!(&serde_json::from_str::<Blob>(&json).unwrap(), &blob);
            let binary = postcard::to_stdvec(&blob).unwrap();
            prop_assert_eq!(&postcard::from_bytes::<Blob>(&binary).unwrap(), &blob);
        }
    }

    #[test]
    fn a_blob_is_a_word() {
        assert_eq!(size_of::<Option<Blob>>(), size_of::<usize>());
    }

    #[test]
    fn text_is_plain_in_json() {
        assert_eq!(serde_json::to_string(&Blob::from("home")).unwrap(), "\"home\"");
        assert!(serde_json::from_str::<Blob>("\"\\u0000hex:abc\"").is_err());
    }
}
