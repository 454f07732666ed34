//! 64-bit hashes in JSON as `"0x..."`, for `#[serde(with = "crate::replay::hex")]`.
//!
//! As numbers they would lose digits in many readers.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, Serializer, de};

/// Writes a hash.
pub fn serialize<S: Serializer>(hash: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{hash:#018x}"))
}

/// Reads a hash.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let text = Cow::<'de, str>::deserialize(deserializer)?;
    let digits = text.strip_prefix("0x").and_then(|digits| u64::from_str_radix(digits, 16).ok());
    digits.ok_or_else(|| {
        de::Error::invalid_value(de::Unexpected::Str(&text), &"0x and hexadecimal digits")
    })
}
