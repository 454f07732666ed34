//! Opens bots: turns a [`BotSpec`] into a bot that plays. It chooses the host for the kind of bot.

use std::{path::Path, sync::Arc};

use agon_games::any::GameKind;
use agon_match::spec::BotProtocol;

use crate::program::{Program, existing_file};
use crate::{
    Bot, BotKind, BotSpec, ClojureFile, HostOptions, Hosting, OpenError, WebServer,
    builtin::BuiltinBot, compile::Language, folder_bot::check_game, hosting, jsonl, native,
    spec::BotSource, spec::is_web, wasm,
};

/// Returns the kinds of bots that a game takes.
pub fn kinds(kind: &dyn GameKind) -> Vec<BotKind> {
    let Hosting { program, clojure, http, .. } = hosting(kind);
    let own = |kind: &BotKind| match kind {
        BotKind::Program => program.is_some(),
        BotKind::Clojure => clojure.is_some(),
        BotKind::Http => http.is_some(),
        _ => true,
    };
    BotKind::ALL.into_iter().filter(own).collect()
}

/// Opens a bot: finds its files, compiles them if they are source code, and loads them.
///
/// Programs are started later, by [`Bot::start`]. People are not opened here: see
/// the type [`HumanBot`](crate::HumanBot).
///
/// # Errors
/// If it is a person, if there is no such bot, if it does not compile or load, or if the game takes
/// no bots of its kind.
pub fn open(
    kind: &dyn GameKind,
    spec: &BotSpec,
    options: &HostOptions,
) -> Result<Box<dyn Bot>, OpenError> {
    open_from(kind, spec, options, None)
}

/// Opens a bot that a person named, or the manifest in the folder `place`.
fn open_from(
    kind: &dyn GameKind,
    spec: &BotSpec,
    options: &HostOptions,
    place: Option<&Path>,
) -> Result<Box<dyn Bot>, OpenError> {
    let game = kind.meta().id;
    if let (Some(bot), Some(snapshot)) = (spec.copied(), &spec.snapshot) {
        check_game(&bot.place, bot.game, game)?;
        let folder = Some(bot.folder.clone());
        // Programs keep the copy as long as they run.
        let snapshots = vec![Arc::clone(snapshot)];
        let options = HostOptions { folder, snapshots, ..options.clone() };
        return open_from(kind, &bot.spec, &options, Some(&bot.place))
            .map_err(|error| error.of_copy(&bot.folder, &bot.place));
    }
    let builtins: Vec<_> = kind.builtins().iter().map(|builtin| builtin.name).collect();
    let wrong_kind = |proposal: Option<String>| {
        let proposal = proposal.map_or_else(String::new, |proposal| format!("; {proposal}"));
        let takes = list(&kinds(kind));
        let why = format!("`{spec}`: {game} takes only {takes}{proposal}");
        OpenError::Unfit(why, "`agon rules GAME` tells which bots the game takes")
    };
    if spec.home().is_some() && spec.snapshot.is_none() && options.snapshots.is_empty() {
        // What it may see is decided when it is read.
        return open_from(kind, &spec.clone().read(options, &builtins)?, options, place);
    }
    let snapshot = spec.snapshot.as_ref();
    let own = snapshot.map(|snapshot| vec![Arc::clone(snapshot)]);
    let snapshots = own.unwrap_or_else(|| options.snapshots.clone());
    let options = &HostOptions { snapshots, ..options.clone() };
    // A bot that has been read plays from its copy, even if its files have changed or are gone.
    let file = |path: &Path| match snapshot {
        Some(_) => Ok(path.to_owned()),
        None => existing_file(&path.to_string_lossy(), &builtins),
    };
    let find = |text: &str, words: &[String]| {
        let program = match snapshot.and_then(|snapshot| snapshot.program.as_ref()) {
            Some(program) => Ok(program.clone()),
            None => Program::find(text, words, &builtins, spec.home()),
        };
        let folder = options.folder.as_deref().unwrap_or(Path::new(""));
        program.map(|program| program.typed(text, place, folder))
    };
    match &spec.source {
        BotSource::Builtin { name, params } => Ok(Box::new(BuiltinBot::find(kind, name, params)?)),
        BotSource::C(path) if !options.c_as_wasm && options.native_host.is_some() => {
            let source = file(path)?;
            let library = native::build(kind, &source, options)?;
            let opened = native::open(kind, &library, &source, options);
            Ok(Box::new(opened.map_err(|error| error.of_source(path))?))
        }
        BotSource::C(path) | BotSource::Wasm(path) if Language::of(path).is_some() => {
            if !options.c_as_wasm && matches!(spec.source, BotSource::C(_)) {
                native::tell_that_c_is_wasm(options);
            }
            let module = wasm::build(kind, &file(path)?, options)?;
            let opened = wasm::open(kind, &module, options);
            Ok(Box::new(opened.map_err(|error| error.of_source(path))?))
        }
        BotSource::Library(path) => {
            let library = file(path)?;
            Ok(Box::new(native::open(kind, &library, &library, options)?))
        }
        BotSource::C(path) | BotSource::Wasm(path) => {
            Ok(Box::new(wasm::open(kind, &file(path)?, options)?))
        }
        BotSource::Clojure(clojure) => {
            let path = file(&clojure.path)?;
            let host = hosting(kind).clojure.ok_or_else(|| wrong_kind(None))?;
            host(&ClojureFile { path, ..clojure.clone() }, options)
        }
        BotSource::Folder(_) => open(kind, &spec.clone().read(options, &builtins)?, options),
        BotSource::Program { text, words, protocol: BotProtocol::Jsonl } => {
            Ok(jsonl::open(kind, find(text, words)?, options))
        }
        BotSource::Program { text, words, protocol: BotProtocol::Http } => {
            let host = hosting(kind).http.ok_or_else(|| wrong_kind(None))?;
            host(WebServer::Program(find(text, words)?), options)
        }
        BotSource::Connect(address) if is_web(address) => {
            let host = hosting(kind).http.ok_or_else(|| wrong_kind(None))?;
            host(WebServer::Address(address), options)
        }
        BotSource::Connect(address) => jsonl::connect(kind, address, options),
        BotSource::Human => {
            let why = format!(
                "`{spec}`: a person needs a board on the screen; use `agon play` or a game's \
                 classic command"
            );
            Err(OpenError::Unfit(why, "use `agon play`"))
        }
        BotSource::Program { text, words, protocol: BotProtocol::Game } => {
            match (hosting(kind).program, find(text, words)) {
                (Some(host), program) => host(program?, options),
                (None, Err(error @ OpenError::Missing(..))) => Err(error),
                (None, Ok(program)) => Err(wrong_kind(Some(program.typed.jsonl()))),
                (None, Err(_)) => Err(wrong_kind(None)),
            }
        }
    }
}

fn list(kinds: &[BotKind]) -> String {
    let kinds: Vec<String> = kinds.iter().map(BotKind::to_string).collect();
    match kinds.split_last() {
        Some((last, rest @ [_, ..])) => format!("{} and {last}", rest.join(", ")),
        _ => kinds.join(", "),
    }
}
