//! Requests with limits of size and time, and what can go wrong with them.
//!
//! No redirect is followed, so that no token reaches another server.

mod call;
mod client;
mod failure;
mod reply;
mod tls;

pub(crate) use call::{Body, Call, encoded};
pub(crate) use client::Client;
pub(crate) use failure::Failure;

#[cfg(test)]
mod tests;
