//! Clients that behave, and clients that do not.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::{io::Write, net::Shutdown, time::Duration};

use agon_show::vnc::{Notice, Options, Password};
use agon_view::{Button, Input, Key, paint::Rgb};

use crate::client::stage::{Pad, color, show};
use crate::client::{
    Client, DESKTOP_SIZE, EXTENDED_DESKTOP_SIZE, HEXTILE, RAW, ZRLE, connect, read,
};

fn options() -> Options {
    Options { size: (200, 150), ..Options::default() }
}

/// Returns a colour for a client that uses the server's format.
fn pixel(Rgb(red, green, blue): Rgb) -> u32 {
    u32::from_be_bytes([0, red, green, blue])
}

#[test]
fn all_encodings_show_the_same() {
    let mut pad = Pad::default();
    show(&mut pad, options(), |address| {
        let pictures = [RAW, HEXTILE, ZRLE].map(|encoding| {
            let mut client = Client::new(address);
            assert_eq!(client.title, "a pad – for tests");
            client.encodings(&[encoding]);
            client.key(u32::from(b'7'));
            client.pointer(0, 100, 60);
            client.until(|picture| {
                picture.pixel(102, 62) == 0xff_ffff && picture.pixel(0, 0) == pixel(color(7))
            });
            client.picture.clone()
        });
        assert_eq!(pictures[0], pictures[1]);
        assert_eq!(pictures[0], pictures[2]);
        let is_right = |pixel: &u32| [self::pixel(color(7)), 0xff_ffff].contains(pixel);
        assert!(pictures[0].pixels.iter().all(is_right));
    });
}

#[test]
fn inputs_arrive_in_order() {
    let mut pad = Pad::default();
    show(&mut pad, options(), |address| {
        let mut client = Client::new(address);
        client.key(0xff53);
        client.pointer(1, 7, 9);
        client.pointer(0, 7, 9);
        client.pointer(8, 7, 9);
        client.pointer(1, 7, 9);
        // A client that leaves releases its buttons.
        client.stream.shutdown(Shutdown::Write).unwrap();
        assert!(client.is_closed());
        let mut last = Client::new(address);
        last.key(u32::from(b'3'));
        last.until(|picture| picture.pixel(0, 0) == pixel(color(3)));
    });
    let left = Button::Left;
    let at = Input::Move { x: 7.5, y: 9.5 };
    let expected = [
        Input::Key(Key::Right),
        at,
        Input::Press(left),
        Input::Release(left),
        Input::Wheel(1.0),
        Input::Press(left),
        Input::Release(left),
        Input::Key(Key::Char('3')),
    ];
    assert_eq!(pad.inputs, expected);
}

#[test]
fn two_clients_see_what_either_does() {
    show(&mut Pad::default(), options(), |address| {
        let (mut one, mut two) = (Client::new(address), Client::new(address));
        two.encodings(&[ZRLE]);
        for (digit, by_one) in [(4, true), (8, false), (2, true)] {
            if by_one { &mut one } else { &mut two }.key(u32::from(b'0' + digit));
            one.until(|picture| picture.pixel(0, 100) == pixel(color(digit)));
            two.until(|picture| picture.pixel(0, 100) == pixel(color(digit)));
        }
        // One is gone in the middle of a message; the other does not notice.
        one.request(false);
        one.say(&[2, 0, 0xff]);
        drop(one);
        two.key(u32::from(b'9'));
        two.until(|picture| picture.pixel(0, 100) == pixel(color(9)));
    });
}

#[test]
fn clients_resize_it_for_all() {
    show(&mut Pad::default(), options(), |address| {
        let mut one = Client::new(address);
        let mut two = Client::new(address);
        let mut three = Client::new(address);
        one.encodings(&[ZRLE, DESKTOP_SIZE, EXTENDED_DESKTOP_SIZE]);
        two.encodings(&[HEXTILE, DESKTOP_SIZE]);
        one.until(|picture| picture.pixel(199, 149) == pixel(color(0)));
        three.until(|picture| picture.pixel(199, 149) == pixel(color(0)));
        one.size(320, 120);
        for client in [&mut one, &mut two] {
            client.until(|picture| (picture.width, picture.height) == (320, 120));
            client.until(|picture| picture.pixel(319, 119) == pixel(color(0)));
        }
        // A client with a fixed size sees the part that fits.
        three.until(|picture| picture.pixel(199, 149) == 0);
        assert_eq!(three.picture.pixel(199, 119), pixel(color(0)));
        one.size(50_000, 50_000);
        one.request(true);
        let update = one.update();
        assert_eq!((update.len(), update[0].x, update[0].y, update[0].width), (1, 1, 3, 320));
    });
}

