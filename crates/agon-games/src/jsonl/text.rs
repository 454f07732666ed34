//! Writes numbers and lists as JSON without serde. The `jsonl.rs` of games with large or frequent
//! questions uses it, because it is faster.

/// Appends a number in decimal.
#[inline]
pub(crate) fn number(number: u64, out: &mut Vec<u8>) {
    if number < 10 {
        out.push(b'0' + number as u8);
    } else {
        out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
    }
}

/// Appends a list, each element written by `write`.
#[inline]
pub(crate) fn list<T>(
    items: impl IntoIterator<Item = T>,
    out: &mut Vec<u8>,
    mut write: impl FnMut(T, &mut Vec<u8>),
) {
    out.push(b'[');
    let start = out.len();
    for item in items {
        write(item, out);
        out.push(b',');
    }
    // Instead of the comma behind the last element.
    out.truncate(start.max(out.len() - 1));
    out.push(b']');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_numbers_are_those_of_any_writer() {
        for numbers in [vec![], vec![0], vec![7, 10, 99, 100, 1_000_000_000_000, u64::MAX]] {
            let mut out = Vec::new();
            list(numbers.iter().copied(), &mut out, number);
            assert_eq!(out, serde_json::to_vec(&numbers).unwrap());
        }
    }
}
