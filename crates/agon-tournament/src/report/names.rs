//! Names and numbers of the bots of a plan, which the parts of a report look up.

use std::collections::HashMap;

use crate::{Plan, Record};
use agon_rating::Record as Rated;

use crate::report::ReportError;

/// The bots of a plan by name and by number.
#[derive(Debug)]
pub(crate) struct Names<'a> {
    list: Vec<&'a str>,
    numbers: HashMap<&'a str, usize>,
}

impl<'a> Names<'a> {
    pub(crate) fn new(plan: &'a Plan) -> Names<'a> {
        let list: Vec<&str> = plan.bots.iter().map(|bot| bot.name.as_str()).collect();
        let numbers = list.iter().enumerate().map(|(number, &name)| (name, number)).collect();
        Names { list, numbers }
    }

    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    /// Returns the name of a bot of the plan.
    pub(crate) fn of(&self, number: usize) -> &'a str {
        self.list[number]
    }

    pub(crate) fn number(&self, name: &str) -> Option<usize> {
        self.numbers.get(name).copied()
    }

    /// Returns matches in the form that ratings need. Those on one mirrored seed depend on
    /// each other.
    pub(crate) fn rated(
        &self,
        plan: &Plan,
        records: &[&Record],
    ) -> Result<Vec<Rated>, ReportError> {
        let rated = |record: &Record| {
            let number = |name: &String| {
                self.number(name)
                    .ok_or_else(|| ReportError::Bot { id: record.id, name: name.clone() })
            };
            let players = record.seats.iter().map(number).collect::<Result<Vec<_>, _>>()?;
            let rated = Rated::new(&players, &record.places);
            // Seeds depend on the place in the tournament, so no two pairings share one.
            Ok(if plan.mirrored { rated.clustered(record.seed.number()) } else { rated })
        };
        records.iter().copied().map(rated).collect()
    }
}
