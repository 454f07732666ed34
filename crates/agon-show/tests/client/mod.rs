//! A VNC client for tests, written from the specification and not from the server.

// Each test uses a part of it.
#![allow(dead_code, unreachable_pub)]

pub mod decode;
pub mod stage;

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use decode::{Decoder, Picture};

/// Numbers of encodings and features.
pub const RAW: i32 = 0;
pub const HEXTILE: i32 = 5;
pub const ZRLE: i32 = 16;
pub const DESKTOP_SIZE: i32 = -223;
pub const EXTENDED_DESKTOP_SIZE: i32 = -308;

/// A client after its handshake.
pub struct Client {
    pub stream: TcpStream,
    pub picture: Picture,
    pub title: String,
    decoder: Decoder,
}

/// A rectangle of an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rectangle {
    pub x: u16,
    pub y: u16,
    pub width: u16,
    pub height: u16,
    pub encoding: i32,
}

pub fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    stream
}

/// Connects a client of version 3.8 without a password, up to the description of the screen.
pub fn greeted(address: SocketAddr) -> TcpStream {
    let mut stream = connect(address);
    assert_eq!(&read::<12>(&mut stream), b"RFB 003.008\n");
    stream.write_all(b"RFB 003.008\n").unwrap();
    assert_eq!(read::<2>(&mut stream), [1, 1]);
    stream.write_all(&[1]).unwrap();
    assert_eq!(read::<4>(&mut stream), [0; 4]);
    stream.write_all(&[1]).unwrap();
    stream
}

impl Client {
    /// Connects a client of version 3.8 without a password.
    pub fn new(address: SocketAddr) -> Client {
        let mut stream = greeted(address);
        let (width, height) = (number(&mut stream), number(&mut stream));
        let format = read::<16>(&mut stream);
        let mut title = vec![0; u32::from_be_bytes(read(&mut stream)) as usize];
        stream.read_exact(&mut title).unwrap();
        let title = String::from_utf8(title).unwrap();
        let (picture, decoder) = (Picture::new(width, height), Decoder::new(format));
        Client { stream, picture, title, decoder }
    }

    pub fn say(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).unwrap();
    }

    pub fn encodings(&mut self, numbers: &[i32]) {
        let mut message = vec![2, 0, 0, numbers.len() as u8];
        message.extend(numbers.iter().flat_map(|number| number.to_be_bytes()));
        self.say(&message);
    }

    pub fn format(&mut self, format: [u8; 16]) {
        self.say(&[&[0; 4][..], &format].concat());
        self.decoder.set_format(format);
    }

    pub fn request(&mut self, incremental: bool) {
        let (width, height) = (self.picture.width.to_be_bytes(), self.picture.height.to_be_bytes());
        self.say(&[&[3, u8::from(incremental), 0, 0, 0, 0][..], &width, &height].concat());
    }

    /// Takes an update and returns its rectangles.
    pub fn update(&mut self) -> Vec<Rectangle> {
        self.try_update().unwrap()
    }

    pub fn try_update(&mut self) -> io::Result<Vec<Rectangle>> {
        let stream = &mut self.stream;
        let mut head = [0; 4];
        stream.read_exact(&mut head)?;
        assert_eq!(head[0], 0, "an update");
        let mut rectangles = vec![];
        for _ in 0..u16::from_be_bytes([head[2], head[3]]) {
            let [x, y, width, height] = [(); 4].map(|()| number(stream));
            let rectangle =
                Rectangle { x, y, width, height, encoding: i32::from_be_bytes(read(stream)) };
            match rectangle.encoding {
                DESKTOP_SIZE => self.picture = Picture::new(width, height),
                EXTENDED_DESKTOP_SIZE => {
                    let screens = read::<4>(stream)[0];
                    (0..screens).for_each(|_| assert_eq!(read::<16>(stream).len(), 16));
                    if x != 1 || y == 0 {
                        self.picture = Picture::new(width, height);
                    }
                }
                _ => self.decoder.rectangle(stream, rectangle, &mut self.picture)?,
            }
            rectangles.push(rectangle);
        }
        Ok(rectangles)
    }

    /// Asks for changes until the picture is `wanted`.
    pub fn until(&mut self, wanted: impl Fn(&Picture) -> bool) {
        while !wanted(&self.picture) {
            self.request(true);
            self.update();
        }
    }

    pub fn key(&mut self, keysym: u32) {
        for is_down in [1, 0] {
            self.say(&[&[4, is_down, 0, 0][..], &keysym.to_be_bytes()].concat());
        }
    }

    pub fn pointer(&mut self, buttons: u8, x: u16, y: u16) {
        self.say(&[&[5, buttons][..], &x.to_be_bytes(), &y.to_be_bytes()].concat());
    }

    pub fn size(&mut self, width: u16, height: u16) {
        let (width, height) = (width.to_be_bytes(), height.to_be_bytes());
        self.say(
            &[&[251, 0][..], &width, &height, &[1, 0], &[0; 8], &width, &height, &[0; 4]].concat(),
        );
    }

    /// Returns whether the server has closed the connection.
    pub fn is_closed(&mut self) -> bool {
        io::copy(&mut self.stream, &mut io::sink()).is_ok()
    }
}

pub fn read<const N: usize>(stream: &mut impl Read) -> [u8; N] {
    let mut bytes = [0; N];
    stream.read_exact(&mut bytes).expect("the server goes on");
    bytes
}

fn number(stream: &mut impl Read) -> u16 {
    u16::from_be_bytes(read(stream))
}
