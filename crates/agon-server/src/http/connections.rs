//! Lets clients connect: a limited number, and only if their requests come soon.
//!
//! Otherwise silent clients could use up the descriptors of the server.

use std::io::{self, IoSlice};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{self, Poll};
use std::{
    collections::HashMap, fs, future::Future, net::IpAddr, path::Path, pin::Pin, time::Duration,
};

use anyhow::{Context, Result, ensure};
use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use rustix::process::{Resource, getrlimit};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::net::TcpListener;
use tokio::time::{Sleep, sleep, timeout};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::{TlsAcceptor, rustls::ServerConfig, rustls::pki_types::pem::PemObject};

use crate::{app::App, limits::network};

/// The most clients at once.
const MOST: u64 = 4_000;

/// The most clients at once from one address; a class behind one router fits in.
const MOST_EACH: usize = 1_000;

/// Clients use at most half of the descriptors: matches and the database need some, too.
const FILES_PER_CLIENT: u64 = 2;

/// The time limit for a request's header.
const HEADER: Duration = Duration::from_secs(10);

/// A client that waits for a reply must take this much of it within this time.
const TAKES: (usize, Duration) = (64 << 10, Duration::from_secs(30));

/// The wait for a free descriptor.
const AGAIN: Duration = Duration::from_millis(100);

/// The response to a client that is one too many.
const FULL: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n\
    Retry-After: 10\r\nContent-Type: text/plain\r\nContent-Length: 38\r\n\r\n\
    too many clients; try again in 10 s. \n";

/// Who is connected.
#[derive(Debug, Default)]
struct Clients {
    all: u64,
    by_address: HashMap<IpAddr, usize>,
}

/// The place of a client; given back when it is dropped.
struct Place {
    clients: Arc<Mutex<Clients>>,
    address: IpAddr,
}

impl Place {
    fn take(
        clients: &Arc<Mutex<Clients>>,
        address: IpAddr,
        most: u64,
        most_each: usize,
    ) -> Option<Place> {
        let mut inside = clients.lock().unwrap_or_else(PoisonError::into_inner);
        let own = inside.by_address.get(&address).copied().unwrap_or(0);
        if inside.all >= most || own >= most_each {
            return None;
        }
        inside.all += 1;
        inside.by_address.insert(address, own + 1);
        Some(Place { clients: Arc::clone(clients), address })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut inside = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        inside.all -= 1;
        if let Some(own) = inside.by_address.get_mut(&self.address) {
            *own -= 1;
            if *own == 0 {
                inside.by_address.remove(&self.address);
            }
        }
    }
}

/// Serves clients, forever.
pub(super) async fn serve(
    app: &App,
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    router: Router,
) {
    let files = getrlimit(Resource::Nofile).maximum.unwrap_or(u64::MAX);
    let most = (files / FILES_PER_CLIENT).clamp(1, MOST);
    let clients = Arc::new(Mutex::new(Clients::default()));
    loop {
        let Ok((mut stream, peer)) = listener.accept().await else {
            // The client is gone already, or the machine has too many open files.
            sleep(AGAIN).await;
            continue;
        };
        // All visitors come from the address of a proxy.
        let is_proxy = app.site.proxies.contains(&peer.ip().to_canonical());
        let most_each = if is_proxy { usize::MAX } else { MOST_EACH };
        let Some(place) = Place::take(&clients, network(peer.ip()), most, most_each) else {
            app.metrics.refused.inc();
            drop(tokio::spawn(async move {
                // A client that does not read is not waited for.
                let _ = timeout(AGAIN, stream.write_all(FULL)).await;
            }));
            continue;
        };
        let place = (place, app.metrics.connection());
        let tls = tls.clone();
        let router = router.clone();
        drop(tokio::spawn(async move {
            let router = router.layer(Extension(peer));
            // Small answers should not wait for more.
            let _ = stream.set_nodelay(true);
            match tls {
                None => serve_stream(stream, router).await,
                Some(tls) => {
                    // Whoever does not speak TLS is sent away.
                    if let Ok(Ok(stream)) = timeout(HEADER, tls.accept(stream)).await {
                        serve_stream(stream, router).await;
                    }
                }
            }
            drop(place);
        }));
    }
}

async fn serve_stream(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    router: Router,
) {
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER)
        .serve_connection(
            TokioIo::new(Impatient::new(stream, TAKES)),
            TowerToHyperService::new(router),
        );
    // The reason for the end of a connection is the client's business.
    let _ = connection.await;
}

