//! Texts that the documentation and the ladder server share.

/// How to get Agon, and how to write, check and compare a bot of `GAME`.
pub(crate) const WRITE: &str = include_str!("text/write.txt");

/// The limits of bots that are the same everywhere.
pub(crate) const LIMITS: &str = include_str!("text/limits.txt");

/// How a ladder ranks bots, in paragraphs.
pub const RANKING: [&str; 3] = [
    "Agon pairs bots of similar strength and plays without a break. A new version plays its first \
     matches at once. Each bot gets a share of the time, so a slow bot plays fewer matches and \
     delays nobody. Names in matches are new each time, unless the organisers want bots to know \
     whom they meet.",
    "Live ratings change after each match, and are provisional. Published ones are for prizes and \
     grades: they explain all matches at once, with 95 % intervals. The range of ranks says which \
     ranks the results allow. An open end, as in ≥ 1800, means that no result bounds the rating on \
     that side. Bots whose ratings are the same share a rank. A version that has not played has no \
     rating. Files that were handed in before make no new version: the earlier one plays again.",
    "In a match with more than two bots, each pair counts as a result. A match in which the server \
     itself stood still is void, and counts for nobody. Only the rules of the game punish faults. \
     A bot that keeps failing is paused until its author hands in a new version.",
];

/// Replaces a word of commands, and keeps what stands in columns behind it where it is.
pub(crate) fn replaced(text: &str, word: &str, by: &str) -> String {
    let line = |line: &str| {
        let mut new = line.replace(word, by);
        let grown = new.len() as isize - line.len() as isize;
        // Two spaces begin the column with what a command does.
        if let Some(at) = new.rfind("  ").filter(|_| grown != 0)
            && !new[..at].trim().is_empty()
        {
            let gap = new[..at + 2].len() - new[..at + 2].trim_end().len();
            let wanted = gap.saturating_add_signed(-grown).max(2);
            new.replace_range(at + 2 - gap..at + 2, &" ".repeat(wanted));
        }
        new.push('\n');
        new
    };
    text.lines().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stay_where_they_are() {
        let text = "1. agon rules GAME      the rules\n   agon play GAME fox\n      of GAME\n";
        let new = "1. agon rules a         the rules\n   agon play a fox\n      of a\n";
        assert_eq!(replaced(text, "GAME", "a"), new);
        let new = replaced("agon GAME  rules", "GAME", "longer");
        assert_eq!(new, "agon longer  rules\n");
    }
}
