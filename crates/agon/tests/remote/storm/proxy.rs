//! A proxy between a client and the servers, which cuts and delays what passes.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::{sync::Arc, thread, time::Duration};

/// How often a cut line looks whether it is whole again.
const GLANCE: Duration = Duration::from_millis(20);

/// Connects its clients to one of the servers that live. It lives as long as the test.
#[derive(Clone)]
pub(super) struct Proxy {
    port: u16,
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    /// Nothing passes, and nobody hears that: bytes come when the line is whole again.
    is_cut: AtomicBool,
    /// How much later bytes come, in milliseconds.
    delay: AtomicU64,
}

impl Proxy {
    /// Starts one for servers at these ports; it tries them in this order.
    pub(super) fn start(servers: Vec<u16>) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let state = Arc::<State>::default();
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let server =
                    servers.iter().find_map(|port| TcpStream::connect(("127.0.0.1", *port)).ok());
                // Without a server the client hears that nobody is there.
                let Some(server) = server else { continue };
                for (from, to) in [(&client, &server), (&server, &client)] {
                    let (from, to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
                    let state = Arc::clone(&shared);
                    thread::spawn(move || pass(from, to, &state));
                }
            }
        });
        Proxy { port, state }
    }

    pub(super) fn address(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Lets nothing pass for a while.
    pub(super) fn cut(&self, time: Duration) {
        self.state.is_cut.store(true, Ordering::Relaxed);
        thread::sleep(time);
        self.state.is_cut.store(false, Ordering::Relaxed);
    }

    /// Delays all that passes, until it is called again.
    pub(super) fn delay(&self, ms: u64) {
        self.state.delay.store(ms, Ordering::Relaxed);
    }
}

/// Copies bytes until one side ends.
fn pass(mut from: TcpStream, mut to: TcpStream, state: &State) {
    let mut bytes = vec![0; 1 << 16];
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        thread::sleep(Duration::from_millis(state.delay.load(Ordering::Relaxed)));
        while state.is_cut.load(Ordering::Relaxed) {
            thread::sleep(GLANCE);
        }
        if to.write_all(&bytes[..count]).is_err() {
            break;
        }
    }
    let _ = from.shutdown(Shutdown::Both);
    let _ = to.shutdown(Shutdown::Both);
}
