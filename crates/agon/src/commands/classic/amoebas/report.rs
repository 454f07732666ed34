//! The output of `agon amoebas`: statistics, files and pictures of one tournament of species.

use std::{borrow::Cow, io::Write};

use agon_core::text::escape;
use agon_core::{Game, Player};
use agon_games::amoebas::{Amoebas, Position, stats};
use agon_match::{Control, MatchEvent, Observer, ObserverError, Played};
use agon_show::encoding::still;
use agon_show::{Folder, amoebas::RoundPainter};
use agon_view::paint::Rgb;
use anyhow::Result;

use super::Flags;
use crate::output::plural;

/// What stands for a species: as Clojure prints it, and as a string.
#[derive(Clone, Debug)]
pub(super) struct SpeciesName {
    pub(super) printed: String,
    pub(super) text: String,
}

impl SpeciesName {
    /// A player's name as a keyword.
    pub(super) fn keyword(name: &str) -> SpeciesName {
        SpeciesName { printed: format!(":{name}"), text: format!(":{name}") }
    }
}

/// Takes the states of a tournament, one after another.
pub(super) struct Report<'a, W> {
    flags: &'a Flags,
    species: &'a [SpeciesName],
    folder: Option<Folder>,
    /// Where statistics are printed.
    out: &'a mut W,
    pictures: Option<Pictures>,
    /// The population at the start and after each round.
    history: Vec<stats::Population>,
}

impl<'a, W: Write> Report<'a, W> {
    /// A report on species, with files in a folder.
    pub(super) fn new(
        flags: &'a Flags,
        species: &'a [SpeciesName],
        folder: Option<Folder>,
        out: &'a mut W,
    ) -> Report<'a, W> {
        let pictures =
            flags.save_graphics.then(|| Pictures::new(species.len(), &flags.species_colors));
        Report { flags, species, folder, out, pictures, history: Vec::new() }
    }

    /// Takes the state after a round, or at the start. Rounds are numbered from 0.
    fn round(&mut self, game: &Amoebas) -> Result<()> {
        let now = game.population();
        if let Some(before) = self.history.last() {
            let number = self.history.len() as u64 - 1;
            let printed: Vec<&str> = self.species.iter().map(|name| &*name.printed).collect();
            if let (Some(pictures), Some(folder)) = (&mut self.pictures, &self.folder) {
                pictures.take(game, number, folder)?;
            }
            if self.flags.generational_stats {
                writeln!(self.out, "{}", stats::generation_line(number, &printed, now))?;
            }
            let extinct = stats::extinction_line(number, &printed, before, now);
            if let (true, Some(line)) = (self.flags.report_extinctions, extinct) {
                writeln!(self.out, "{line}")?;
            }
        }
        self.history.push(now.clone());
        Ok(())
    }

    /// Reports the end of the tournament. The match stops when all amoebas are dead, so the
    /// remaining rounds, which bring only sunshine, are added here.
    pub(super) fn finish(mut self, game: &Amoebas) -> Result<()> {
        let mut last = Cow::Borrowed(game);
        while game.population().is_extinct()
            && self.history.len() as u64 <= u64::from(game.rules().rounds)
        {
            if self.pictures.is_some() {
                last = Cow::Owned(shone_on(&last)?);
            }
            self.round(&last)?;
        }
        if self.flags.last_gen_stats {
            let printed: Vec<&str> = self.species.iter().map(|name| &*name.printed).collect();
            let rounds = self.history.len().saturating_sub(1) as u64;
            writeln!(
                self.out,
                "{}",
                stats::last_generation_line(rounds, &printed, game.population())
            )?;
        }
        if let (true, Some(folder)) = (self.flags.csv_stats, &self.folder) {
            let texts: Vec<_> = self.species.iter().map(|name| escape(&name.text)).collect();
            let texts: Vec<&str> = texts.iter().map(|text| &**text).collect();
            let mut sizes = String::new();
            let mut energies = String::new();
            stats::write_popsize_csv(&mut sizes, &texts, &self.history)?;
            stats::write_energy_csv(&mut energies, &texts, &self.history)?;
            folder.write("popsize.csv", sizes.as_bytes())?;
            folder.write("energy.csv", energies.as_bytes())?;
        }
        if let (Some(pictures), Some(folder)) = (self.pictures, &self.folder) {
            let (width, height) = pictures.size;
            let count = plural(pictures.count, "picture");
            say!("{}: {count} of {width}x{height}", folder.path().display());
        }
        Ok(())
    }
}

impl<W: Write> Observer<Amoebas> for Report<'_, W> {
    /// Takes the next state. Only the first one of a round counts.
    fn step(&mut self, event: &MatchEvent<'_, Amoebas>) -> Result<Control, ObserverError> {
        if event.game.progress().turn >= self.history.len() as u64 {
            self.round(event.game)?;
        }
        Ok(Control::Continue)
    }

    /// Forgets all states.
    fn void(&mut self, _: &Played<Amoebas>, _: u32) -> Result<(), ObserverError> {
        self.history.clear();
        let anew = |_: &Pictures| Pictures::new(self.species.len(), &self.flags.species_colors);
        self.pictures = self.pictures.as_ref().map(anew);
        Ok(())
    }
}

/// An empty world a round later.
fn shone_on(game: &Amoebas) -> Result<Amoebas> {
    let rules = game.rules();
    let position = game.position();
    let fuel = position.fuel.iter().map(|fuel| rules.max_cell_energy.min(fuel + rules.sun_energy));
    let fuel = fuel.collect();
    let round = position.round + 1;
    Ok(Amoebas::from_position(rules, game.seed(), Position { fuel, round, ..position })?)
}

/// Pictures of rounds: `g00000.png` is what the first round led to.
#[derive(Debug)]
struct Pictures {
    painter: RoundPainter,
    /// Width and height of the last one.
    size: (u32, u32),
    count: u64,
}

impl Pictures {
    fn new(players: usize, colors: &[(Player, Rgb)]) -> Pictures {
        Pictures { painter: RoundPainter::new(players, colors), size: (1, 1), count: 0 }
    }

    fn take(&mut self, game: &Amoebas, number: u64, folder: &Folder) -> Result<()> {
        let frame = self.painter.paint(game)?;
        folder.write(&format!("g{number:05}.png"), &still(frame))?;
        self.size = (frame.width(), frame.height());
        self.count += 1;
        Ok(())
    }
}
