//! Numbers of a comparison as people read them.

/// A whole number with its sign: `+34`, `−7`, `0`.
pub(super) fn signed(value: f64) -> String {
    signed_to(value, 0)
}

/// A number with its sign and so many decimals: `+0.12`.
pub(super) fn signed_to(value: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", value.abs());
    match text.parse() {
        Ok(0.0) => text,
        _ if value < 0.0 => format!("−{text}"),
        _ => format!("+{text}"),
    }
}

/// A number with a minus that is as wide as a plus.
pub(super) fn number(value: f64, decimals: usize) -> String {
    signed_to(value, decimals).replace('+', "")
}

/// A number as it was typed: `20`, `−2.5`.
pub(super) fn plain(value: f64) -> String {
    value.to_string().replace('-', "−")
}

/// A probability: `5 %`, `0.1 %`.
pub(super) fn percent(probability: f64) -> String {
    // Twelve digits, so that 0.07 is 7 and not 7.000000000000001.
    let percent = (probability * 1e14).round() / 1e12;
    format!("{percent} %")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_signs() {
        assert_eq!([34.4, -6.6, 0.3, -0.3].map(signed), ["+34", "−7", "0", "0"]);
        assert_eq!(signed_to(0.1234, 2), "+0.12");
        assert_eq!(number(-2.944, 2), "−2.94");
        assert_eq!([20.0, -2.5].map(plain), ["20", "−2.5"]);
        assert_eq!([0.05, 0.07, 0.001].map(percent), ["5 %", "7 %", "0.1 %"]);
    }
}
