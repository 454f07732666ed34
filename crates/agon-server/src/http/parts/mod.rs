//! What pages share.
//!
//! | module | contents |
//! | --- | --- |
//! | `layout` | the frames of pages: of all, of an arena's, and of organisers' |
//! | `form` | forms and their fields |
//! | `lists` | tables: of matches, seats, faults; output of programs; the viewer |
//! | `names` | names of bots and people, with avatars and links |
//! | `badge` | small marks with words |
//! | `values` | numbers, times and sentences as people read them |
//! | `chart` | ratings over time |
//! | `link` | addresses of pages |

pub(super) mod badge;
pub(super) mod chart;
pub(super) mod form;
pub(super) mod layout;
pub(super) mod link;
pub(super) mod lists;
pub(super) mod names;
pub(super) mod values;
