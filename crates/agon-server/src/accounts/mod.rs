//! Accounts: names, passwords, secrets. Signing in by other means can be added here.
//!
//! | module | contents |
//! | --- | --- |
//! | `name` | names that people may have, and names that look alike |
//! | `password` | hashes of passwords |
//! | `sign_in_limits` | limits how often passwords can be guessed, and anything else tried |
//! | `token` | random secrets of sessions and links |

pub(crate) mod name;
pub(crate) mod password;
pub(crate) mod sign_in_limits;
pub(crate) mod token;
