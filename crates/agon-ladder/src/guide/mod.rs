//! Plain texts for programs that read, such as coding agents: how to write a bot, and how to take
//! part in an arena of a ladder.
//!
//! The documentation as a site and the ladder server serve them as `agents.txt`. What both say
//! comes from here: the files in `text`, and the page of the protocol.
//!
//! | module | contents |
//! | --- | --- |
//! | `site` | [`for_site`]: the text of the documentation; what it shares with arenas |
//! | `arena` | [`ArenaGuide`]: the text of an arena |
//! | [`markdown`] | links and sections of pages |

mod arena;
pub mod markdown;
mod site;

pub use arena::{ArenaGuide, Starter, ranks, sources};
pub use site::{RANKING, for_site};
