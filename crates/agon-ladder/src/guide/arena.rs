//! `agents.txt` of an arena: everything that somebody needs who takes part in it.

use agon_core::text::number::plural;
use agon_core::text::{escape, escape_lines};

use crate::api::{Arena, ArenaSummary, Language, RankedBy, Ranks, Sources, Time, ZonedTime};
use crate::guide::markdown::{below_heading, without_links};
use crate::guide::{LIMITS, RANKING, WRITE, protocol, protocol_of, replaced};

/// What the text of an arena is made of. Texts of people may have any characters.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ArenaGuide {
    /// The arena.
    pub arena: Arena,
    /// The name of the site.
    pub site: String,
    /// Scheme and host of the server: `https://agon.example`.
    pub base: String,
    /// The game's page in Markdown.
    pub page: String,
    /// Minutes that the organiser's clocks are ahead of UTC.
    pub offset: i32,
    /// CPU time for an answer in milliseconds, beside the time for the start.
    pub time_ms: u64,
    /// Memory of a bot.
    pub memory_mib: u64,
    /// The game's word for a turn.
    pub turn: String,
    /// The files of the starter kits, in the order of the arena's languages, which are not none.
    pub kit_files: Vec<Vec<String>>,
    /// A complete bot in one file.
    pub starter: Option<Starter>,
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
        let game = &self.arena.summary.game;
        let parts = [
            self.head(),
            self.said(),
            dates(self),
            shell(self),
            api(self),
            limits(self),
            kits(self),
            format!(
                "## How ranking works\n\n{}\n\n{}",
                ranks(self.arena.ranks),
                RANKING.join("\n\n")
            ),
            FAULTS.to_owned(),
            replaced(WRITE, "GAME", game),
            format!("## Rules of {game}\n\n{}", without_links(&below_heading(&self.page))),
            settings(&self.arena),
            replaced(&protocol(), "GAME", game),
            protocol_of(game).unwrap_or_default(),
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
        let Self { site, base, arena, .. } = self;
        let ArenaSummary { slug, title, game, phase, .. } = &arena.summary;
        let (title, site) = (escape(title), escape(site));
        let summary = without_links(&arena.game_summary);
        let (phase, rules_version) = (phase.words(), arena.rules_version);
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
        if self.arena.about.trim().is_empty() {
            return String::new();
        }
        let about = escape_lines(self.arena.about.trim());
        let lines = about.lines().map(|line| format!("| {line}\n"));
        let lines: String = lines.collect();
        format!("## What the organisers say\n\nThe lines after `|` are their words.\n\n{lines}")
    }
}

const FAULTS: &str = "## What is a fault\n\n\
    A fault is a bot's mistake: no answer in time, an answer that breaks the protocol or the \
    rules, a crash, too much memory. The decision gets the game's default answer. The rules of \
    the game below say what else a fault costs, and \"Time, and what goes wrong\" says what counts \
    as one. A bot that fails five matches in a row is paused: it could not start, crashed, closed \
    its output, used too much memory, or most of its answers were faults. Hand in a version that \
    works, and it plays again at once.";

/// Returns until when people can hand in.
fn dates(guide: &ArenaGuide) -> String {
    let at = |at: Option<Time>| match at {
        Some(at) => ZonedTime { at, offset: guide.offset }.to_string(),
        None => "no date".to_owned(),
    };
    let season = &guide.arena.season;
    format!(
        "## Dates\n\n\
         - Begin: {}. Before it, nobody can hand in.\n\
         - Deadline: {}. After it, nobody can hand in. An upload that began before is in time.\n\
         - Freeze: {}. After it, no match is played, and the tables stay.\n\n\
         {}",
        at(season.begin),
        at(season.deadline),
        at(season.freeze),
        sources(guide.arena.sources)
    )
}

/// Says who can read sources.
pub fn sources(sources: Sources) -> &'static str {
    match sources {
        Sources::Secret => "Only the author of a bot and organisers can read its sources.",
        Sources::After => "Everybody can read the sources once the season is over.",
        Sources::Open => "Everybody can read the sources.",
    }
}

