//! How a match begins.

/// The first message: a line of JSON with the settings, the names of the players and a seed.
#[derive(Clone, Copy, Debug)]
pub struct Start<'a> {
    /// The line. For more than numbers take a JSON library.
    pub message: &'a str,
}

impl<'a> Start<'a> {
    pub(super) fn new(message: &'a str) -> Start<'a> {
        Start { message }
    }

    /// Random numbers from the match's seed.
    pub fn random(&self) -> super::Random {
        super::Random::new(self.number("seed").expect("the message has a seed"))
    }

    /// The number of this name, for example a setting that `agon rules` tells.
    pub fn number(&self, name: &str) -> Option<u64> {
        let value = self.message.split_once(&format!("\"{name}\":"))?.1;
        let end = value
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(value.len());
        value[..end].parse().ok()
    }
}
