//! Counts of matches: who met with which places, and how often.
//!
//! Ladders keep millions of matches, but only as many counts as there are pairs. Tables are made
//! from these.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};

use crate::fit::{Choices, Totals};
use crate::graph::{footings, groups, not_behind};
use crate::{
    Options, RatingError, Record, Table, Tally, group::Evidence, record::MAX_PLAYERS, table::Sums,
};

/// Counts of matches by players and places, in little memory: some 26 bytes for each count of two.
///
/// The order in which they are added does not matter.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// The players of each count in order of their numbers, one count after another.
    players: Vec<u32>,
    /// Their places: 0 is the best, and no number is left out.
    places: Vec<u16>,
    /// Where the players of each count end.
    ends: Vec<u32>,
    times: Vec<u64>,
}

/// One count.
#[derive(Clone, Copy)]
struct Count<'a> {
    players: &'a [u32],
    places: &'a [u16],
    times: u64,
}

impl Counts {
    /// Starts without matches.
    pub fn new() -> Counts {
        Counts::default()
    }

    /// Adds a match that happened `times`; 0 adds nothing.
    pub fn add(
        &mut self,
        players: &[usize],
        places: &[u32],
        times: u64,
    ) -> Result<(), RatingError> {
        check(players, places, self.ends.len())?;
        if times == 0 {
            return Ok(());
        }
        let start = self.players.len();
        self.players.extend(players.iter().map(|&player| player as u32));
        self.places.extend(places.iter().map(|place| {
            // The number of better places.
            places.iter().filter(|&other| other < place).count() as u16
        }));
        sort(&mut self.players[start..], &mut self.places[start..]);
        self.ends.push(self.players.len() as u32);
        self.times.push(times);
        Ok(())
    }

    /// Returns the same counts with other numbers of players: each must get a number of its own.
    ///
    /// So counts can be collected before it is known who is in them.
    pub fn renumbered(mut self, number: impl Fn(usize) -> usize) -> Result<Counts, RatingError> {
        let mut start = 0;
        for (at, &end) in self.ends.iter().enumerate() {
            let range = start..end as usize;
            let players = &mut self.players[range.clone()];
            for player in players.iter_mut() {
                let new = number(*player as usize);
                if new >= MAX_PLAYERS {
                    let problem = format!("names player {new}: give a number below {MAX_PLAYERS}");
                    return Err(RatingError::Record { number: at, problem });
                }
                *player = new as u32;
            }
            sort(players, &mut self.places[range]);
            if let Some(two) = players.windows(2).find(|two| two[0] == two[1]) {
                let problem = format!("names player {} twice", two[0]);
                return Err(RatingError::Record { number: at, problem });
            }
            start = end as usize;
        }
        Ok(self)
    }

    fn count(&self, number: usize) -> Count<'_> {
        let start = if number == 0 { 0 } else { self.ends[number - 1] as usize };
        let range = start..self.ends[number] as usize;
        let (players, places) = (&self.players[range.clone()], &self.places[range]);
        Count { players, places, times: self.times[number] }
    }

    fn iter(&self) -> impl Iterator<Item = Count<'_>> {
        (0..self.ends.len()).map(|number| self.count(number))
    }

    /// Counts the matches of the players 0 to `players` - 1.
    fn tallies(&self, players: usize) -> Vec<Tally> {
        let mut sums = Sums::new(players);
        for count in self.iter() {
            let players = count.players.iter().map(|&player| player as usize);
            sums.add(players, count.places, count.times);
        }
        sums.into_tallies()
    }

    /// Rates all players by all matches at once.
    ///
    /// The table is that of [`table`](crate::table()) for a list in which each match comes as
    /// often as it is counted, up to rounding. Time and memory depend on the number of counts, not
    /// of matches. With 10 000 players and a million pairs, see `docs/ratings.md`.
    pub fn table(self, options: &Options) -> Result<Table, RatingError> {
        options.check()?;
        let named = self.players.iter().max().map_or(0, |&last| last as usize + 1);
        let players = options.players.max(named);
        let tallies = self.tallies(players);
        let members = self.iter().map(|count| count.players.iter().map(|&one| one as usize));
        let groups = groups(players, members);
        let mut local = vec![(0, 0); players];
        for (number, members) in groups.iter().enumerate() {
            members.iter().enumerate().for_each(|(at, &player)| local[player] = (number, at));
        }
        let order = self.sorted(|player| local[player as usize].0);
        let mut rest = &order[..];
        let evidence = |(number, members): (usize, Vec<usize>)| {
            let of_group = |&&at: &&u32| local[self.first(at)].0 == number;
            let (own, others) = rest.split_at(rest.iter().take_while(of_group).count());
            rest = others;
            let evidence = self.evidence(members.len(), own, |player| local[player as usize].1);
            (members, evidence)
        };
        Table::new(&tallies, groups.into_iter().enumerate().map(evidence), options)
    }

    fn first(&self, number: u32) -> usize {
        self.count(number as usize).players[0] as usize
    }

    /// Returns the numbers of the counts by group, number of players, players and places.
    fn sorted(&self, group: impl Fn(u32) -> usize) -> Vec<u32> {
        let compare = |one: &u32, other: &u32| -> Ordering {
            let [one, other] = [one, other].map(|&number| self.count(number as usize));
            group(one.players[0])
                .cmp(&group(other.players[0]))
                .then(one.players.len().cmp(&other.players.len()))
                .then_with(|| one.players.cmp(other.players))
                .then_with(|| one.places.cmp(other.places))
        };
        let mut order: Vec<u32> = (0..self.ends.len() as u32).collect();
        order.sort_unstable_by(compare);
        order
    }

    /// Sums up the counts of a group, which are sorted; `local` numbers its players.
    fn evidence(&self, players: usize, own: &[u32], local: impl Fn(u32) -> usize) -> Evidence {
        let counts = || own.iter().map(|&number| self.count(number as usize));
        let mut sums = ChoiceSums::new(players);
        let mut sizes: BTreeMap<usize, f64> = BTreeMap::new();
        let mut matches = 0u64;
        for count in counts() {
            sums.add(&count, &local);
            *sizes.entry(count.players.len()).or_default() += count.times as f64;
            matches = matches.saturating_add(count.times);
        }
        let pairs = counts().flat_map(|count| not_behind(count.players, count.places));
        let footings = footings(players, pairs.map(|(one, other)| (local(one), local(other))));
        let (choices, totals) = sums.finish();
        let matches = usize::try_from(matches).unwrap_or(usize::MAX);
        Evidence { choices, totals, sizes, footings, matches }
    }
}