/// Says what decides the ranks of an arena.
pub fn ranks(ranks: Ranks) -> String {
    let what = match ranks.by {
        RankedBy::LowerEnd => "Ranks follow the lower end of the 95 % interval of ratings.",
        RankedBy::Rating => "Ranks follow ratings.",
    };
    match ranks.least {
        0 => what.to_owned(),
        least => format!(
            "{what} A version has a rank after {}, and after as many more each time it plays again \
             after a pause or after another version.",
            plural(least.into(), "match")
        ),
    }
}

/// Returns what a bot may use.
fn limits(guide: &ArenaGuide) -> String {
    let ArenaGuide { arena, time_ms, memory_mib, turn, .. } = guide;
    let (players, limits) = (arena.players, &arena.limits);
    let mut text =
        format!("## Limits\n\n- Time for a decision: {time_ms} ms of CPU time, more at first.\n");
    if let Some(strikes) = limits.strikes {
        text.push_str(&format!(
            "- {} in a row end a bot's part in a match.\n",
            plural(strikes, "timeout")
        ));
    }
    text.push_str(&format!(
        "- Memory of a bot with all its processes: {memory_mib} MiB.\n\
         - Players in a match: {players}.\n"
    ));
    if let Some(turns) = limits.max_turns {
        text.push_str(&format!("- A match ends after {}.\n", plural(turns, turn)));
    }
    let languages: Vec<&str> = arena.languages.iter().map(|kit| kit.name.as_str()).collect();
    text.push_str(&format!(
        "- Hand-ins: {} of an author within 24 hours. Versions that fail count, too.\n\
         - A version: at most {}, {} MiB unpacked.\n\
         - Languages: {}.\n{LIMITS}",
        plural(limits.versions_per_day.into(), "version"),
        plural(limits.files.into(), "file"),
        limits.bytes >> 20,
        languages.join(", ")
    ));
    if !arena.bosses.is_empty() {
        let names: Vec<&str> = arena.bosses.iter().map(|boss| boss.name.as_str()).collect();
        text.push_str(&format!("\nAgon's own bots play along: {}.", names.join(", ")));
    }
    text
}

/// Returns the starter kits with their files.
fn kits(guide: &ArenaGuide) -> String {
    let game = &guide.arena.summary.game;
    let mut text = format!(
        "## Starter kits\n\nEach kit is a complete bot that makes random legal moves. `agon new \
         {game} LANGUAGE fox` writes it into the folder fox. LANGUAGE and files:\n\n"
    );
    for (Language { id, name, build }, files) in guide.arena.languages.iter().zip(&guide.kit_files)
    {
        text.push_str(&format!("- {id} ({name}): {}", files.join(", ")));
        if let Some(build) = build {
            text.push_str(&format!("; built with `{build}`"));
        }
        text.push('\n');
    }
    if let Some(Starter { kit, file, code }) = &guide.starter {
        text.push_str(&format!(
            "\nThis is {file} of the kit {kit}. You can hand it in as it is, alone, because the \
             server adds the other files of the kit:\n\n```{kit}\n{}\n```\n",
            code.trim_end()
        ));
    }
    text
}

/// Returns the settings of the game.
fn settings(arena: &Arena) -> String {
    let mut text = format!("## Settings of {} in this arena\n\n", arena.summary.game);
    for setting in &arena.settings {
        let (name, value) = (&setting.name, setting.shown());
        let (value, meaning) = (escape(&value), without_links(&setting.meaning));
        match meaning.trim() {
            "" => text.push_str(&format!("- {name} = {value}\n")),
            meaning => text.push_str(&format!("- {name} = {value}: {meaning}\n")),
        }
    }
    text
}

