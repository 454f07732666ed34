//! Digests, which name blobs by their content: the files of a bot, or a replay.

use std::{borrow::Cow, fmt, str::FromStr};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use thiserror::Error;

/// The BLAKE3 digest of some bytes, as `b3sum` prints it: 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

/// Text that is no digest.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("a digest has 64 digits of 0-9 and a-f")]
pub struct NoDigest;

impl Digest {
    /// Returns the digest of some bytes.
    pub fn of(bytes: &[u8]) -> Digest {
        Digest(*blake3::hash(bytes).as_bytes())
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl FromStr for Digest {
    type Err = NoDigest;

    fn from_str(text: &str) -> Result<Digest, NoDigest> {
        // One spelling only: the text is also the name of a file.
        if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
            return Err(NoDigest);
        }
        let hash = blake3::Hash::from_hex(text).map_err(|_| NoDigest)?;
        Ok(Digest(*hash.as_bytes()))
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Digest, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}

impl JsonSchema for Digest {
    fn schema_name() -> Cow<'static, str> {
        "Digest".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A BLAKE3 digest, as `b3sum` prints it.",
            "type": "string",
            "pattern": "^[0-9a-f]{64}$",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_has_one_text() {
        let digest = Digest::of(b"agon");
        let text = digest.to_string();
        assert_eq!(text, blake3::hash(b"agon").to_string());
        assert_eq!(text.parse(), Ok(digest));
        for bad in ["", "abc", &text.to_uppercase(), &text[1..], &format!("{text}0"), "../x"] {
            assert_eq!(bad.parse::<Digest>(), Err(NoDigest), "{bad}");
        }
        assert_eq!(serde_json::to_string(&digest).unwrap(), format!("\"{text}\""));
        assert!(serde_json::from_str::<Digest>("\"xyz\"").is_err());
    }
}
