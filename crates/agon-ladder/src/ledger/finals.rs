//! What the log says of finals, and whether they are what their draws say.

use agon_core::Seed;
use agon_match::spec::Digest;

use crate::ledger::{Books, Draw, Pairing, from_hex, planned_place};

/// What the log says of the final of an arena; and, for the arena in which a final is played, what
/// was planned there.
#[derive(Clone, Debug, Default)]
pub struct FinalBook {
    /// The digest of the server's secret.
    pub pledge: Option<Digest>,
    /// The digest of what the seed is made of.
    pub inputs: Option<Digest>,
    /// What came of it.
    pub drawn: Option<Drawn>,
    /// The arena whose final is played here.
    pub of: Option<u64>,
    /// The matches that were planned here, if it is a final.
    pub(crate) planned: Vec<Pairing>,
    /// Those of them that could not be played.
    pub(crate) given_up: Vec<u64>,
}

/// A draw, as the log has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawn {
    /// The arena in which the final is played.
    pub into: u64,
    /// The digest of the hashes.
    pub links: Digest,
    /// The seed.
    pub seed: Seed,
}

/// Returns whether a nonce has the digest that came with its version.
pub(crate) fn nonce_fits(nonce: &str, pledge: Option<Digest>) -> bool {
    from_hex(nonce).is_some_and(|nonce| Some(Digest::of(&nonce)) == pledge)
}

/// Compares the draw of an arena's final with the log: the secret, the versions, the nonces, the
/// hashes' digest and the seed. The hashes themselves are checked by [`Draw::check_part`].
///
/// # Errors
/// If they differ: what is wrong.
pub fn check_draw(books: &Books, arena: u64, draw: &Draw) -> Result<(), String> {
    let text = |text: &str| Err(text.to_owned());
    let book = books.arenas.get(&arena).ok_or("the log does not know the arena")?;
    let FinalBook { pledge, inputs, drawn, .. } = &book.finals;
    if Some(draw.inputs.digest()) != *inputs || draw.inputs.arena != arena {
        return text("its final has other inputs than the log says");
    }
    let secret = from_hex(&draw.inputs.secret).map(|secret| Digest::of(&secret));
    if secret.is_none() || secret != *pledge {
        return text("the secret of its final is not the one that was promised");
    }
    let mut bots = Vec::new();
    for entrant in &draw.inputs.entrants {
        let version = books.versions.get(&entrant.version);
        let version = version.filter(|version| version.arena == arena);
        let Some(version) = version else {
            return text("its final has a version that was not handed in there");
        };
        if version.source != entrant.source || version.nonce != entrant.nonce {
            return Err(format!(
                "its final has version {} with other files or another nonce than the log",
                entrant.version
            ));
        }
        bots.push(version.bot);
    }
    bots.sort_unstable();
    let is_once = bots.windows(2).all(|pair| pair[0] != pair[1]);
    if !is_once || !draw.inputs.entrants.is_sorted_by_key(|entrant| entrant.version) {
        return text("a bot is in its final twice, or the order is wrong");
    }
    let Some(drawn) = drawn else { return Ok(()) };
    if draw.digest() != drawn.links || draw.seed() != Ok(drawn.seed) {
        return text("the seed of its final is not the one of the log");
    }
    Ok(())
}