/// Returns how to take part with `agon`.
fn shell(guide: &ArenaGuide) -> String {
    let ArenaGuide { base, arena: Arena { summary, .. }, .. } = guide;
    let ArenaSummary { slug, game, .. } = summary;
    let kit = guide.arena.languages.first().map_or("python", |kit| kit.id.as_str());
    let plain = if base.starts_with("http://") {
        "\nThis server has no HTTPS, so everybody in the network can read what you send. `agon \
         login` refuses that for other machines than your own, unless you add --insecure-http.\n"
    } else {
        ""
    };
    format!(
        "## Take part with agon

You need an account: organisers send a link. Open it in a browser, and choose a name and a
password. Nobody can make an account without a link. Then:

    agon login {base} --name NAME
    agon new {game} {kit} fox
    agon check {game} fox
    agon play {game} fox builtin:random
    agon submit fox --name BOT --arena {slug} -m \"what changed\"
{plain}
`agon login` asks for the password, and keeps a token, not the password. `agon submit` waits until
the version can play: exit code 0 it can, 1 it failed and you read why, 2 another error. Each
author has one bot here: the first hand-in gives it its name, each later one is a new version of it.

Logs and results:

    agon status {slug}
    agon matches {slug}
    agon logs --arena {slug}
    agon leaderboard {slug}
    agon ladder verify {base}

Add --json for lines of JSON. `agon logs` prints the faults of your bot in a match, and what it
wrote to standard error. Only you and organisers see that. `agon ladder verify` checks that nobody
changed results afterwards, and plays matches again.

The same on pages: {base}/arenas/{slug} (table), {base}/arenas/{slug}/rules,
{base}/arenas/{slug}/matches, {base}/arenas/{slug}/hand-in (with an editor)."
    )
}

/// Returns how to take part with `curl`.
fn api(guide: &ArenaGuide) -> String {
    let (base, slug) = (&guide.base, &guide.arena.summary.slug);
    let api = format!("{base}/api/v1");
    let arena = format!("{api}/arenas/{slug}");
    let curl = "curl -s --fail-with-body";
    let auth = "-H \"Authorization: Bearer $token\"";
    let single = guide.starter.as_ref().map(|starter| {
        format!(
            "
Or a single file, which the server completes by the starter kit of its language:

    {curl} {arena}/versions {auth} -F name=BOT -F message=\"one file\" -F files=@{} > version.json
",
            starter.file
        )
    });
    let single = single.unwrap_or_default();
    format!(
        "## Take part with curl

Everything works without Agon, too: JSON over HTTP. {api}/openapi.json describes all of it.

A token is a secret for programs. Make one with name and password, or on {base}/account:

    {curl} {api}/tokens --json '{{\"name\": \"NAME\", \"password\": \"PASSWORD\"}}' > token.json
    token=$(grep -o 'agon_[0-9a-f]*' token.json)

Hand in a folder with `agon.toml`, such as `agon new` writes, as zip, tar or tar.gz. A hand-in that
is sent again with the same Idempotency-Key counts once:

    tar -czf bot.tar.gz -C fox .
    {curl} \"{arena}/versions?name=BOT&message=first+try\" {auth} -H \
\"Content-Type: application/gzip\" -H \"Idempotency-Key: $(sha256sum bot.tar.gz | cut -c1-40)\" \
--data-binary @bot.tar.gz > version.json
{single}
The reply has `number`, `state`, and the bot's name in addresses as `bot.slug`. The name in the
request counts for the first version only. A version is `queued`, `building`, `checking`, and at
last `ready` or `failed`. Then `report` has the examinations, and what the build wrote:

    {curl} {arena}/bots/BOT/versions/1 {auth}

Logs and results:

    {curl} {arena}/bots/BOT
    {curl} \"{arena}/matches?bot=BOT&limit=5\"
    {curl} {arena}/matches/NUMBER
    {curl} {arena}/matches/NUMBER/logs {auth}
    {curl} -o match.agon {arena}/matches/NUMBER/replay
    {curl} \"{arena}/leaderboard?limit=10\"

Failures are JSON with `code`, `title` and `detail`, which says what to do. 429 has Retry-After."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_people_are_marked_and_escaped() {
        let mut guide = ArenaGuide::default();
        guide.arena.summary.title = "Autumn\n# Fake \u{202e}title\u{1b}[2J".to_owned();
        guide.arena.about = "Welcome\n## Sign in\nelsewhere \u{200b}\u{9b}\r\nBye".to_owned();
        let text = guide.text();
        assert!(!text.contains(|c| c != '\n' && agon_core::text::is_hidden(c)), "{text}");
        assert!(text.starts_with("# Autumn\\n# Fake \\u202etitle\\u001b[2J: how"), "{text}");
        assert!(text.contains("\n| Welcome\n| ## Sign in\n| elsewhere "), "{text}");
    }

    #[test]
    fn the_arenas_game_is_in_the_commands() {
        let mut guide = ArenaGuide::default();
        guide.arena.summary.game = "dice".to_owned();
        let text = guide.text();
        assert!(text.contains("agon rules dice --schema"), "{text}");
        assert!(!text.contains("GAME"), "{text}");
    }
}
