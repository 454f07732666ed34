//! What a reader of the table should know.

use agon_rating::Footing;

use crate::{
    Report,
    number::{listed, percent},
};

/// Said of plans with `share_jvm`.
pub(crate) const SHARED_JVM: &str =
    "Species in Clojure share a JVM (share_jvm), in which they can reach each other.";

/// With fewer matches a rating says little.
const FEW: u64 = 10;

/// Warnings, a sentence each, the gravest first.
pub(crate) fn warnings(report: &Report<'_>) -> Vec<String> {
    let mut warnings = Vec::new();
    let rated = || report.ratings.iter().filter(|rating| rating.is_rated());
    let groups = rated().map(|rating| rating.group + 1).max().unwrap_or(0);
    if groups > 1 {
        warnings.push(format!(
            "{groups} groups of bots never met: ratings of different groups cannot be compared."
        ));
    }
    if let Some(circle) = report.circles.first() {
        warnings.push(format!(
            "The field is cyclic: {} beat each other in a circle, which no order of strength can show.",
            listed(&circle.bots)
        ));
    }
    for (footing, what) in [
        (Footing::OpenAbove, "never behind the others: the true rating may be any amount higher"),
        (Footing::OpenBelow, "never ahead of the others: the true rating may be any amount lower"),
        (Footing::Open, "not held by wins and losses on both sides: the rating is a guess"),
    ] {
        let bots: Vec<&str> = rated().filter(|r| r.footing == footing).map(|r| r.bot).collect();
        if !bots.is_empty() {
            warnings.push(format!("{}: {what}.", listed(&bots)));
        }
    }
    let few: Vec<&str> = rated().filter(|rating| rating.matches < FEW).map(|rating| rating.bot).collect();
    if few.len() > 1 && few.len() == rated().count() {
        warnings.push(format!("No bot has {FEW} matches yet: ratings say little."));
    } else if !few.is_empty() {
        warnings.push(format!("{}: fewer than {FEW} matches, which say little.", listed(&few)));
    }
    let idle: Vec<&str> =
        report.ratings.iter().filter(|rating| !rating.is_rated()).map(|rating| rating.bot).collect();
    if !idle.is_empty() {
        warnings.push(format!("{}: no matches, so no rating.", listed(&idle)));
    }
    warnings.extend(broken(report));
    warnings
}

/// Bots with faults in half of their matches or more: where they stand says more of that than of how they play.
fn broken(report: &Report<'_>) -> Option<String> {
    let often = |place: &&crate::Place<'_>| {
        // A match with two kinds of faults counts for both, so that the greatest is what is known for sure.
        let lines = report.faults.iter().filter(|line| line.number == place.number);
        2 * lines.map(|line| line.matches).max().unwrap_or(0) >= place.matches.max(1)
    };
    let bots: Vec<&str> = report.standing.iter().filter(often).map(|place| place.bot).collect();
    (!bots.is_empty())
        .then(|| format!("{}: faults in half of the matches or more, which decide the place.", listed(&bots)))
}

/// Who is the best, and how sure that is; `None` if nothing can be said, as of groups that never met.
pub(crate) fn verdict(report: &Report<'_>) -> Option<String> {
    let best = report.ratings.first().filter(|rating| rating.is_rated())?;
    if report.ratings.iter().any(|rating| rating.is_rated() && rating.group != best.group) {
        return None;
    }
    // It is drawn from samples, so that 1 is not quite sure.
    let sure = best.rank_probabilities.first()?.min(0.9995);
    let name = best.bot;
    Some(match sure {
        sure if sure >= 0.95 => format!("{name} is the strongest bot ({}).", percent(sure)),
        sure if sure >= 0.5 => {
            format!("{name} is probably the strongest bot ({}); more matches would tell.", percent(sure))
        }
        sure => format!("It is open who is the strongest: {name} with {}.", percent(sure)),
    })
}
