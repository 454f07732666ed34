//! Sentences in a report: warnings for readers of the tables, and which bot is the strongest.

use agon_rating::Footing;

use crate::report::{
    Rating, Report,
    number::{listed, percent},
};

/// The warning for plans with `share_jvm`.
pub(crate) const SHARED_JVM: &str =
    "Species in Clojure share a JVM (share_jvm), in which they can reach each other.";

/// The number of matches below which a rating says little.
const FEW: u64 = 10;

/// Returns warnings, a sentence each, the most serious first.
pub(crate) fn warnings(report: &Report<'_>) -> Vec<String> {
    let mut warnings = Vec::new();
    let rated = || report.ratings.iter().filter(|rating| rating.is_rated());
    let groups = rated().map(|rating| rating.group + 1).max().unwrap_or(0);
    if groups > 1 {
        warnings.push(format!(
            "The bots form {groups} groups that never met: ratings of different groups cannot be \
             compared."
        ));
    }
    if let Some(circle) = report.circles.first() {
        warnings.push(format!(
            "The field is cyclic: {} beat each other in a circle, so no order of strength fits all \
             results.",
            listed(&circle.bots)
        ));
    }
    for footing in [Footing::OpenAbove, Footing::OpenBelow, Footing::Open] {
        let bots: Vec<&str> = rated().filter(|r| r.footing == footing).map(|r| r.bot).collect();
        warnings.extend(footing.sentence(&listed(&bots), bots.len(), "bot"));
    }
    let few: Vec<&str> =
        rated().filter(|rating| rating.matches < FEW).map(|rating| rating.bot).collect();
    if few.len() > 1 && few.len() == rated().count() {
        warnings.push(format!("No bot has {FEW} matches yet, so the ratings say little."));
    } else if !few.is_empty() {
        let rating = if few.len() == 1 { "rating says" } else { "ratings say" };
        let few = listed(&few);
        warnings.push(format!("{few}: fewer than {FEW} matches, so the {rating} little."));
    }
    let idle: Vec<&str> = report
        .ratings
        .iter()
        .filter(|rating| !rating.is_rated())
        .map(|rating| rating.bot)
        .collect();
    if !idle.is_empty() {
        warnings.push(format!("{}: no matches, so no rating.", listed(&idle)));
    }
    if report.widened > 1.0 {
        warnings.push(format!(
            "Adaptive: results decided who played next, which draws ratings apart. Their intervals \
             are widened by a factor of {}.",
            report.widened
        ));
    }
    warnings.extend(broken(report));
    warnings
}

/// Names bots with faults in at least half of their matches.
///
/// Their place may reflect the faults more than their play.
fn broken(report: &Report<'_>) -> Option<String> {
    let often = |place: &&crate::report::Place<'_>| {
        // A match with two kinds of faults counts for both. So only the largest count is certain.
        let lines = report.faults.iter().filter(|line| line.number == place.number);
        2 * lines.map(|line| line.matches).max().unwrap_or(0) >= place.matches.max(1)
    };
    let bots: Vec<&str> = report.standing.iter().filter(often).map(|place| place.bot).collect();
    let place = if bots.len() == 1 { "the place" } else { "the places" };
    (!bots.is_empty()).then(|| {
        format!(
            "{}: faults in at least half of the matches; {place} may say more about them than \
             about play.",
            listed(&bots)
        )
    })
}

/// The probability from which a bot is called the strongest.
///
/// Between two equal bots, chance reaches it in one tournament of twenty, since either may
/// be lucky.
const SURE: f64 = 0.975;

/// The probability from which a bot is called probably the strongest. Of two equal bots, each has
/// half.
const LIKELY: f64 = 0.75;

/// Names the strongest bot, with its probability; `None` if groups never met.
pub(crate) fn verdict(report: &Report<'_>) -> Option<String> {
    let best = report.ratings.first().filter(|rating| rating.is_rated())?;
    if report.ratings.iter().any(|rating| rating.is_rated() && rating.group != best.group) {
        return None;
    }
    let places = report.standing.iter();
    let waiting: Vec<&str> =
        places.filter(|place| place.matches == 0).map(|place| place.bot).collect();
    if !waiting.is_empty() {
        let verb = if waiting.len() == 1 { "has" } else { "have" };
        return Some(format!(
            "It is too early to name the strongest bot: {} {verb} not played yet.",
            listed(&waiting)
        ));
    }
    // It is estimated from samples, so 1 is not quite certain.
    let sure = best.rank_probabilities.first()?.min(0.9995);
    let name = best.bot;
    Some(match sure {
        sure if sure >= SURE => {
            format!("{name} is the strongest of these bots (probability {}).", percent(sure))
        }
        sure if sure >= LIKELY => format!(
            "{name} is probably the strongest of these bots (probability {}). Play more matches \
             to make sure.",
            percent(sure)
        ),
        sure => {
            let open = "The results leave open which bot is the strongest.";
            match equals(report)[..] {
                [_] => format!(
                    "{open} {name} has the highest rating, but is the strongest only with a \
                     probability of {}.",
                    percent(sure)
                ),
                ref bots => format!("{open} {} have the same, highest rating.", listed(bots)),
            }
        }
    })
}

/// Returns the bots with the highest rating, to a tenth of a point.
fn equals<'a>(report: &Report<'a>) -> Vec<&'a str> {
    let highest = report.ratings.first().map(|best| best.elo);
    let is_equal = |rating: &&Rating<'_>| rating.is_rated() && highest == Some(rating.elo);
    report.ratings.iter().filter(is_equal).map(|rating| rating.bot).collect()
}
