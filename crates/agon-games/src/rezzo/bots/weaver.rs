//! The built-in bot `weaver`: explores and lays wires as the smuggler does, but never guards.
//! While the first flag is on its way it lays a second wire, from another geyser or past another
//! base, and so on: one of them will work.

use agon_core::Builtin;

use super::smuggler::Smuggler;
use crate::rezzo::Rezzo;

pub(super) const BOT: Builtin<Rezzo> = Builtin {
    name: "weaver",
    version: 2,
    summary: "explores in a spiral, and lays one wire after the other from geysers home, without \
        a guard",
    params: &[],
    make: |_| Ok(Box::new(Smuggler::weaving())),
};
