//! Messages of other parts, as pages and the API show them.

/// Makes a sentence of a message.
pub(super) fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}

/// Returns what stands before the output of a compiler.
pub(super) fn first_line(why: &str) -> &str {
    why.lines().next().unwrap_or_default().trim_end_matches(':')
}