#[test]
fn other_pixels() {
    show(&mut Pad::default(), options(), |address| {
        let mut client = Client::new(address);
        // 5, 6 and 5 bits, big-endian.
        client.format([16, 16, 1, 1, 0, 31, 0, 63, 0, 31, 11, 5, 0, 0, 0, 0]);
        client.encodings(&[ZRLE]);
        client.until(|picture| picture.pixel(9, 9) == (63 << 5) | 16);
    });
}

#[test]
fn hostile_clients_hurt_only_themselves() {
    let told = |notices: &[Notice], part: &str| {
        notices.iter().any(|n| matches!(n, Notice::Left(_, Some(why)) if why.contains(part)))
    };
    let notices = show(&mut Pad::default(), options(), |address| {
        let mut good = Client::new(address);
        good.until(|picture| picture.pixel(9, 9) == pixel(color(0)));
        let hostile: [&[u8]; 4] = [
            &[200, 1, 2, 3],
            &[6, 0, 0, 0, 0xff, 0xff, 0xff, 0xff],
            &[0, 0, 0, 0, 8, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
            &[0, 0, 0, 0, 32, 24, 0, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 99, 99, 99, 0, 0, 0],
        ];
        for bytes in hostile {
            let mut client = Client::new(address);
            client.say(bytes);
            assert!(client.is_closed());
        }
        let mut web = connect(address);
        web.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
        std::io::copy(&mut web, &mut std::io::sink()).ok();
        // Pasted text and requests for impossible areas are harmless.
        good.say(b"\x06\0\0\0\0\0\0\x03abc");
        good.say(&[3, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]);
        good.say(&[3, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
        good.pointer(255, 0xffff, 0xffff);
        good.key(u32::from(b'5'));
        good.until(|picture| picture.pixel(9, 9) == pixel(color(5)));
    });
    for part in
        ["unknown type 200", "4294967295 bytes", "colour map", "no range of bits", "not speak VNC"]
    {
        assert!(told(&notices, part), "{part}: {notices:?}");
    }
}

#[test]
fn passwords() {
    let password = Some(Password::new(b"secret").unwrap());
    let notices = show(&mut Pad::default(), Options { password, ..options() }, |address| {
        for (version, answer) in [(b"RFB 003.003\n", [0; 16]), (b"RFB 003.008\n", [9; 16])] {
            let mut stream = connect(address);
            read::<12>(&mut stream);
            stream.write_all(version).unwrap();
            if version[10] == b'3' {
                assert_eq!(read::<4>(&mut stream), [0, 0, 0, 2]);
            } else {
                assert_eq!(read::<2>(&mut stream), [1, 2]);
                stream.write_all(&[2]).unwrap();
            }
            read::<16>(&mut stream);
            stream.write_all(&answer).unwrap();
            assert_eq!(read::<4>(&mut stream), [0, 0, 0, 1]);
        }
    });
    assert!(!notices.iter().any(|notice| matches!(notice, Notice::Joined(_))), "{notices:?}");
}

#[test]
fn who_takes_nothing_is_gone_and_hurts_nobody() {
    let patience = Duration::from_millis(500);
    let options = Options { size: (2000, 2000), patience, ..Options::default() };
    let notices = show(&mut Pad::default(), options, |address| {
        let mut stuck = Client::new(address);
        // 16 megabytes each time, which nobody reads.
        (0..20).for_each(|_| stuck.request(false));
        let mut good = Client::new(address);
        good.encodings(&[ZRLE]);
        good.key(u32::from(b'6'));
        good.until(|picture| picture.pixel(1999, 1999) == pixel(color(6)));
        let is_gone =
            |client: &mut Client| client.stream.write_all(&[3, 0, 0, 0, 0, 0, 0, 1, 0, 1]).is_err();
        while !is_gone(&mut stuck) {
            good.request(false);
            good.update();
        }
    });
    let is_end = |n: &Notice| matches!(n, Notice::Left(_, Some(why)) if why.contains("too long"));
    assert!(notices.iter().any(is_end), "{notices:?}");
}

#[test]
fn too_many_are_turned_away() {
    let notices = show(&mut Pad::default(), options(), |address| {
        let mut clients: Vec<_> = (0..16).map(|_| Client::new(address)).collect();
        let mut stream = connect(address);
        let mut greeting = vec![];
        std::io::Read::read_to_end(&mut stream, &mut greeting).ok();
        assert!(greeting.is_empty(), "{greeting:?}");
        clients[0].until(|picture| picture.pixel(9, 9) == pixel(color(0)));
    });
    assert!(notices.iter().any(|notice| matches!(notice, Notice::Full(_))), "{notices:?}");
}

#[test]
fn the_person_leaves() {
    show(&mut Pad::default(), options(), |address| {
        let mut client = Client::new(address);
        client.key(u32::from(b'q'));
        assert!(client.is_closed());
    });
}
