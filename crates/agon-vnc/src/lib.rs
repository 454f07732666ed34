//! A viewer over VNC: any VNC client, on this machine or through a tunnel, shows an
//! [`App`](agon_view::App) and passes on keys and pointer.
//!
//! The protocol is RFB 3.3, 3.7 and 3.8 as of RFC 6143, and ExtendedDesktopSize as of the RFB
//! community's specification. One thread runs the app; each client has two of its own, one that
//! reads and one that writes, so that none can make another wait, let alone a match that is being
//! played. `docs/vnc.md` is for those who use it.

mod address;
mod client;
mod cursor;
mod damage;
mod encoding;
mod handshake;
mod keysym;
mod mailbox;
mod message;
mod password;
mod pixel;
mod pointer;
mod screen;
mod server;

pub use address::{BindError, FIRST_PORT, LAST_PORT};
pub use encoding::{Encoder, Encoding, Encodings};
pub use handshake::{HandshakeError, Version};
pub use keysym::Keyboard;
pub use message::{ClientMessage, MessageError, SIZES};
pub use password::{Password, PasswordError};
pub use pixel::{FormatError, PixelFormat};
pub use pointer::Pointer;
pub use server::{Notice, Options, Server};