/// Compares what was planned in a final with what its seed demands.
///
/// A match that could not be played is played again once all others are planned.
///
/// # Errors
/// If they differ: the match, if it is about one, and what is wrong.
pub fn check_plan(books: &Books, drawn: &Drawn, draw: &Draw) -> Result<(), (Option<u64>, String)> {
    let all = |what: &str| Err((None, what.to_owned()));
    let Some(book) = books.arenas.get(&drawn.into) else {
        return all("the log does not know the arena of its final");
    };
    let source = |version: &u64| books.versions.get(version).map(|book| book.source);
    let sources: Vec<_> = book.entered.iter().filter_map(source).collect();
    let expected: Vec<_> = draw.inputs.entrants.iter().map(|entrant| entrant.source).collect();
    if sources != expected {
        return all("other versions play in its final than were drawn");
    }
    let matches = match draw.inputs.matches(drawn.seed) {
        Ok(matches) => matches,
        Err(error) => return Err((None, error.to_string())),
    };
    let finals = &book.finals;
    for (place, pairing) in finals.planned.iter().enumerate() {
        let Some(original) = planned_place(place, matches.len(), &finals.given_up) else {
            return Err((Some(pairing.number), "its final has more matches than drawn".to_owned()));
        };
        let game = &matches[original];
        let versions: Vec<u64> = game.seats.iter().map(|&seat| book.entered[seat]).collect();
        let is_next = pairing.number == place as u64 + 1;
        if !is_next || pairing.versions != versions || pairing.seed != game.seed.to_string() {
            let what = "the draw of the final has another match here";
            return Err((Some(pairing.number), what.to_owned()));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::{
        Contradiction, DrawError, Entry, FinalEntrant, Inputs, LINKS, Link, chain, to_hex,
    };

    const SECRET: Link = [1; 32];
    const NONCE: Link = [2; 32];

    /// The draw of a final of two bots, computed in few steps.
    fn draw(change: impl FnOnce(&mut Inputs)) -> Draw {
        let entrant = |version, nonce: Option<&Link>| FinalEntrant {
            version,
            source: Some(Digest::of(&[version as u8])),
            nonce: nonce.map(to_hex),
        };
        let mut inputs = Inputs {
            arena: 1,
            secret: to_hex(&SECRET),
            steps: LINKS as u64,
            players: 2,
            games: 2,
            entrants: vec![entrant(10, Some(&NONCE)), entrant(20, None)],
        };
        change(&mut inputs);
        let (mut hash, steps) = (inputs.start(), inputs.steps_of_part().unwrap());
        let links = (0..LINKS).map(|_| {
            hash = chain(hash, steps);
            to_hex(&hash)
        });
        Draw { links: links.collect(), inputs }
    }

    fn handed_in(arena: u64, version: u64, source: u8, nonce: Option<Digest>) -> Entry {
        let source = Digest::of(&[source]);
        Entry::HandIn { arena, bot: version, version, number: 1, source, nonce }
    }

    /// The log of a final that is played as its draw says.
    fn log(draw: &Draw) -> Vec<Entry> {
        let drawn = Entry::Drawn {
            arena: 1,
            into: 2,
            links: draw.digest(),
            seed: draw.seed().unwrap().to_string(),
        };
        let mut entries = vec![
            Entry::Pledge { arena: 1, pledge: Digest::of(&SECRET) },
            handed_in(1, 10, 10, Some(Digest::of(&NONCE))),
            handed_in(1, 20, 20, None),
            Entry::Nonce { version: 10, nonce: to_hex(&NONCE) },
            Entry::Closed { arena: 1, inputs: draw.inputs.digest() },
            drawn,
            handed_in(2, 110, 10, None),
            handed_in(2, 120, 20, None),
        ];
        let matches = draw.inputs.matches(draw.seed().unwrap()).unwrap();
        let planned = (1..).zip(&matches).map(|(number, game)| Entry::Pairings {
            arena: 2,
            matches: vec![Pairing {
                number,
                seed: game.seed.to_string(),
                versions: game.seats.iter().map(|&seat| [110, 120][seat]).collect(),
            }],
        });
        entries.extend(planned);
        entries
    }

    fn read(entries: &[Entry]) -> Result<Books, Contradiction> {
        let mut books = Books::default();
        for (at, entry) in (0..).zip(entries) {
            books.add(at, entry, |_| ())?;
        }
        Ok(books)
    }

    fn plan(books: &Books, draw: &Draw) -> Result<(), (Option<u64>, String)> {
        let drawn = books.arenas[&1].finals.drawn.clone().unwrap();
        check_plan(books, &drawn, draw)
    }

    #[test]
    fn each_part_is_checked_alone() {
        let draw = draw(|inputs| inputs.steps *= 10);
        assert!((0..LINKS).all(|part| draw.check_part(part).is_ok()));
        let mut wrong = draw.clone();
        wrong.links[9] = to_hex(&[0; 32]);
        assert_eq!(wrong.check_part(9), Err(DrawError::Link(9)));
        assert_eq!(wrong.check_part(10), Err(DrawError::Link(10)));
        assert_eq!(wrong.check_part(8), Ok(()));
        wrong.links.truncate(20);
        assert_eq!(wrong.check_part(20), Err(DrawError::Incomplete));
        assert_eq!(wrong.seed(), Err(DrawError::Incomplete));
        let mut odd = draw.clone();
        odd.inputs.steps += 1;
        assert_eq!(odd.inputs.steps_of_part(), Err(DrawError::Steps));
        odd.inputs.steps = 1 << 60;
        assert_eq!(odd.check_part(0), Err(DrawError::Steps), "nobody waits for so long");
        odd.inputs.steps = 20 * LINKS as u64;
        assert_eq!(odd.check_part(0), Err(DrawError::Link(0)), "the steps are among the inputs");
    }

    #[test]
    fn each_input_changes_the_seed() {
        let seed = |change: fn(&mut Inputs)| draw(change).seed().unwrap();
        let all = [
            seed(|_| ()),
            seed(|inputs| inputs.secret = to_hex(&[3; 32])),
            seed(|inputs| inputs.entrants[1].nonce = Some(to_hex(&[4; 32]))),
            seed(|inputs| inputs.entrants[0].source = Some(Digest::of(b"other"))),
            seed(|inputs| inputs.arena = 8),
        ];
        let different: std::collections::BTreeSet<_> = all.iter().collect();
        assert_eq!(different.len(), all.len());
    }

    #[test]
    fn a_final_as_it_was_drawn_is_fine() {
        let draw = draw(|_| ());
        let mut entries = log(&draw);
        let books = read(&entries).unwrap();
        assert_eq!(check_draw(&books, 1, &draw), Ok(()));
        assert_eq!(plan(&books, &draw), Ok(()));
        // What could not be played is played again.
        let again = match &entries[8] {
            Entry::Pairings { arena, matches } => {
                let again = Pairing { number: 3, ..matches[0].clone() };
                Entry::Pairings { arena: *arena, matches: vec![again] }
            }
            other => panic!("{other:?}"),
        };
        entries.extend([Entry::GivenUp { arena: 2, number: 1 }, again.clone()]);
        assert_eq!(plan(&read(&entries).unwrap(), &draw), Ok(()));
        // But not what could.
        entries.remove(entries.len() - 2);
        let found = plan(&read(&entries).unwrap(), &draw).unwrap_err();
        assert_eq!(found, (Some(3), "its final has more matches than drawn".to_owned()));
    }

    #[test]
    fn other_inputs_than_those_of_the_log_are_found() {
        let other = Some(to_hex(&[9; 32]));
        let all: [(&str, Draw); 5] = [
            ("secret", draw(|inputs| inputs.secret = to_hex(&[9; 32]))),
            ("nonce", draw(|inputs| inputs.entrants[0].nonce = None)),
            ("nonce", draw(|inputs| inputs.entrants[1].nonce = other)),
            ("files", draw(|inputs| inputs.entrants[1].source = None)),
            ("not handed in", draw(|inputs| inputs.entrants[1].version = 21)),
        ];
        for (what, draw) in all {
            // The server tells the log the same lie.
            let books = read(&log(&draw)).unwrap();
            let found = check_draw(&books, 1, &draw).unwrap_err();
            assert!(found.contains(what), "{what}: {found}");
        }
        let (honest, other) = (draw(|_| ()), draw(|inputs| inputs.games = 4));
        let found = check_draw(&read(&log(&honest)).unwrap(), 1, &other).unwrap_err();
        assert!(found.contains("other inputs"), "{found}");
        let mut entries = log(&honest);
        if let Entry::Drawn { seed, .. } = &mut entries[5] {
            *seed = "5".to_owned();
        }
        let found = check_draw(&read(&entries).unwrap(), 1, &honest).unwrap_err();
        assert!(found.contains("seed"), "{found}");
    }

    #[test]
    fn matches_that_were_not_drawn_are_found() {
        let draw = draw(|_| ());
        let changes: [fn(&mut Pairing); 3] = [
            |pairing| pairing.seed = "1".to_owned(),
            |pairing| pairing.versions.reverse(),
            |pairing| pairing.number += 5,
        ];
        for change in changes {
            let mut entries = log(&draw);
            if let Some(Entry::Pairings { matches, .. }) = entries.last_mut() {
                change(&mut matches[0]);
            }
            let found = plan(&read(&entries).unwrap(), &draw).unwrap_err();
            assert!(found.1.contains("another match"), "{found:?}");
        }
        let mut entries = log(&draw);
        entries.swap(6, 7);
        let found = plan(&read(&entries).unwrap(), &draw).unwrap_err();
        assert!(found.1.contains("other versions"), "{found:?}");
    }

    #[test]
    fn the_order_of_a_draw_is_kept() {
        let entries = log(&draw(|_| ()));
        let nonce = || Entry::Nonce { version: 10, nonce: to_hex(&NONCE) };
        let wrong_nonce = Entry::Nonce { version: 10, nonce: to_hex(&[9; 32]) };
        let no_nonce = Entry::Nonce { version: 20, nonce: to_hex(&NONCE) };
        let part = |range: std::ops::Range<usize>| entries[range].to_vec();
        let with = |range, more: &[Entry]| read(&[part(range), more.to_vec()].concat()).err();
        let of_final = Some(Contradiction::Final(1));
        assert_eq!(with(0..3, &[wrong_nonce]), Some(Contradiction::Nonce(10)));
        assert_eq!(with(0..3, &[no_nonce]), Some(Contradiction::Nonce(20)));
        assert_eq!(with(0..4, &[nonce()]), Some(Contradiction::Nonce(10)), "twice");
        let without: Vec<Entry> = [part(0..3), part(4..5), vec![nonce()]].concat();
        assert_eq!(read(&without).err(), Some(Contradiction::Nonce(10)), "too late");
        assert_eq!(with(0..1, &part(0..1)), of_final, "two secrets");
        assert_eq!(with(1..5, &[]), of_final, "no secret");
        assert_eq!(with(0..5, &part(4..5)), of_final, "closed twice");
        assert_eq!(with(0..4, &part(5..6)), of_final, "not closed");
        assert_eq!(with(0..6, &part(5..6)), of_final, "drawn twice");
    }
}
