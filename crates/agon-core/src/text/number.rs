//! Numbers, times and amounts of memory as people write them, for the output of `agon` and for
//! tournament reports.

use std::time::Duration;

/// Returns a number with its digits in groups of three, separated by narrow spaces: 12 345.
pub fn grouped(value: impl Into<i128>) -> String {
    let value: i128 = value.into();
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

/// Returns a count with its noun: `1 turn`, `2 turns`, `3 matches`.
pub fn plural(count: u64, noun: &str) -> String {
    let number = grouped(count);
    let ending = if noun.ends_with("ch") { "es" } else { "s" };
    if count == 1 { format!("{number} {noun}") } else { format!("{number} {noun}{ending}") }
}

/// Returns a time with a suitable unit: `340 µs`, `12.3 ms`, `2.50 s`.
pub fn duration(time: Duration) -> String {
    let nanos = time.as_nanos();
    match nanos {
        0..1_000 => format!("{nanos} ns"),
        1_000..1_000_000 => format!("{} µs", nanos / 1_000),
        1_000_000..1_000_000_000 => format!("{:.1} ms", time.as_secs_f64() * 1e3),
        _ => format!("{:.2} s", time.as_secs_f64()),
    }
}

/// Returns an amount of memory, rounded up: `3.5 MiB`.
pub fn memory(bytes: u64) -> String {
    let tenths = bytes.saturating_mul(10).div_ceil(1 << 20);
    format!("{}.{} MiB", tenths / 10, tenths % 10)
}

/// Returns the size of a disk or of memory with a suitable unit: `35.0 MiB`, `7.6 GiB`.
pub fn space(bytes: u64) -> String {
    if bytes < 1 << 30 {
        return memory(bytes);
    }
    let tenths = u128::from(bytes) * 10 / (1 << 30);
    format!("{}.{} GiB", tenths / 10, tenths % 10)
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

    #[test]
    fn times_have_the_unit_that_suits_them() {
        let times = [340, 340_000, 12_340_000, 2_500_000_000].map(Duration::from_nanos);
        assert_eq!(times.map(duration), ["340 ns", "340 µs", "12.3 ms", "2.50 s"]);
        assert_eq!(memory(3 << 19), "1.5 MiB");
        assert_eq!([3 << 19, 1 << 30, 15 << 29].map(space), ["1.5 MiB", "1.0 GiB", "7.5 GiB"]);
    }
}
