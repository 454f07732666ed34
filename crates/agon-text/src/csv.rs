//! CSV for other programs: RFC 4180, without what a spreadsheet would execute.

use std::borrow::Cow;

/// Writes a line of CSV with a line break at its end.
///
/// Spreadsheets take what begins with `=`, `+`, `-` or `@` for a formula. Names of bots and what
/// these write could be one, and a formula can send away what else is in the table. So such a field
/// gets an apostrophe, unless it is a number.
///
/// ```
/// let fields = ["fox", "-1.5", "=HYPERLINK(\"http://there\")", "a,b"];
/// let line = "fox,-1.5,\"'=HYPERLINK(\"\"http://there\"\")\",\"a,b\"\n";
/// assert_eq!(agon_text::csv_line(fields), line);
/// ```
pub fn csv_line<S: AsRef<str>>(fields: impl IntoIterator<Item = S>) -> String {
    let mut line = String::new();
    for (number, field) in fields.into_iter().enumerate() {
        if number > 0 {
            line.push(',');
        }
        let field = plain(field.as_ref());
        if field.contains([',', '"', '\n', '\r']) {
            line.push('"');
            line.push_str(&field.replace('"', "\"\""));
            line.push('"');
        } else {
            line.push_str(&field);
        }
    }
    line.push('\n');
    line
}

/// Returns a text that no spreadsheet takes for a formula.
fn plain(text: &str) -> Cow<'_, str> {
    let is_number = || text.parse().is_ok_and(f64::is_finite);
    match text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']) && !is_number() {
        true => format!("'{text}").into(),
        false => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spreadsheets_see_no_formulas() {
        for formula in ["=1+2", "+1+2", "-1+2", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "-", "-inf"] {
            assert_eq!(plain(formula), format!("'{formula}"));
        }
        for text in ["", "fox", "-5", "-0.25", "+3", "1e-7", "a=1", " =1"] {
            assert_eq!(plain(text), text);
        }
    }
}
