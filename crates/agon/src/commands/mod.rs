//! The commands, a module each.

mod check;
pub(crate) mod classic;
mod client;
mod compare;
pub(crate) mod completions;
mod demo;
mod doctor;
mod games;
mod new;
mod part;
mod play;
pub(crate) mod replay;
mod rules;
mod scenario;
mod serve;
mod tournament;
mod tune;
mod watch;
mod web;
mod worker;

use std::io::Write;

use anyhow::Result;

use crate::{
    Exit,
    cli::{Command, WebCommand},
};

/// Carries out a command; what was asked for goes to `out`.
///
/// # Errors
/// If it cannot be carried out.
pub(crate) fn run(command: Command, out: &mut (impl Write + Send)) -> Result<Exit> {
    let done = |()| Exit::Done;
    match command {
        Command::Play(args) if args.game.is_none() => demo::demo(&args, out),
        Command::Play(args) => play::play(&args, out),
        Command::Check(args) => check::check(&args, out),
        Command::Compare(args) => compare::compare(&args, out),
        Command::Doctor(args) => doctor::doctor(&args, out),
        Command::Games { json } => games::games(json, out).map(done),
        Command::Rules(args) => rules::rules(&args, out).map(done),
        Command::Bots { game, json } => games::bots(game.as_deref(), json, out).map(done),
        Command::New(args) => new::new(&args, out).map(done),
        Command::Scenario(args) => scenario::scenario(&args, out).map(done),
        Command::Watch(args) => watch::watch(&args, out),
        Command::Tournament(args) => tournament::tournament(&args, out),
        Command::Serve(_) => serve::serve(),
        Command::Worker(_) => worker::worker(),
        Command::Client(_) => client::client(),
        Command::Tune(args) => tune::tune(&args, out),
        Command::Replay(command) => replay::replay(&command, out),
        Command::Web(WebCommand::Export(args)) => web::export(&args, out).map(done),
        Command::Cellhack(args) => classic::cellhack::run(&args, out),
        Command::Cluster(args) => classic::cluster::run(&args, out),
        Command::Amoebas(args) => classic::amoebas::run(&args, out),
        Command::Binfection(args) => classic::binfection::run(&args, out),
        Command::Rezzo(args) => classic::rezzo::run(&args, out),
        Command::Completions { shell } => completions::completions(shell, out).map(done),
    }
}
