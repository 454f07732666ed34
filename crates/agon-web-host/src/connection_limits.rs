//! Lets clients connect: a limited number, and only if their requests come soon.
//!
//! The server accepts all connections through it. Otherwise silent clients could use up the open
//! files of the program.

use std::io::{self, Write};
use std::{sync::Arc, time::Duration};

use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use rustix::process::{Resource, getrlimit};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::sleep;

/// The most clients at once.
const MAX_CLIENTS: usize = 64;

/// Clients use at most one of this many allowed files.
///
/// If there are few, other programs need some, too.
const FILES_PER_CLIENT: u64 = 4;

/// The time limit for a client's request header.
pub(crate) const HEADER_LIMIT: Duration = Duration::from_secs(10);

/// The wait for a free descriptor.
const RETRY_INTERVAL: Duration = Duration::from_millis(100);

/// The limits for clients.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConnectionLimits {
    /// The most clients at once.
    pub(crate) clients: usize,
    /// The time limit for a header.
    pub(crate) header: Duration,
}

/// The place of a client, which it has until the last clone is dropped.
pub(crate) type Place = Arc<OwnedSemaphorePermit>;

impl Default for ConnectionLimits {
    fn default() -> ConnectionLimits {
        let files = getrlimit(Resource::Nofile).maximum.unwrap_or(u64::MAX);
        let clients =
            usize::try_from(files / FILES_PER_CLIENT).unwrap_or(usize::MAX).clamp(1, MAX_CLIENTS);
        ConnectionLimits { clients, header: HEADER_LIMIT }
    }
}

impl ConnectionLimits {
    /// Serves all admitted clients, forever.
    pub(crate) async fn serve(self, listener: TcpListener, router: Router) {
        let places = Arc::new(Semaphore::new(self.clients));
        loop {
            let Ok((stream, _)) = listener.accept().await else {
                // The client is gone already, or the machine has too many open files.
                sleep(RETRY_INTERVAL).await;
                continue;
            };
            let Ok(place) = Arc::clone(&places).try_acquire_owned() else {
                // A client that does not read is not waited for.
                let _ = refuse(stream);
                continue;
            };
            // A connection that becomes something else keeps its place.
            let place: Place = Arc::new(place);
            let service = TowerToHyperService::new(router.clone().layer(Extension(place)));
            let connection = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(self.header)
                .serve_connection(TokioIo::new(stream), service)
                .with_upgrades();
            tokio::spawn(async move {
                // The reason for the end of a connection is the client's business.
                let _ = connection.await;
            });
        }
    }
}

/// Answers a client that is one too many.
fn refuse(stream: TcpStream) -> io::Result<()> {
    const TEXT: &str = "as many clients are connected as are let in here\n";
    let mut stream = stream.into_std()?;
    write!(
        stream,
        "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 10\r\n\
         Content-Type: text/plain\r\nContent-Length: {}\r\n\r\n{TEXT}",
        TEXT.len()
    )?;
    stream.shutdown(std::net::Shutdown::Write)
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::net::{SocketAddr, TcpStream};

    use super::*;

    /// Starts a server with two places that waits this long for headers.
    fn serve(header: Duration) -> SocketAddr {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        std::thread::spawn(move || {
            runtime.block_on(async {
                let listener = TcpListener::from_std(listener).unwrap();
                let router = Router::new().fallback(async || "hello");
                ConnectionLimits { clients: 2, header }.serve(listener, router).await;
            });
        });
        address
    }

    fn connect(address: SocketAddr) -> TcpStream {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream
    }

    /// Returns everything that comes until the connection is closed.
    fn answer(mut stream: TcpStream, request: &[u8]) -> String {
        let mut text = Vec::new();
        // A refused client may find the connection closed.
        let _ = stream.write_all(request);
        let _ = stream.read_to_end(&mut text);
        String::from_utf8(text).unwrap()
    }

    const REQUEST: &[u8] = b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

    #[test]
    fn whoever_comes_too_late_is_told_so_until_there_is_room() {
        let address = serve(Duration::from_secs(600));
        let (mut first, second) = (connect(address), connect(address));
        // Both are in once the first is answered.
        first.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
        first.read_exact(&mut [0; 15]).unwrap();
        let text = answer(connect(address), b"");
        assert!(
            text.starts_with("HTTP/1.1 503 ")
                && text.ends_with("\r\n\r\nas many clients are connected as are let in here\n"),
            "{text}"
        );
        drop(second);
        while !answer(connect(address), REQUEST).starts_with("HTTP/1.1 200 ") {}
    }

    #[test]
    fn whoever_does_not_say_what_it_wants_is_sent_away() {
        let address = serve(Duration::from_millis(200));
        let mut slow = connect(address);
        slow.write_all(b"GET / HTTP/1.1\r\n").unwrap();
        let mut silent = connect(address);
        assert!(silent.read_to_end(&mut Vec::new()).is_ok(), "closed");
        // The whole header must arrive in time, however steadily it comes.
        while slow.write_all(b"X: 1\r\n").is_ok() {
            std::thread::sleep(Duration::from_millis(20));
        }
        assert!(answer(connect(address), REQUEST).starts_with("HTTP/1.1 200 "));
    }
}
