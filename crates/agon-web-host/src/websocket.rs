//! Sends a file to pages that expect the messages of a WebSocket (RFC 6455).
//!
//! A library would bring more code than this: the server only sends texts.

use std::io;

use axum::body::Bytes;
use base64::prelude::{BASE64_STANDARD, Engine};
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use sha1::{Digest, Sha1};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::timeout;

use crate::connection_limits::HEADER_LIMIT;

/// The message that ends a connection.
const CLOSE: [u8; 2] = [0x88, 0];

/// Returns the reply to the key of a client.
pub(crate) fn accept(key: &str) -> String {
    const ID: &str = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    BASE64_STANDARD.encode(Sha1::digest(format!("{key}{ID}")))
}

/// Sends each line as a message, then waits until the client leaves.
///
/// A client that the server leaves would come again and get all once more.
pub(crate) async fn send_lines(upgrade: OnUpgrade, lines: Bytes) -> io::Result<()> {
    let mut stream = TokioIo::new(upgrade.await.map_err(io::Error::other)?);
    for line in lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let message = [&head(line.len()), line].concat();
        timeout(HEADER_LIMIT, stream.write_all(&message)).await??;
    }
    // Whatever the client says is its farewell, of at most 131 bytes. Unread ones would reset the
    // connection, and the client might not get the reply.
    let _farewell = stream.read(&mut [0; 131]).await?;
    stream.write_all(&CLOSE).await
}

/// Returns the bytes before a text of this length.
fn head(length: usize) -> Vec<u8> {
    const TEXT: u8 = 0x81;
    match length {
        0..126 => vec![TEXT, length as u8],
        126..=0xFFFF => [&[TEXT, 126], &(length as u16).to_be_bytes()[..]].concat(),
        _ => [&[TEXT, 127], &(length as u64).to_be_bytes()[..]].concat(),
    }
}
