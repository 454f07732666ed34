//! Numbers as people write them.

/// Digits in groups of three, parted by narrow spaces: 12 345.
pub(crate) fn grouped(value: i64) -> String {
    let digits = value.unsigned_abs().to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    if value < 0 { format!("−{text}") } else { text }
}

/// `1 turn`, `2 turns`.
pub(crate) fn plural(count: u64, noun: &str) -> String {
    let number = grouped(i64::try_from(count).unwrap_or(i64::MAX));
    if count == 1 { format!("{number} {noun}") } else { format!("{number} {noun}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_grouped_from_the_right() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(-1_234_567), "−1\u{202f}234\u{202f}567");
        assert_eq!(plural(1, "turn"), "1 turn");
        assert_eq!(plural(1_000, "turn"), "1\u{202f}000 turns");
    }
}
