//! Sentences for people.

use agon_queue::Exclusion;

use crate::Trouble;

/// What follows for a volunteer that takes part no more.
pub(super) const AFTERWARDS: &str = "its results count no more in this run, and others play what \
    was not checked; revoke its credentials if it shall not take part again (agon worker revoke)";

/// Tells why a volunteer takes part no more.
pub(super) fn exclusion(why: &Exclusion) -> String {
    match why {
        Exclusion::Wrong { key } => format!("its result of match {key} was wrong"),
        Exclusion::Drops { taken, incomplete } => format!(
            "of {taken} batches it did not bring {incomplete} back whole, far more than others"
        ),
    }
}

pub(super) fn words(trouble: &Trouble) -> String {
    match trouble {
        Trouble::Lost(why) => format!(
            "the connection to the server is lost ({why}); workers go on, and it is tried again"
        ),
        Trouble::Back => "the connection to the server is there again".to_owned(),
        Trouble::Forgotten => {
            "the server has lost its data; bots and matches are sent again".to_owned()
        }
    }
}
