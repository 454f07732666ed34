//! Checks finals: their draws, their terms, and which matches were planned.

use agon_core::Purpose;

use super::{AuditError, Auditor, Progress, Sample, Terms, optional};
use crate::ledger::{
    ArenaBook, Books, Draw, FinalBook, FinalTerms, Inputs, LINKS, check_draw, check_plan,
};

impl Sample {
    /// Returns the parts of a draw's hashes that are computed again: all, or one for five matches,
    /// because each takes seconds.
    pub(super) fn parts(self) -> Vec<usize> {
        match self {
            Sample::All => (0..LINKS).collect(),
            Sample::Some(matches, seed) => {
                let mut parts: Vec<usize> = (0..LINKS).collect();
                seed.stream(Purpose::Order, 1).shuffle(&mut parts);
                parts.truncate(matches.div_ceil(5).min(LINKS));
                parts
            }
        }
    }
}

impl Auditor<'_> {
    /// Checks the final of an arena: its draw, its terms, its matches.
    pub(super) fn check_final(
        &mut self,
        books: &Books,
        arena: u64,
        book: &ArenaBook,
        watch: &mut impl FnMut(Progress),
    ) -> Result<(), AuditError> {
        let FinalBook { inputs: Some(_), drawn, .. } = &book.finals else { return Ok(()) };
        let served = optional(self.source.get(&format!("log/finals/{arena}.json")))?;
        let draw: Option<Draw> = served.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let Some(draw) = draw else {
            self.find(arena, None, "the log has a final, but the server does not show its draw");
            return Ok(());
        };
        if let Err(what) = check_draw(books, arena, &draw) {
            self.find(arena, None, what);
            return Ok(());
        }
        // It is being computed.
        let Some(drawn) = drawn else { return Ok(()) };
        let terms = self.terms(arena, book.terms)?;
        let final_book = books.arenas.get(&drawn.into);
        let of_final = self.terms(drawn.into, final_book.and_then(|book| book.terms))?;
        let (Some(terms), Some(of_final)) = (terms, of_final) else { return Ok(()) };
        let Inputs { steps, players, games, .. } = draw.inputs;
        if terms.finals != Some(FinalTerms { games, steps }) || terms.players != players {
            self.find(arena, None, "its draw has other numbers than its terms");
            return Ok(());
        }
        if !terms.plays_as(&of_final) {
            self.find(drawn.into, None, "the final has other rules or limits than the season");
        }
        let planned = check_plan(books, drawn, &draw);
        if let Err((number, what)) = planned {
            self.find(drawn.into, number, what);
        }
        let parts = self.options.sample.parts();
        for (done, &part) in parts.iter().enumerate() {
            watch(Progress::Parts(done as u64, parts.len() as u64));
            match draw.check_part(part) {
                Ok(()) => self.report.parts += 1,
                Err(error) => self.find(arena, None, format!("the draw of its final: {error}")),
            }
        }
        self.report.finals += 1;
        let planned = draw.inputs.matches(drawn.seed).map_or(0, |matches| matches.len());
        let played = final_book.map_or(0, ArenaBook::with_results);
        self.report.unfinished += u64::from(played < planned);
        Ok(())
    }
}

impl Terms {
    /// Returns whether matches are played in the same way.
    pub(super) fn plays_as(&self, other: &Terms) -> bool {
        let all = |terms: &Terms| {
            let rest = ["max_turns", "preset"].map(|name| terms.rest.get(name).cloned());
            let Terms { game, rules_version, rules, matches, players, .. } = terms.clone();
            (game, rules_version, rules, matches, players, rest)
        };
        all(self) == all(other)
    }
}
