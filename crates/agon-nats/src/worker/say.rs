//! What a worker tells people.

/// Tells people something. What comes from elsewhere in it was escaped.
pub(super) fn say(text: &str) {
    eprintln!("{text}");
}
