//! Dates, limits, languages and settings of an arena.

use agon_text::{escape, number::plural};

use super::model::{ArenaGuide, Kit, Limits, Starter};
use crate::guide::{markdown::without_links, texts::LIMITS};

/// Returns until when people can hand in.
pub(super) fn dates(guide: &ArenaGuide) -> String {
    let at = |at: &Option<String>| at.clone().unwrap_or_else(|| "no date".to_owned());
    let ArenaGuide { begin, deadline, freeze, sources, .. } = guide;
    format!(
        "## Dates\n\n\
         - Begin: {}. Before it, nobody can hand in.\n\
         - Deadline: {}. After it, nobody can hand in. An upload that began before is in time.\n\
         - Freeze: {}. After it, no match is played, and the tables stay.\n\n\
         {sources}",
        at(begin),
        at(deadline),
        at(freeze)
    )
}

/// Returns what a bot may use.
pub(super) fn limits(guide: &ArenaGuide) -> String {
    let Limits { time_ms, strikes, memory_mib, players, turns, turn, daily, files, bytes } =
        &guide.limits;
    let mut text =
        format!("## Limits\n\n- Time for a decision: {time_ms} ms of CPU time, more at first.\n");
    if let Some(strikes) = strikes {
        text.push_str(&format!(
            "- {} in a row end a bot's part in a match.\n",
            plural(*strikes, "timeout")
        ));
    }
    text.push_str(&format!(
        "- Memory of a bot with all its processes: {memory_mib} MiB.\n\
         - Players in a match: {players}.\n"
    ));
    if let Some(turns) = turns {
        text.push_str(&format!("- A match ends after {}.\n", plural(*turns, turn)));
    }
    let languages: Vec<&str> = guide.kits.iter().map(|kit| kit.language.as_str()).collect();
    text.push_str(&format!(
        "- Hand-ins: {} of an author within 24 hours. Versions that fail count, too.\n\
         - A version: at most {}, {} MiB unpacked.\n\
         - Languages: {}.\n{LIMITS}",
        plural(*daily, "version"),
        plural(*files, "file"),
        bytes >> 20,
        languages.join(", ")
    ));
    if !guide.bosses.is_empty() {
        text.push_str(&format!("\nAgon's own bots play along: {}.", guide.bosses.join(", ")));
    }
    text
}

/// Returns the starter kits with their files.
pub(super) fn kits(guide: &ArenaGuide) -> String {
    let game = &guide.game;
    let mut text = format!(
        "## Starter kits\n\nEach kit is a complete bot that makes random legal moves. `agon new \
         {game} LANGUAGE fox` writes it into the folder fox. LANGUAGE and files:\n\n"
    );
    for Kit { id, language, build, files } in &guide.kits {
        text.push_str(&format!("- {id} ({language}): {}", files.join(", ")));
        if !build.is_empty() {
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
pub(super) fn settings(guide: &ArenaGuide) -> String {
    let mut text = format!("## Settings of {} in this arena\n\n", guide.game);
    for setting in &guide.settings {
        let (name, value) = (&setting.name, escape(&setting.value));
        let meaning = without_links(&setting.meaning);
        match meaning.trim() {
            "" => text.push_str(&format!("- {name} = {value}\n")),
            meaning => text.push_str(&format!("- {name} = {value}: {meaning}\n")),
        }
    }
    text
}
