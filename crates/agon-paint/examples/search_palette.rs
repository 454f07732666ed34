//! Searches the colours of players that the themes `dark` and `light` have as constants.
//!
//! `cargo run --release -p agon-paint --example search_palette` prints tables in the form of
//! `src/theme/players.rs` and of cluster's `colors.rs`. The search repeats exactly: its random
//! numbers have fixed seeds. Run it again after a change of a theme's ground or food.
//!
//! The first six players must differ by colour alone, for people with every kind of colour vision.
//! Simulated annealing makes the smallest difference of two as large as possible, at full strength
//! and faded. All later colours are added one by one, each in the largest gap.

#![allow(clippy::print_stdout, reason = "an example prints")]

#[path = "../tests/vision/mod.rs"]
#[expect(dead_code, reason = "the tests use all of it")]
mod vision;

use agon_core::mix;
use agon_games::{
    GameId,
    scene::{Hue, Ink},
};
use agon_paint::{Rgb, Theme, ThemeName};
use palette::{Lab, color_difference::Ciede2000, white_point::D65};
use vision::Vision;

/// The contrast that a player's colour has to the ground, even faded.
const CONTRAST: f32 = 3.05;

/// The contrast of a colour at full strength, which leaves space for faded ones.
const FULL_CONTRAST: f32 = 4.0;

/// The players with colours in the tables, and those who differ by colour alone.
const PLAYERS: usize = 24;
const ALONE: usize = 6;

/// The players with the same pattern are this far apart.
const PATTERNS: usize = 12;

/// A colour as everybody sees it.
type Seen = [Lab<D65, f64>; 4];

/// Random numbers from a seed (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        mix(self.0) >> 8
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    fn part(&mut self) -> f64 {
        (self.next() % (1 << 24)) as f64 / f64::from(1 << 24)
    }

    fn color(&mut self) -> Rgb {
        let mut part = || self.below(256) as u8;
        Rgb(part(), part(), part())
    }

    /// Returns a colour near another one.
    fn near(&mut self, Rgb(red, green, blue): Rgb, far: i32) -> Rgb {
        let mut moved = |part: u8| {
            let by = self.below(2 * far as u64 + 1) as i32 - far;
            (i32::from(part) + by).clamp(0, 255) as u8
        };
        Rgb(moved(red), moved(green), moved(blue))
    }
}

/// The colours that cells of players lie on or beside.
struct Surroundings {
    /// Players stand on these.
    grounds: Vec<Rgb>,
    /// Players must not be mistaken for these.
    others: Vec<Seen>,
}

impl Surroundings {
    fn of(theme: &Theme, others: &[Hue]) -> Surroundings {
        let color = |hue| theme.color(Ink::new(hue));
        Surroundings {
            grounds: vec![color(Hue::Ground), color(Hue::Food)],
            others: others.iter().map(|&hue| seen(color(hue))).collect(),
        }
    }

    /// Returns the smallest contrast to a ground.
    fn contrast(&self, color: Rgb) -> f32 {
        self.grounds.iter().map(|&ground| color.contrast(ground)).fold(f32::INFINITY, f32::min)
    }

    /// Returns the colour faded as far as its contrast allows.
    fn faintest(&self, color: Rgb) -> Rgb {
        let ground = self.grounds[0];
        let parts = (30..=100).map(|part| mixed(ground, color, part));
        parts.into_iter().find(|&color| self.contrast(color) >= CONTRAST).unwrap_or(color)
    }
}

fn mixed(from: Rgb, to: Rgb, percent: u32) -> Rgb {
    let mix = |from: u8, to: u8| {
        ((u32::from(from) * (100 - percent) + u32::from(to) * percent + 50) / 100) as u8
    };
    Rgb(mix(from.0, to.0), mix(from.1, to.1), mix(from.2, to.2))
}

fn seen(color: Rgb) -> Seen {
    Vision::ALL.map(|vision| vision.seen(color))
}

/// Returns the least difference of two colours for everybody.
fn apart(one: &Seen, other: &Seen) -> f64 {
    (0..4).map(|at| one[at].difference(other[at])).fold(f64::INFINITY, f64::min)
}

/// A player's colour while it is searched.
#[derive(Clone)]
struct Candidate {
    color: Rgb,
    full: Seen,
    faint: Seen,
    contrast: f32,
}

impl Candidate {
    fn new(color: Rgb, around: &Surroundings) -> Candidate {
        Candidate {
            color,
            full: seen(color),
            faint: seen(around.faintest(color)),
            contrast: around.contrast(color),
        }
    }
}

