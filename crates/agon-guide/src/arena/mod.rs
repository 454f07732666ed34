//! `agents.txt` of an arena: everything that somebody needs who takes part in it.
//!
//! | module | contents |
//! | --- | --- |
//! | `steps` | commands, for `agon` and for `curl` |
//! | `facts` | dates, limits, languages, settings |

mod facts;
mod steps;

use agon_text::{escape, escape_lines};

use crate::{
    RANKING, WRITE,
    markdown::{below_heading, without_links},
    protocol, replaced,
};

/// What the text of an arena is made of. Texts of people may have any characters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArenaGuide {
    /// The name of the site.
    pub site: String,
    /// Scheme and host of the server: `https://agon.example`.
    pub base: String,
    /// The arena's name in addresses.
    pub slug: String,
    /// Its name for people.
    pub title: String,
    /// What the organisers say about it; may be empty.
    pub about: String,
    /// In which part of its life it is, in a word or two.
    pub phase: String,
    /// The name of its game.
    pub game: String,
    /// The version of its rules.
    pub rules_version: u32,
    /// What the game is about, in a sentence.
    pub summary: String,
    /// The game's page in Markdown.
    pub page: String,
    /// The settings of the game.
    pub settings: Vec<Setting>,
    /// The limits of bots.
    pub limits: Limits,
    /// When the arena began or begins, with the time zone.
    pub begin: Option<String>,
    /// Until when authors can hand in, with the time zone.
    pub deadline: Option<String>,
    /// When matches end, with the time zone.
    pub freeze: Option<String>,
    /// Who can read sources, in a sentence.
    pub sources: String,
    /// Agon's bots that play along.
    pub bosses: Vec<String>,
    /// The starter kits of the languages that are allowed, not none.
    pub kits: Vec<Kit>,
    /// A complete bot in one file.
    pub starter: Option<Starter>,
}

/// A setting of the game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Setting {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
    /// What it means; may be empty.
    pub meaning: String,
}

/// The limits of bots.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// CPU time for an answer; `None` for the game's own.
    pub time_ms: Option<u64>,
    /// Timeouts in a row that end a bot's part in a match.
    pub strikes: Option<u64>,
    /// Memory of a bot.
    pub memory_mib: u64,
    /// The number of players in a match.
    pub players: u64,
    /// After how many turns a match ends, if not before.
    pub turns: Option<u64>,
    /// The game's word for a turn.
    pub turn: String,
    /// Versions of an author within 24 hours.
    pub daily: u64,
    /// The most files of a version.
    pub files: u64,
    /// Their most bytes.
    pub bytes: u64,
}

/// A starter kit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kit {
    /// Its name for `agon new`.
    pub id: String,
    /// The name of the language.
    pub language: String,
    /// How its bots are built; may be empty.
    pub build: String,
    /// The files that it writes.
    pub files: Vec<String>,
}

/// A complete bot in one file, which the server completes by its starter kit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Starter {
    /// The name of the starter kit.
    pub kit: String,
    /// The name of the file.
    pub file: String,
    /// What is in it.
    pub code: String,
}

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
            ranking(),
            FAULTS.to_owned(),
            replaced(WRITE, "GAME", &self.game),
            self.rules(),
            facts::settings(self),
            protocol::common(),
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
             {site} is a ladder of Agon: people hand in bots that play a game. The server builds \
             them, lets them play each other day and night, and ranks them. This text has \
             everything that a person or a program needs to take part in this arena.\n\n\
             - Server: {base}\n\
             - Arena: {slug} ({base}/arenas/{slug}), {phase}\n\
             - Game: {game}, version {rules_version} of its rules. {summary}\n\n\
             Replace the words NAME and PASSWORD by those of your account, BOT by your bot's name \
             in addresses, and NUMBER by the number of a match. Every other command is complete."
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

    fn rules(&self) -> String {
        let page = without_links(&below_heading(&self.page));
        format!("## Rules of {}\n\n{page}", self.game)
    }
}

fn ranking() -> String {
    format!("## How ranking works\n\n{}", RANKING.join("\n\n"))
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
        assert!(!text.contains("GAME "), "{text}");
    }
}
