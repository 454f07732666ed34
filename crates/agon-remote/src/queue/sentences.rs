//! Sentences for people.

use crate::Trouble;

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
