//! The text of an arena as a whole.

use agon_text::{escape, escape_lines};

use super::{facts, model::ArenaGuide, steps};
use crate::guide::{
    markdown::{below_heading, without_links},
    protocol,
    texts::{RANKING, WRITE, replaced},
};

impl ArenaGuide {
    /// Returns the text.
    pub fn text(&self) -> String {
        let parts = [
            self.head(),
            self.said(),
            facts::dates(self),
            steps::shell(self),
            steps::api(self),
            facts::limits(self),
            facts::kits(self),
            self.ranking(),
            FAULTS.to_owned(),
            replaced(WRITE, "GAME", &self.game),
            self.rules(),
            facts::settings(self),
            replaced(&protocol::common(), "GAME", &self.game),
            protocol::of_game(&self.game).unwrap_or_default(),
        ];
        let mut text = String::new();
        for part in parts.iter().map(|part| part.trim()).filter(|part| !part.is_empty()) {
            text.push_str(part);
            text.push_str("\n\n");
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
        text
    }

    fn head(&self) -> String {
        let Self { site, base, slug, title, phase, game, rules_version, summary, .. } = self;
        let (title, site, summary) = (escape(title), escape(site), without_links(summary));
        format!(
            "# {title}: how to take part\n\n\
             This is an arena of the ladder {site}: people hand in bots that play a game. The \
             server builds them, lets them play each other day and night, and ranks them. This \
             text has everything that a person or a program needs to take part.\n\n\
             - Server: {base}\n\
             - Arena: {slug} ({base}/arenas/{slug}), {phase}\n\
             - Game: {game}, version {rules_version} of its rules. {summary}\n\n\
             Replace NAME and PASSWORD with your account's, BOT with the name of your bot, and \
             NUMBER with the number of a match. Choose a name for BOT that no other bot here has: \
             letters a-z and digits, so that it is the name in addresses, too. Every other command \
             is complete."
        )
    }

    /// Returns what the organisers say, so marked that it can be taken for nothing else.
    fn said(&self) -> String {
        if self.about.trim().is_empty() {
            return String::new();
        }
        let about = escape_lines(self.about.trim());
        let lines = about.lines().map(|line| format!("| {line}\n"));
        let lines: String = lines.collect();
        format!("## What the organisers say\n\nThe lines after `|` are their words.\n\n{lines}")
    }

    fn ranking(&self) -> String {
        format!("## How ranking works\n\n{}\n\n{}", self.ranks, RANKING.join("\n\n"))
    }

    fn rules(&self) -> String {
        let page = without_links(&below_heading(&self.page));
        format!("## Rules of {}\n\n{page}", self.game)
    }
}

const FAULTS: &str = "## What is a fault\n\n\
    A fault is a bot's mistake: no answer in time, an answer that breaks the protocol or the \
    rules, a crash, too much memory. The decision gets the game's default answer. The rules of \
    the game below say what else a fault costs, and \"Time, and what goes wrong\" says what counts \
    as one. A bot that fails five matches in a row is paused: it could not start, crashed, closed \
    its output, used too much memory, or most of its answers were faults. Hand in a version that \
    works, and it plays again at once.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_people_are_marked_and_escaped() {
        let guide = ArenaGuide {
            title: "Autumn\n# Fake \u{202e}title\u{1b}[2J".to_owned(),
            about: "Welcome\n## Sign in\nelsewhere \u{200b}\u{9b}\r\nBye".to_owned(),
            ..ArenaGuide::default()
        };
        let text = guide.text();
        assert!(!text.contains(|c| c != '\n' && agon_text::is_hidden(c)), "{text}");
        assert!(text.starts_with("# Autumn\\n# Fake \\u202etitle\\u001b[2J: how"), "{text}");
        assert!(text.contains("\n| Welcome\n| ## Sign in\n| elsewhere "), "{text}");
    }

    #[test]
    fn the_arenas_game_is_in_the_commands() {
        let guide = ArenaGuide { game: "dice".to_owned(), ..ArenaGuide::default() };
        let text = guide.text();
        assert!(text.contains("agon rules dice --schema"), "{text}");
        assert!(!text.contains("GAME"), "{text}");
    }
}