impl Candidate {
    /// Returns how good it is by itself, where 1 is what is wished for.
    fn worth(&self, around: &Surroundings) -> f64 {
        let chroma = self.full[0].a.hypot(self.full[0].b);
        let own = (chroma / 42.0).min(f64::from(self.contrast / FULL_CONTRAST).powi(4));
        let others = around.others.iter().map(|other| apart(&self.full, other) / 11.0);
        others.fold(own, f64::min)
    }

    /// Returns how well it differs from another one, where 1 is what is wished for.
    fn worth_beside(&self, other: &Candidate) -> f64 {
        (self.full[0].difference(other.full[0]) / 30.0)
            .min(apart(&self.full, &other.full) / 17.0)
            .min(apart(&self.faint, &other.faint) / 9.0)
            .min(apart(&self.faint, &other.full) / 7.5)
            .min(apart(&self.full, &other.faint) / 7.5)
    }
}

/// Some colours, and how good they are.
struct Palette<'a> {
    around: &'a Surroundings,
    colors: Vec<Candidate>,
    /// How well two of them differ; a colour and itself: how good it is alone.
    worths: Vec<Vec<f64>>,
}

impl<'a> Palette<'a> {
    fn new(start: &[Rgb], around: &'a Surroundings) -> Palette<'a> {
        let colors: Vec<_> = start.iter().map(|&color| Candidate::new(color, around)).collect();
        let mut palette = Palette { around, colors, worths: Vec::new() };
        palette.worths = (0..start.len()).map(|at| palette.row(&palette.colors[at], at)).collect();
        palette
    }

    /// Returns how good a colour is at a place: alone, and beside each other one.
    fn row(&self, color: &Candidate, at: usize) -> Vec<f64> {
        let worth = |(place, other)| match place == at {
            true => color.worth(self.around),
            false => color.worth_beside(other),
        };
        self.colors.iter().enumerate().map(worth).collect()
    }

    /// Returns how good the colours are: the worst of all demands.
    fn worth(&self) -> f64 {
        self.worths.iter().flatten().copied().fold(f64::INFINITY, f64::min)
    }

    /// Puts a colour in a place, unless the colours are then worth less than `least`.
    fn replace(&mut self, at: usize, color: Rgb, least: f64) {
        let candidate = Candidate::new(color, self.around);
        let mut row = vec![0.0; self.colors.len()];
        for (place, other) in self.colors.iter().enumerate() {
            let worth = match place == at {
                true => candidate.worth(self.around),
                false => candidate.worth_beside(other),
            };
            if worth < least {
                return;
            }
            row[place] = worth;
        }
        let rest = self.worths.iter().enumerate().filter(|(from, _)| *from != at);
        let rest = rest.flat_map(|(_, row)| row.iter().enumerate());
        if rest.filter(|(to, _)| *to != at).any(|(_, &worth)| worth < least) {
            return;
        }
        for (place, &worth) in row.iter().enumerate() {
            self.worths[place][at] = worth;
        }
        self.worths[at] = row;
        self.colors[at] = candidate;
    }
}

/// Returns whether a colour keeps its usual name: even numbers are blue, odd ones orange or red.
fn is_named(number: usize, Rgb(red, green, blue): Rgb) -> bool {
    let [red, green, blue] = [red, green, blue].map(i32::from);
    if number.is_multiple_of(2) {
        blue >= green + 20 && blue >= red + 50
    } else {
        red >= green + 20 && green >= blue && red >= blue + 80
    }
}

/// Finds the colours of the first players, from a start. The first `named` keep their names.
fn anneal(start: &[Rgb], named: usize, around: &Surroundings, seed: u64) -> (f64, Vec<Rgb>) {
    const STEPS: u32 = 20_000;
    let mut random = Random(seed);
    let mut palette = Palette::new(start, around);
    let mut best = (palette.worth(), start.to_vec());
    for step in 0..STEPS {
        let left = 1.0 - f64::from(step) / f64::from(STEPS);
        let at = random.below(start.len() as u64) as usize;
        let moved = random.near(palette.colors[at].color, 2 + (40.0 * left) as i32);
        // As in simulated annealing: the colours may be a little worse, less and less so.
        let worse = 0.03 * left * left * -random.part().max(1e-9).ln();
        if at < named && !is_named(at, moved) {
            continue;
        }
        palette.replace(at, moved, palette.worth() - worse);
        if palette.worth() > best.0 {
            best = (palette.worth(), palette.colors.iter().map(|color| color.color).collect());
        }
    }
    best
}

/// Returns how well a colour fits beside earlier ones, of which those in `same` share its pattern.
fn gap(color: &Seen, earlier: &[Seen], same: &[Seen], around: &Surroundings) -> f64 {
    let usual = |other: &Seen| color[0].difference(other[0]);
    let beside = earlier.iter().chain(&around.others).map(usual);
    same.iter().map(|other| apart(color, other) / 1.3).chain(beside).fold(f64::INFINITY, f64::min)
}

/// Finds the best of many random colours.
fn best_of(
    random: &mut Random,
    around: &Surroundings,
    mut propose: impl FnMut(&mut Random) -> Rgb,
    fitness: impl Fn(&Seen) -> f64,
) -> Rgb {
    let mut best = (f64::NEG_INFINITY, Rgb::BLACK);
    for _ in 0..6_000 {
        let color = propose(random);
        if around.contrast(color) < CONTRAST {
            continue;
        }
        let worth = fitness(&seen(color));
        if worth > best.0 {
            best = (worth, color);
        }
    }
    best.1
}

/// Returns a second colour for a first one: about the same hue, lighter or darker.
fn second(random: &mut Random, first: Rgb, around: &Surroundings, taken: &[Seen]) -> Rgb {
    let own = seen(first);
    let propose = |random: &mut Random| {
        let away = if random.below(2) == 0 { Rgb::BLACK } else { Rgb::WHITE };
        let shade = mixed(first, away, 15 + random.below(45) as u32);
        random.near(shade, 12)
    };
    best_of(random, around, propose, |color| {
        let others = taken.iter().chain(&around.others);
        let others = others.map(|other| color[0].difference(other[0]));
        others.fold(apart(color, &own) / 1.2, f64::min)
    })
}

fn table(theme: &Theme, start: &[Rgb; ALONE]) -> Vec<(Rgb, Rgb)> {
    let hues = [Hue::Wall, Hue::Wire, Hue::Head, Hue::Tail, Hue::Light, Hue::Hidden, Hue::Accent];
    let around = Surroundings::of(theme, &hues);
    let found = (1..=3).map(|seed| anneal(start, 2, &around, seed));
    let (worth, colors) = found.max_by(|a, b| a.0.total_cmp(&b.0)).expect("there are seeds");
    eprintln!("worth {worth:.3}");
    let mut random = Random(1);
    let mut firsts = colors;
    while firsts.len() < PLAYERS {
        let earlier: Vec<Seen> = firsts.iter().map(|&color| seen(color)).collect();
        let same = firsts.len().checked_sub(PATTERNS).map(|at| earlier[at]);
        let same: Vec<Seen> = same.into_iter().collect();
        let fitness = |color: &Seen| gap(color, &earlier, &same, &around);
        let color = best_of(&mut random, &around, Random::color, fitness);
        firsts.push(color);
    }
    let mut taken: Vec<Seen> = firsts.iter().map(|&color| seen(color)).collect();
    let mut pairs = Vec::new();
    for first in firsts {
        let second = second(&mut random, first, &around, &taken);
        taken.push(seen(second));
        pairs.push((first, second));
    }
    pairs
}

/// Finds the first colours of two players whose things lie side by side, then the second ones.
fn pairs(theme: &Theme, start: &[Rgb; 4]) -> Vec<Rgb> {
    let around = Surroundings::of(theme, &[Hue::Accent, Hue::Hidden]);
    let found = (1..=3).map(|seed| anneal(start, 4, &around, seed));
    let (worth, colors) = found.max_by(|a, b| a.0.total_cmp(&b.0)).expect("there are seeds");
    eprintln!("worth of pairs {worth:.3}");
    colors
}

fn main() {
    let starts = [
        (
            ThemeName::Dark,
            [
                Rgb(90, 160, 255),
                Rgb(255, 140, 40),
                Rgb(40, 180, 120),
                Rgb(244, 220, 70),
                Rgb(255, 150, 200),
                Rgb(150, 230, 255),
            ],
            [Rgb(44, 157, 255), Rgb(255, 130, 24), Rgb(160, 216, 255), Rgb(255, 200, 146)],
        ),
        (
            ThemeName::Light,
            [
                Rgb(0, 72, 213),
                Rgb(190, 60, 0),
                Rgb(0, 110, 80),
                Rgb(94, 53, 0),
                Rgb(190, 40, 120),
                Rgb(20, 20, 40),
            ],
            [Rgb(0, 50, 170), Rgb(140, 40, 0), Rgb(40, 130, 240), Rgb(220, 90, 20)],
        ),
    ];
    for (name, six, four) in starts {
        println!("{name}");
        for (Rgb(r, g, b), Rgb(r2, g2, b2)) in table(&Theme::new(name, GameId::Amoebas), &six) {
            println!("    (Rgb({r}, {g}, {b}), Rgb({r2}, {g2}, {b2})),");
        }
        for Rgb(r, g, b) in pairs(&Theme::new(name, GameId::Cluster), &four) {
            println!("    [{r}, {g}, {b}]");
        }
    }
}
