//! Lets clients connect: a limited number, and only if their requests come soon.
//!
//! Otherwise silent clients could use up the descriptors of the server.

use std::{
    collections::HashMap,
    net::{IpAddr, SocketAddr},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use rustix::process::{Resource, getrlimit};
use tokio::{
    io::{AsyncRead, AsyncWrite, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    time::{sleep, timeout},
};
use tokio_rustls::TlsAcceptor;

use crate::{app::App, limits::network, metrics::Counted};

/// The most clients at once.
const MOST: u64 = 4_000;

/// The most clients at once from one address; a class behind one router fits in.
const MOST_EACH: usize = 1_000;

/// Clients use at most half of the descriptors: matches and the database need some, too.
const FILES_PER_CLIENT: u64 = 2;

/// The time limit for a request's header.
const HEADER: Duration = Duration::from_secs(10);

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
        let Ok((stream, peer)) = listener.accept().await else {
            // The client is gone already, or the machine has too many open files.
            sleep(AGAIN).await;
            continue;
        };
        // All visitors come from the address of a proxy.
        let is_proxy = app.site.proxies.contains(&peer.ip().to_canonical());
        let most_each = if is_proxy { usize::MAX } else { MOST_EACH };
        let Some(place) = Place::take(&clients, network(peer.ip()), most, most_each) else {
            app.metrics.refused();
            drop(tokio::spawn(refuse(stream)));
            continue;
        };
        let place = (place, app.metrics.connection());
        drop(tokio::spawn(serve_one(stream, peer, tls.clone(), router.clone(), place)));
    }
}

async fn serve_one(
    stream: TcpStream,
    peer: SocketAddr,
    tls: Option<TlsAcceptor>,
    router: Router,
    place: (Place, Counted),
) {
    // Small answers should not wait for more.
    let _ = stream.set_nodelay(true);
    let router = router.layer(Extension(peer));
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
}

async fn serve_stream(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    router: Router,
) {
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    // The reason for the end of a connection is the client's business.
    let _ = connection.await;
}

async fn refuse(mut stream: TcpStream) {
    // A client that does not read is not waited for.
    let _ = timeout(AGAIN, stream.write_all(FULL)).await;
}

#[cfg(test)]
mod tests {
    use super::*;

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
