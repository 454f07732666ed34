//! Bots that talk to others.

use std::{
    io::ErrorKind,
    net::{TcpListener, UdpSocket},
    os::{
        linux::net::SocketAddrExt,
        unix::net::{SocketAddr, UnixListener},
    },
};

use super::{Outcome, TestDir};

/// Plays beside all kinds of sockets that wait for somebody; returns how many were reached.
fn play(args: &[&str]) -> (Outcome, usize) {
    let mut dir = TestDir::new();
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    // Not every machine has it.
    let tcp6 = TcpListener::bind("[::1]:0").ok();
    let path = dir.path("home/socket");
    let unix = UnixListener::bind(&path).unwrap();
    let named =
        UnixListener::bind_addr(&SocketAddr::from_abstract_name(&dir.mark).unwrap()).unwrap();
    dir.bait("tcp", tcp.local_addr().unwrap().port());
    dir.bait("udp", udp.local_addr().unwrap().port());
    dir.bait("tcp6", tcp6.as_ref().map_or(0, |tcp| tcp.local_addr().unwrap().port()));
    dir.bait("unix", path.to_str().unwrap());
    for tcp in tcp6.iter().chain([&tcp]) {
        tcp.set_nonblocking(true).unwrap();
    }
    udp.set_nonblocking(true).unwrap();
    unix.set_nonblocking(true).unwrap();
    named.set_nonblocking(true).unwrap();
    let usual =
        ["play", "cluster", &dir.attacker("network"), "builtin:greedy", "--json", "--time", "3000"];
    let out = dir.path("out");
    let status = dir
        .agon(&[&usual, args].concat())
        .stdout(std::fs::File::create(&out).unwrap())
        .status()
        .unwrap();
    let outcome = Outcome::new(status, &out, &out, 0);
    std::fs::remove_file(path).unwrap();
    let reached = [
        tcp.accept().map(drop),
        udp.recv(&mut [0; 9]).map(drop),
        tcp6.map_or(Err(ErrorKind::WouldBlock.into()), |tcp| tcp.accept().map(drop)),
        unix.accept().map(drop),
        named.accept().map(drop),
    ];
    let count = reached.into_iter().filter(|result| result.is_ok()).count();
    dir.assert_unharmed(&outcome);
    (outcome, count)
}

#[test]
fn nobody_is_reached_but_without_a_sandbox() {
    let (outcome, reached) = play(&[]);
    outcome.assert_harmless();
    assert_eq!(reached, 0);
    let (outcome, reached) = play(&["--sandbox", "off"]);
    assert!(reached >= 4, "{reached}: {outcome:?}");
}
