//! JSON written by hand, for questions that are asked again and again.

/// Appends a number in decimal.
pub(crate) fn number(number: u64, out: &mut Vec<u8>) {
    let mut digits = [b'0'; 20];
    let (mut start, mut rest) = (digits.len(), number);
    loop {
        start -= 1;
        digits[start] += (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[start..]);
}

/// Appends a list, each element written by `write`.
pub(crate) fn list<T>(
    items: impl IntoIterator<Item = T>,
    out: &mut Vec<u8>,
    mut write: impl FnMut(T, &mut Vec<u8>),
) {
    out.push(b'[');
    for (i, item) in items.into_iter().enumerate() {
        if i > 0 {
            out.push(b',');
        }
        write(item, out);
    }
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
