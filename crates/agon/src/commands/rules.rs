//! `agon games` and `agon bots`: lists. `agon rules GAME`: the game's page, with the settings and
//! built-in bots generated from the code.

use std::io::Write;

use super::game_named;
use agon_contest::events::{BotData, BuiltinBot, BuiltinParam, Event, GameFacts, PlayerRange};
use agon_core::Meta;
use agon_games::{GameId, any::GameKind, presets};
use anyhow::Result;
use serde_json::Value;

use crate::cli::RulesArgs;
use crate::output::{BOLD, DIM, print_event, print_table, table};

/// Prints the page of a game, or a JSON Schema of its settings or of its messages.
pub(crate) fn rules(args: &RulesArgs, out: &mut impl Write) -> Result<()> {
    let id = game_named(&args.game)?;
    let kind = id.kind();
    if args.json {
        writeln!(out, "{}", serde_json::to_string_pretty(&kind.rules_schema())?)?;
    } else if args.schema {
        writeln!(out, "{}", serde_json::to_string_pretty(&kind.message_schema())?)?;
    } else {
        write!(out, "{}", page(kind))?;
    }
    Ok(())
}

/// The whole page in Markdown.
fn page(kind: &dyn GameKind) -> String {
    let meta = kind.meta();
    let mut text = format!("{}\n\n## Facts\n\n", meta.page.trim_end());
    text += &format!("- name: `{}`, rules version {}\n", meta.id, meta.rules_version);
    text += &match (meta.min_players, meta.max_players) {
        (min, max) if min == max => format!("- players: {min}\n"),
        (min, max) => format!("- players: {min} to {max}\n"),
    };
    text += &format!("- its length is counted in {}s\n", meta.turn_name);
    text += "- the folders named here, `docs` and `examples`, are in Agon's source and in packages \
             (share/doc/agon)\n\n";
    text +=
        "## Settings\n\nChange them with `--set name=value` or in a TOML file for `--rules`.\n\n";
    text += "| setting | default | meaning |\n| --- | --- | --- |\n";
    let schema = kind.rules_schema();
    for (name, default) in kind.default_rules().as_object().into_iter().flatten() {
        let meaning = schema.pointer(&format!("/properties/{name}/description"));
        let meaning = meaning.and_then(Value::as_str).unwrap_or_default().replace('\n', " ");
        let choices = choices(schema.as_value(), &schema.as_value()["properties"][name]);
        let choices = match choices.as_slice() {
            [] | [_] => String::new(),
            several => format!(" One of {}.", several.join(", ")),
        };
        text += &format!("| `{name}` | {default} | {meaning}{choices} |\n");
    }
    text += &presets_table(kind);
    text += "\n## Built-in bots\n\n| bot | parameters | what it does |\n| --- | --- | --- |\n";
    for bot in kind.builtins() {
        let params = bot.params.iter().map(|p| format!("`{}={}` {}", p.name, p.default, p.summary));
        let params = params.collect::<Vec<_>>().join("; ");
        text += &format!("| `builtin:{}` | {params} | {} |\n", bot.name, bot.summary);
    }
    text
}

/// Returns the words among which a setting chooses; none if it is no choice.
fn choices(schema: &Value, property: &Value) -> Vec<String> {
    let reference = property["$ref"].as_str().and_then(|path| path.strip_prefix('#'));
    let property = reference.and_then(|path| schema.pointer(path)).unwrap_or(property);
    let word = |value: &Value| value.as_str().map(|word| format!("`{word}`"));
    let constant = word(&property["const"]);
    let listed = property["enum"].as_array().into_iter().flatten().filter_map(word);
    let parts = ["oneOf", "anyOf", "allOf"].map(|key| property[key].as_array());
    let parts = parts.into_iter().flatten().flatten();
    let inner = parts.flat_map(|part| choices(schema, part));
    constant.into_iter().chain(listed).chain(inner).collect()
}

/// The section with the presets.
fn presets_table(kind: &dyn GameKind) -> String {
    let id = kind.meta().id;
    let mut text = format!(
        "\n## Presets\n\nA preset is a name for settings: `agon play {id} --preset NAME`. Without \
         `--preset`, `--set` and `--rules`, `agon play {id}` uses `{}`. Tournaments and the other \
         commands use the defaults above unless you name a preset.\n\n| preset | settings | what \
         for |\n| --- | --- | --- |\n",
        presets::DEFAULT
    );
    for preset in kind.presets() {
        let settings: Vec<_> = preset.settings.iter().map(|set| format!("`{set}`")).collect();
        let settings =
            if settings.is_empty() { "the defaults".into() } else { settings.join(", ") };
        text += &format!("| `{}` | {settings} | {} |\n", preset.name, preset.summary);
    }
    let lineup: Vec<_> = kind.lineup().iter().map(|bot| format!("`builtin:{bot}`")).collect();
    text + &format!("\nIf you name no bots, these play: {}.\n", lineup.join(", "))
}

