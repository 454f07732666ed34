//! Events of starter kits. `agon new` prints them.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Serialize;

/// A starter kit.
#[derive(Debug, Serialize, JsonSchema)]
pub struct KitFacts<'a> {
    /// Its name on the command line.
    pub id: &'a str,
    /// The language as people write it.
    pub language: &'a str,
    /// Other names that `agon new` accepts.
    pub aliases: &'a [String],
    /// Required programs. One of several with `|` between them is enough.
    pub needs: &'a [String],
    /// The required programs that this machine lacks.
    pub missing: Vec<&'a str>,
    /// The Debian packages that have the required programs.
    pub debian: &'a [String],
    /// How to get what no Debian package has.
    pub install: Option<&'a str>,
    /// The shell command that builds a bot.
    pub build: Option<&'a str>,
    /// The bot's argument for `agon play`.
    pub bot: &'a str,
    /// The shell command that tests the kit's protocol code.
    pub test: Option<&'a str>,
}

/// A folder with a new bot.
#[derive(Debug, Serialize, JsonSchema)]
pub struct NewBot<'a> {
    /// The game's id.
    pub game: &'a str,
    /// The id of the starter kit.
    pub language: &'a str,
    /// The folder.
    pub folder: Cow<'a, str>,
    /// The files, relative to the folder.
    pub files: Vec<&'a str>,
    /// The shell command that builds the bot, to be run in the folder.
    pub build: Option<&'a str>,
    /// The bot's argument for `agon play`, from within the folder.
    pub bot: &'a str,
    /// The shell command that tests the bot's protocol code, to be run in the folder.
    pub test: Option<&'a str>,
    /// The command that plays a match of the bot, to be run in the folder.
    pub play: &'a str,
    /// The required programs that this machine lacks.
    pub missing: Vec<&'a str>,
}
