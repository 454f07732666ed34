//! The memory cost of clients that ask for pictures and do not read them.
//!
//! It is a separate program, because its memory is measured.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod client;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::{fs, time::Duration};

use agon_show::vnc::Options;
use agon_view::paint::Rgb;
use client::stage::{Pad, color, show};
use client::{Client, greeted, read};

/// Returns the peak of this process's resident memory in MiB.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().strip_suffix("kB").unwrap().trim().parse::<u64>().unwrap() / 1024
}

/// Connects a client that keeps no picture.
fn unseen(address: SocketAddr) -> TcpStream {
    let mut stream = greeted(address);
    read::<20>(&mut stream);
    let title = u32::from_be_bytes(read(&mut stream));
    stream.read_exact(&mut vec![0; title as usize]).unwrap();
    stream
}

#[test]
fn clients_that_do_not_read_cost_little() {
    agon_testkit::slow!();
    let options =
        Options { size: (4096, 2304), patience: Duration::from_secs(600), ..Options::default() };
    let before = peak();
    show(&mut Pad::default(), options, |address| {
        let mut silent: Vec<TcpStream> = (0..15).map(|_| unseen(address)).collect();
        // A client that reads is still served, and sees each picture.
        let mut last = Client::new(address);
        for digit in 1..6 {
            // The whole picture, even without changes.
            let wish = [3, 0, 0, 0, 0, 0, 0x10, 0, 9, 0];
            silent.iter_mut().for_each(|stream| stream.write_all(&wish).unwrap());
            last.key(u32::from(b'0' + digit));
            let Rgb(red, green, blue) = color(digit);
            let wanted = u32::from_be_bytes([0, red, green, blue]);
            last.until(|picture| {
                picture.pixel(9, 9) == wanted && picture.pixel(4095, 2303) == wanted
            });
        }
        drop(silent);
    });
    let cost = peak() - before;
    assert!(cost < 480, "{cost} MiB");
}
