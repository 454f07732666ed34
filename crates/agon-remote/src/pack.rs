//! Turns bots of this machine into seats that can travel: built-in ones by their names, others by
//! their files.

use std::{collections::BTreeSet, fs};

use agon_arena::{BotEntry, Bundle};
use agon_bots::{BotKind, Portable, PortableFiles};
use agon_games::GameId;
use agon_match::spec::{BlobSeat, Digest, MatchSpec, SandboxLevel, Seat, SeatBot, SpecError};
use thiserror::Error;

use crate::fleet::Class;

/// A bot that can travel.
#[derive(Clone, Debug)]
pub struct Packed {
    /// Its seat.
    pub seat: Seat,
    /// The bundle of its files, which the seat names; `None` of built-in bots.
    pub bundle: Option<Vec<u8>>,
    /// Programs that a worker must have.
    pub programs: BTreeSet<String>,
    /// Whether it has limits in CPU time, as those that neither are built in nor have fuel.
    pub has_clock: bool,
}

impl Packed {
    /// Returns the digest of its files; `None` of built-in bots.
    pub(crate) fn files(&self) -> Option<Digest> {
        match &self.seat.bot {
            SeatBot::Blob(blob) => Some(blob.digest),
            SeatBot::Builtin(_) | SeatBot::Local(_) => None,
        }
    }
}

/// Why a bot cannot play on other machines, for people.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct PackError(String);

impl From<SpecError> for PackError {
    fn from(error: SpecError) -> PackError {
        PackError(error.to_string())
    }
}

/// Packs a bot that has been read.
pub fn pack(game: GameId, bot: &BotEntry) -> Result<Packed, PackError> {
    let seat = bot.seat(game);
    let local = match &seat.bot {
        SeatBot::Local(local) => local,
        SeatBot::Builtin(_) => {
            let programs = BTreeSet::new();
            return Ok(Packed { seat, bundle: None, programs, has_clock: false });
        }
        SeatBot::Blob(blob) => {
            let programs = blob.runtime.iter().cloned().collect();
            return Ok(Packed { seat, bundle: None, programs, has_clock: true });
        }
    };
    if matches!(bot.spec.kind(), BotKind::Human | BotKind::Connect) {
        return Err(local.reason().into());
    }
    let failed = |why: String| PackError(format!("{}: {why}", bot.info.name));
    let scattered = || {
        failed(
            "its files are in several places; a bot for other machines is one file, or a folder \
             with agon.toml (`agon new` makes one)"
                .to_owned(),
        )
    };
    let Portable { files, run, runtime } = bot.spec.portable().ok_or_else(scattered)?;
    let bundle = match files {
        PortableFiles::Folder(folder) => {
            Bundle::pack(&folder).map_err(|error| failed(error.to_string()))?
        }
        PortableFiles::File { path, name } => {
            let read = |error| failed(format!("cannot read {}: {error}", path.display()));
            let contents = fs::read(&path).map_err(read)?;
            // Whoever named a file as a program may start it.
            Bundle::of_files([(name, contents, true)])
        }
    };
    let bundle = bundle.to_bytes();
    let mut programs: BTreeSet<String> = runtime.iter().cloned().collect();
    match bot.spec.kind() {
        // Machine code, or what starts it.
        BotKind::Library => drop(programs.insert(std::env::consts::ARCH.to_owned())),
        BotKind::Program | BotKind::Json | BotKind::Http if runtime.is_none() => {
            programs.insert(std::env::consts::ARCH.to_owned());
        }
        BotKind::Wasm => drop(programs.insert("wasm".to_owned())),
        _ => {}
    }
    let blob = BlobSeat { digest: Digest::of(&bundle), build: None, run, runtime };
    let seat = Seat { name: seat.name, bot: SeatBot::Blob(blob) };
    let has_clock = bot.spec.kind() != BotKind::Wasm;
    Ok(Packed { seat, bundle: Some(bundle), programs, has_clock })
}

/// On which machines matches are fair.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fairness {
    /// The speed of the machine for which limits in CPU time are meant ([`Class::reference`]).
    pub reference: u32,
    /// The only model of processor that plays ([`Class::processor`]).
    pub processor: Option<String>,
}

/// Returns the class of matches like `base` with these bots.
pub fn class_of<'a>(
    base: &MatchSpec,
    bots: impl IntoIterator<Item = &'a Packed>,
    fairness: &Fairness,
) -> Result<Class, PackError> {
    base.check_portable()?;
    if base.settings.sandbox.level == SandboxLevel::Off {
        let why = "workers confine bots; play matches without a sandbox on this machine, without \
                   `--on`";
        return Err(PackError(why.to_owned()));
    }
    let mut class = Class::of_game(base.game, base.settings.sandbox.level);
    class.processor.clone_from(&fairness.processor);
    let mut seats = 0;
    for bot in bots {
        if bot.has_clock && base.settings.time.clock {
            class.reference = fairness.reference;
        }
        class.programs.extend(bot.programs.iter().cloned());
        seats += 1;
    }
    class.memory = base.settings.sandbox.memory.unwrap_or(0).saturating_mul(seats);
    Ok(class)
}