/// The facts about a game, for programs.
pub(super) fn facts(meta: Meta) -> GameFacts<'static> {
    GameFacts {
        id: meta.id,
        rules_version: meta.rules_version,
        players: PlayerRange { min: meta.min_players, max: meta.max_players },
        turn: meta.turn_name,
        summary: meta.summary,
    }
}

/// Lists the games.
pub(crate) fn games(json: bool, out: &mut impl Write) -> Result<()> {
    if json {
        for meta in GameId::all().into_iter().map(GameId::meta) {
            print_event(Event::Game(facts(meta)), out)?;
        }
        return Ok(());
    }
    let mut rows = table();
    for meta in GameId::all().into_iter().map(GameId::meta) {
        let players = match (meta.min_players, meta.max_players) {
            (min, max) if min == max => format!("{min} players"),
            (min, max) => format!("{min}–{max} players"),
        };
        rows.add_row([format!("{BOLD}{}{BOLD:#}", meta.id), players, meta.summary.to_owned()]);
    }
    print_table(&rows, out)?;
    writeln!(out, "\n{DIM}`agon rules GAME` explains a game, `agon play GAME` plays it.{DIM:#}")?;
    Ok(())
}

/// Lists the built-in bots of one game or of all.
pub(crate) fn bots(game: Option<&str>, json: bool, out: &mut impl Write) -> Result<()> {
    let games = match game {
        Some(name) => vec![game_named(name)?],
        None => GameId::all(),
    };
    if json {
        return games.into_iter().try_for_each(|id| bots_json(id.kind(), out));
    }
    for (i, id) in games.into_iter().enumerate() {
        if i > 0 {
            writeln!(out)?;
        }
        bots_of(id.kind(), out)?;
    }
    Ok(())
}

fn bots_json(kind: &dyn GameKind, out: &mut impl Write) -> Result<()> {
    for bot in kind.builtins() {
        let params = bot.params.iter().map(|param| BuiltinParam {
            name: param.name,
            default: param.default,
            summary: param.summary,
        });
        let event = BuiltinBot {
            game: kind.meta().id,
            name: bot.name,
            spec: format!("builtin:{}", bot.name),
            version: bot.version,
            summary: bot.summary,
            params: params.collect(),
        };
        print_event(Event::Bot(BotData::Builtin(event)), out)?;
    }
    Ok(())
}

fn bots_of(kind: &dyn GameKind, out: &mut impl Write) -> Result<()> {
    writeln!(out, "{BOLD}{}{BOLD:#}", kind.meta().id)?;
    for bot in kind.builtins() {
        let version = format!("{DIM}version {}{DIM:#}", bot.version);
        writeln!(out, "  {BOLD}builtin:{}{BOLD:#}  {}  {version}", bot.name, bot.summary)?;
        for param in bot.params {
            writeln!(out, "      {}={}  {DIM}{}{DIM:#}", param.name, param.default, param.summary)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_of_a_setting_are_complete() {
        /// How a match ends.
        #[derive(schemars::JsonSchema)]
        #[serde(rename_all = "snake_case")]
        #[expect(dead_code, reason = "only its schema matters")]
        enum Ending {
            /// One player is left.
            LastOne,
            TurnLimit,
        }
        #[derive(schemars::JsonSchema)]
        #[expect(dead_code, reason = "only its schema matters")]
        struct Settings {
            /// When it ends.
            ending: Ending,
            other: Option<Ending>,
            width: u32,
        }
        let schema = schemars::schema_for!(Settings);
        let of = |name: &str| {
            let mut words = choices(schema.as_value(), &schema.as_value()["properties"][name]);
            words.sort();
            words
        };
        assert_eq!(of("ending"), ["`last_one`", "`turn_limit`"]);
        assert_eq!(of("other"), ["`last_one`", "`turn_limit`"]);
        assert!(of("width").is_empty());
    }

    #[test]
    fn every_setting_and_parameter_is_explained() {
        for id in GameId::OWN {
            let kind = id.kind();
            let schema = kind.rules_schema();
            for (name, _) in kind.default_rules().as_object().unwrap() {
                let meaning = schema.pointer(&format!("/properties/{name}/description"));
                assert!(meaning.is_some(), "{id}: setting `{name}` has no description");
            }
            assert!(!kind.builtins().is_empty(), "{id} has no built-in bot");
            for param in kind.builtins().iter().flat_map(|bot| bot.params) {
                assert!(!param.summary.is_empty(), "{id}: parameter `{}`", param.name);
            }
        }
    }
}