/// Sorts the players of a match together with their places.
fn sort(players: &mut [u32], places: &mut [u16]) {
    // They are few, so that the simplest way of sorting is quick.
    for at in 1..players.len() {
        let mut here = at;
        while here > 0 && players[here - 1] > players[here] {
            players.swap(here - 1, here);
            places.swap(here - 1, here);
            here -= 1;
        }
    }
}

/// Checks a match without making a record of it.
fn check(players: &[usize], places: &[u32], number: usize) -> Result<(), RatingError> {
    match (players, places) {
        (&[one, other], [_, _]) if one != other && one.max(other) < MAX_PLAYERS => Ok(()),
        _ if players.len() > usize::from(u16::MAX) + 1 => {
            let problem = format!("has {} players: give at most 65536", players.len());
            Err(RatingError::Record { number, problem })
        }
        _ => Record::new(players, places).check(number),
    }
}

/// Sums over choices, under way.
struct ChoiceSums {
    players: usize,
    sets: Vec<Box<[u32]>>,
    counts: Vec<f64>,
    observed: Vec<f64>,
    /// The weight of ties of each order above 1.
    ties: BTreeMap<usize, f64>,
    /// The numbers of sets with more than two players, and of those that are left of them.
    numbers: HashMap<Box<[u32]>, usize>,
}

impl ChoiceSums {
    fn new(players: usize) -> ChoiceSums {
        ChoiceSums {
            players,
            sets: Vec::new(),
            counts: Vec::new(),
            observed: vec![0.0; players],
            ties: BTreeMap::new(),
            numbers: HashMap::new(),
        }
    }

    fn add(&mut self, count: &Count<'_>, local: &impl Fn(u32) -> usize) {
        let weight = count.times as f64;
        // A group's members are numbered in order, so that the set stays sorted.
        let mut rest: Vec<(u32, u16)> =
            count.players.iter().zip(count.places).map(|(&p, &at)| (local(p) as u32, at)).collect();
        while rest.len() > 1 {
            let set = self.number(rest.iter().map(|member| member.0).collect());
            self.counts[set] += weight;
            let best = rest.iter().map(|member| member.1).min().unwrap_or(0);
            let size = rest.iter().filter(|member| member.1 == best).count();
            for &(player, _) in rest.iter().filter(|member| member.1 == best) {
                self.observed[player as usize] += weight / size as f64;
            }
            if size > 1 {
                *self.ties.entry(size).or_default() += weight;
            }
            rest.retain(|member| member.1 != best);
        }
    }

    /// Returns the number of a set, and adds it if it is new.
    fn number(&mut self, set: Box<[u32]>) -> usize {
        // Counts of two come first, and those of a pair together.
        if self.sets.last() == Some(&set) {
            return self.sets.len() - 1;
        }
        if self.numbers.is_empty() && set.len() == 2 {
            self.push(set);
            return self.sets.len() - 1;
        }
        if self.numbers.is_empty() {
            // Larger matches leave pairs, which may be known.
            let known = self.sets.iter().cloned().zip(0..);
            self.numbers = known.collect();
        }
        match self.numbers.get(&set) {
            Some(&number) => number,
            None => {
                self.numbers.insert(set.clone(), self.sets.len());
                self.push(set);
                self.sets.len() - 1
            }
        }
    }

    fn push(&mut self, set: Box<[u32]>) {
        self.sets.push(set);
        self.counts.push(0.0);
    }

    fn finish(self) -> (Choices, Totals) {
        let orders: Vec<usize> = std::iter::once(1).chain(self.ties.keys().copied()).collect();
        let mut observed = self.observed;
        observed.extend(self.ties.values());
        let choices = Choices::of_sets(self.players, orders, self.sets);
        (choices, Totals { counts: self.counts, observed })
    }
}
