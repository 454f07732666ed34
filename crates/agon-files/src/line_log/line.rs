//! One line of a log: a JSON object with a checksum at its end.

use agon_text::escape_json;
use serde::Serialize;

/// The text before the checksum: 16 hexadecimal digits of the BLAKE3 hash of all bytes before it.
const MARK: &str = ",\"sum\":\"";
const DIGITS: usize = 16;
const END: &str = "\"}";

/// Returns an object as a line, with its checksum and the end of the line.
///
/// # Panics
/// If it cannot be written as JSON.
pub fn write(value: &impl Serialize) -> Vec<u8> {
    let json =
        serde_json::to_vec(value).expect("what is written has text as keys and finite numbers");
    let mut line = escape_json(&json);
    let brace = line.pop();
    debug_assert_eq!(brace, Some(b'}'), "a line is an object");
    let sum = sum(&line);
    line.extend_from_slice(MARK.as_bytes());
    line.extend_from_slice(sum.as_bytes());
    line.extend_from_slice(END.as_bytes());
    line.push(b'\n');
    line
}

/// Returns the part before the checksum, if the checksum is right. `line` has no line end.
pub(super) fn checked(line: &[u8]) -> Option<&[u8]> {
    let (body, tail) =
        line.split_at_checked(line.len().checked_sub(MARK.len() + DIGITS + END.len())?)?;
    let digits = tail.strip_prefix(MARK.as_bytes())?.strip_suffix(END.as_bytes())?;
    (digits == sum(body).as_bytes()).then_some(body)
}

fn sum(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex()[..DIGITS].to_owned()
}

/// Puts the right checksum into lines in which it is `?`: `{...,"sum":"?"}`. Tests make logs so.
pub fn with_sums(bytes: &[u8]) -> Vec<u8> {
    let open = [MARK, "?", END].concat();
    let fix = |line: &[u8]| {
        let (text, end) = match line.strip_suffix(b"\n") {
            Some(text) => (text, &b"\n"[..]),
            None => (line, &b""[..]),
        };
        match text.strip_suffix(open.as_bytes()) {
            Some(body) => {
                [body, MARK.as_bytes(), sum(body).as_bytes(), END.as_bytes(), end].concat()
            }
            None => line.to_vec(),
        }
    };
    bytes.split_inclusive(|&byte| byte == b'\n').flat_map(fix).collect()
}
