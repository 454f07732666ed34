//! A viewer over VNC: any VNC client shows an [`App`](agon_view::App) and controls it.
//!
//! `agon-show` runs it for `--view vnc`. The client is on this machine or at the end of a tunnel.
//!
//! The protocol is RFB 3.3, 3.7 and 3.8 as of RFC 6143, and ExtendedDesktopSize as of the RFB
//! community's specification. One thread runs the app. Each client has two threads of its own, a
//! reader and a writer. So no client can make another one wait, or a running match. `docs/vnc.md`
//! is the page for users.

mod connection;
mod encoding;
mod handshake;
mod input;
mod screen;
mod server;

pub use encoding::{Encoder, Encoding, Encodings, PixelFormat};
pub use handshake::Password;

// The fuzz targets read what clients send.
pub use input::{ClientMessage, Keyboard, Pointer};
pub use server::{Notice, Options, Server};
