//! Servers: their addresses, and the file with those that are known.

mod address;
mod file;
mod token;

pub(crate) use address::Address;
pub(crate) use file::{KnownServer, Nonce, ServersFile};
pub(crate) use token::{TOKEN_VARIABLE, Token};
