//! HTTP/1.1 for bots that are web servers.
//!
//! Agon starts the server, confined, with a network of its own that has nothing but a loopback
//! address. Or the server runs already, at an address of this machine, and plays without
//! confinement. A host of a game sends requests over a `Connection` to it.
//!
//! A connection is the pipes of a `Process`, so that waits, clocks and evidence are those of all
//! programs. [`Reader`] reads responses, every byte of which is foreign.

mod address;
mod connection;
mod response;

use crate::Program;

pub(crate) use address::Address;
pub(crate) use connection::Connection;

pub use response::{BODY, MOST, Reader, Response};

/// A bot that is a web server.
#[derive(Debug)]
pub enum WebServer<'a> {
    /// A program to start.
    Program(Program),
    /// The address of one that runs: `http://127.0.0.1:8000`.
    Address(&'a str),
}
