//! Formats numbers, times and lists for people, in the page and in the terminal.

/// Rounds to this many decimals, so that files are short and the same on every machine.
pub(crate) fn rounded(value: f64, decimals: i32) -> f64 {
    let unit = libm::pow(10.0, f64::from(decimals));
    // Avoids minus zero.
    (value * unit).round() / unit + 0.0
}

/// Returns points: `3½`, `12`.
pub fn points_text(points: f64) -> String {
    crate::format::points_text((2.0 * points).round() as u32)
}

/// Returns a rating: `+120`, `−35`, `0`.
pub fn elo_text(elo: f64) -> String {
    match elo.round() as i64 {
        0 => "0".to_owned(),
        elo if elo < 0 => format!("−{}", -elo),
        elo => format!("+{elo}"),
    }
}

/// Returns a score of a game, with a real minus: `12`, `−3`.
pub(crate) fn score_text(score: i64) -> String {
    if score < 0 { format!("−{}", score.unsigned_abs()) } else { score.to_string() }
}

/// Returns a share: `73 %`, `99.8 %`. Never rounds to all or nothing.
pub fn percent(part: f64) -> String {
    let percent = 100.0 * part;
    match percent {
        _ if part <= 0.0 || part >= 1.0 => format!("{percent:.0} %"),
        _ if percent < 0.1 => "<0.1 %".to_owned(),
        _ if percent > 99.9 => ">99.9 %".to_owned(),
        _ if !(1.0..=99.0).contains(&percent) => format!("{percent:.1} %"),
        _ => format!("{percent:.0} %"),
    }
}

/// Returns a count with its digits in groups of three: `12 345`.
pub(crate) fn grouped(count: u64) -> String {
    agon_core::text::number::grouped(i64::try_from(count).unwrap_or(i64::MAX))
}

/// Returns a time: `340 ms`, `2.5 s`, `12 min`, `3 h 20 min`.
pub(crate) fn time_text(ms: u64) -> String {
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..120_000 => format!("{:.1} s", ms as f64 / 1e3),
        120_000..7_200_000 => format!("{} min", ms / 60_000),
        _ => format!("{} h {} min", ms / 3_600_000, ms / 60_000 % 60),
    }
}

/// Returns a list: `a`, `a and b`, `a, b and c`. Of many names it has only the first ones.
pub(crate) fn listed(names: &[&str]) -> String {
    const MAX_NAMES: usize = 6;
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [rest @ .., last] if names.len() <= MAX_NAMES => format!("{} and {last}", rest.join(", ")),
        _ => format!(
            "{} and {} others",
            names[..MAX_NAMES - 1].join(", "),
            names.len() - MAX_NAMES + 1
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_people_do() {
        assert_eq!([0.0, 0.5, 1.0, 3.5].map(points_text), ["0", "½", "1", "3½"]);
        assert_eq!([-35.2, -0.3, 0.4, 120.0].map(elo_text), ["−35", "0", "0", "+120"]);
        assert_eq!([-3, 0, 12].map(score_text), ["−3", "0", "12"]);
        assert_eq!(score_text(i64::MIN), "−9223372036854775808");
        assert_eq!(
            [0.0, 0.0001, 0.005, 0.734, 0.995, 0.99999, 1.0].map(percent),
            ["0 %", "<0.1 %", "0.5 %", "73 %", "99.5 %", ">99.9 %", "100 %"]
        );
        assert_eq!([7, 1_234_567].map(grouped), ["7", "1\u{202f}234\u{202f}567"]);
        assert_eq!(
            [12, 2_500, 300_000, 9_000_000].map(time_text),
            ["12 ms", "2.5 s", "5 min", "2 h 30 min"]
        );
        assert!(rounded(-0.001, 1).is_sign_positive());
    }

    #[test]
    fn lists_end_with_and() {
        assert_eq!(listed(&["a"]), "a");
        assert_eq!(listed(&["a", "b", "c"]), "a, b and c");
        assert_eq!(listed(&["a"; 10]), "a, a, a, a, a and 5 others");
    }
}
