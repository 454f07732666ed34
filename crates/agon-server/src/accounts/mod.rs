//! Accounts: names, passwords, secrets. Signing in by other means can be added here.
//!
//! | module | contents |
//! | --- | --- |
//! | `name` | names that people may have |
//! | `password` | hashes of passwords |
//! | `throttle` | limits how often passwords can be tried |
//! | `token` | random secrets of sessions and links |

pub(crate) mod name;
pub(crate) mod password;
pub(crate) mod throttle;
pub(crate) mod token;