/// A connection that fails if its client takes too little of a reply. Such a client would hold an
/// export or a stream for as long as it likes.
struct Impatient<S> {
    stream: S,
    takes: (usize, Duration),
    /// What the client has taken since it began to be slow.
    taken: usize,
    /// The end of its time; `None` while it takes everything.
    late: Option<Pin<Box<Sleep>>>,
}

impl<S> Impatient<S> {
    fn new(stream: S, takes: (usize, Duration)) -> Impatient<S> {
        Impatient { stream, takes, taken: 0, late: None }
    }

    /// Notes how much of `offered` bytes the client has taken, or that it takes none now.
    fn judge(
        &mut self,
        context: &mut task::Context<'_>,
        offered: usize,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        let (least, time) = self.takes;
        if let Poll::Ready(Ok(taken)) = written {
            self.taken += taken;
            if taken >= offered || self.taken >= least {
                self.late = None;
                return written;
            }
        }
        if self.late.is_none() {
            self.taken = 0;
        }
        let late = self.late.get_or_insert_with(|| Box::pin(sleep(time)));
        match late.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Poll::Pending => written,
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Impatient<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut task::Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Impatient<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut task::Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.judge(context, bytes.len(), written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut task::Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        let offered = parts.iter().map(|part| part.len()).sum();
        self.judge(context, offered, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(
        mut self: Pin<&mut Self>,
        context: &mut task::Context<'_>,
    ) -> Poll<io::Result<()>> {
        // TLS keeps what the client does not take.
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.judge(context, 0, flushed.map_ok(|()| 0)).map_ok(|_| ())
    }

    fn poll_shutdown(
        mut self: Pin<&mut Self>,
        context: &mut task::Context<'_>,
    ) -> Poll<io::Result<()>> {
        let ended = Pin::new(&mut self.stream).poll_shutdown(context);
        self.judge(context, 0, ended.map_ok(|()| 0)).map_ok(|_| ())
    }
}

/// Reads a certificate and its key for HTTPS, as PEM.
pub(crate) fn acceptor(certificate: &Path, key: &Path) -> Result<TlsAcceptor> {
    let read =
        |path: &Path| fs::read(path).with_context(|| format!("{} cannot be read", path.display()));
    let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_slice_iter(&read(certificate)?)
        .collect::<std::result::Result<_, _>>()
        .with_context(|| format!("{} is no PEM file", certificate.display()))?;
    ensure!(!chain.is_empty(), "{} has no certificate", certificate.display());
    let key_of = PrivateKeyDer::from_pem_slice(&read(key)?)
        .with_context(|| format!("{} has no private key", key.display()))?;
    let config = ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(chain, key_of)
        .with_context(|| format!("{} and {} do not fit", certificate.display(), key.display()))?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt;

    use super::*;

    #[tokio::test]
    async fn clients_that_take_too_little_are_left() {
        let takes = (100, Duration::from_millis(300));
        let reply = vec![0; 10_000];
        // One takes nothing, one takes a little now and then, one is slow but takes enough.
        for (piece, is_left) in [(0, true), (1, true), (60, false)] {
            let (mut client, server) = tokio::io::duplex(16);
            let mut server = Impatient::new(server, takes);
            let taking = tokio::spawn(async move {
                let mut left = 10_000;
                while left > 0 {
                    let mut bytes = vec![0; piece.min(left)];
                    if piece == 0 || client.read_exact(&mut bytes).await.is_err() {
                        sleep(Duration::from_secs(60)).await;
                        return;
                    }
                    left -= bytes.len();
                    sleep(Duration::from_millis(if piece == 1 { 20 } else { 5 })).await;
                }
            });
            let written = timeout(Duration::from_secs(20), server.write_all(&reply)).await;
            assert_eq!(written.expect("it ends").is_err(), is_left, "{piece}");
            taking.abort();
        }
    }

    #[test]
    fn places_are_given_back() {
        let clients = Arc::new(Mutex::new(Clients::default()));
        let address = IpAddr::from([127, 0, 0, 1]);
        let places: Vec<Place> =
            (0..3).map(|_| Place::take(&clients, address, 3, 3).unwrap()).collect();
        assert!(Place::take(&clients, address, 3, 3).is_none());
        drop(places);
        assert!(clients.lock().unwrap().by_address.is_empty());
        assert!(Place::take(&clients, address, 3, 3).is_some());
    }

    #[test]
    fn the_text_is_as_long_as_told() {
        let text = String::from_utf8(FULL.to_vec()).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        assert!(head.ends_with(&format!("Content-Length: {}", body.len())), "{}", body.len());
    }
}
