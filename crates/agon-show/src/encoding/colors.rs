//! Reads colours from text: a name such as `red`, or `#rrggbb`.
//!
//! For the flag `--player-color` of films and charts.

use agon_core::did_you_mean;
use agon_view::paint::Rgb;
use thiserror::Error;

/// Colours with names: those of species of amoebas (Java's), and of agents of rezzo.
const CLASSIC_COLORS: [(&str, Rgb); 12] = [
    ("red", Rgb(255, 0, 0)),
    ("blue", Rgb(0, 0, 255)),
    ("yellow", Rgb(255, 255, 0)),
    ("white", Rgb(255, 255, 255)),
    ("gray", Rgb(128, 128, 128)),
    ("orange", Rgb(255, 200, 0)),
    ("magenta", Rgb(255, 0, 255)),
    ("cyan", Rgb(0, 255, 255)),
    ("green", Rgb(0, 255, 0)),
    ("teal", Rgb(0, 128, 128)),
    ("purple", Rgb(128, 0, 128)),
    ("black", Rgb(0, 0, 0)),
];

/// A text that names no colour.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there is no colour `{text}`; {}", match .suggestion {
    Some(name) => format!("did you mean `{name}`?"),
    None => "colours are `#rrggbb` in hexadecimal, or a name: ".to_owned() + &names(),
})]
pub struct UnknownColor {
    /// The text.
    pub text: String,
    /// The colour that was probably meant.
    pub suggestion: Option<&'static str>,
}

fn names() -> String {
    CLASSIC_COLORS.map(|(name, _)| name).join(", ")
}

/// Returns the colour of a name or of `#rrggbb`.
///
/// # Errors
/// If the text is neither.
pub fn color(text: &str) -> Result<Rgb, UnknownColor> {
    if let Some(&(_, color)) = CLASSIC_COLORS.iter().find(|(name, _)| *name == text) {
        return Ok(color);
    }
    let hex = text
        .strip_prefix('#')
        .filter(|hex| hex.len() == 6 && hex.bytes().all(|b| b.is_ascii_hexdigit()));
    if let Some(number) = hex.and_then(|hex| u32::from_str_radix(hex, 16).ok()) {
        let [_, r, g, b] = number.to_be_bytes();
        return Ok(Rgb(r, g, b));
    }
    let suggestion = did_you_mean(text, CLASSIC_COLORS.map(|(name, _)| name));
    Err(UnknownColor { text: text.to_owned(), suggestion })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_names_or_numbers() {
        assert_eq!(color("orange"), Ok(Rgb(255, 200, 0)));
        assert_eq!(color("#0a80Ff"), Ok(Rgb(10, 128, 255)));
        let error = |text| color(text).unwrap_err().to_string();
        assert_eq!(error("orangge"), "there is no colour `orangge`; did you mean `orange`?");
        for text in ["#12345", "#1234567", "#12345g", "#+12345", "", "12345678"] {
            assert!(error(text).contains("colours are `#rrggbb`"), "{text}");
        }
    }
}
