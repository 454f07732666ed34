//! Says when an arena takes no hand-ins.

use super::parts::number::as_sentence;
use crate::{
    arena_handle::ArenaHandle,
    store::{
        arenas::Arrival,
        bots::{Bot, StoppedBy},
    },
};

/// Says why nothing can be handed in, if nothing can.
///
/// `extension` is the author's later deadline, if there is one.
pub(super) fn closed(
    arena: &ArenaHandle,
    bot: Option<&Bot>,
    arrival: Arrival,
    extension: Option<i64>,
) -> Option<String> {
    let of = arena.get();
    let season = &of.settings.season;
    if let Some(why) = of.settings.outdated() {
        return Some(as_sentence(&why));
    }
    if of.settings.final_of.is_some() {
        return Some("This is a final: its versions cannot change any more.".to_owned());
    }
    let stopped = bot.and_then(|bot| bot.stopped.as_ref());
    if let Some(stopped) = stopped.filter(|stopped| stopped.by == StoppedBy::Organiser) {
        return Some(format!("An organiser disqualified your bot: {}.", stopped.why));
    }
    if season.begin.is_some_and(|begin| arrival.began < begin) {
        return Some("The season has not begun.".to_owned());
    }
    if season.is_open(arrival.began, extension) && !season.takes(arrival, extension) {
        return Some(
            "The deadline has passed: the upload began in time, but took longer than a minute \
             after it."
                .to_owned(),
        );
    }
    (!season.takes(arrival, extension)).then(|| "The deadline has passed.".to_owned())
}
