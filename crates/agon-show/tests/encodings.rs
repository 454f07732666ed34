//! Any encoded picture is decoded to the same one, in any format of pixels.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use agon_show::vnc::{Encoder, Encoding, PixelFormat};
use agon_view::paint::{Area, Frame, Rgb};
use proptest::prelude::*;

use crate::client::Rectangle;
use crate::client::decode::{Decoder, Picture};

/// Bits, depth, big-endian, then the maxima and shifts of red, green and blue.
type Form = (u8, u8, bool, [u16; 3], [u8; 3]);

/// Formats that clients ask for.
const FORMATS: [Form; 7] = [
    (32, 24, false, [255; 3], [16, 8, 0]),
    (32, 24, true, [255; 3], [16, 8, 0]),
    (32, 24, false, [255; 3], [8, 16, 24]),
    (32, 24, true, [255; 3], [24, 16, 8]),
    (32, 32, false, [2047, 2047, 1023], [0, 11, 22]),
    (16, 16, true, [31, 63, 31], [11, 5, 0]),
    (8, 8, false, [7, 7, 3], [0, 3, 6]),
];

fn format(number: usize) -> ([u8; 16], impl Fn(Rgb) -> u32) {
    let (bits, depth, big, max, shift) = FORMATS[number];
    let mut bytes = vec![bits, depth, u8::from(big), 1];
    bytes.extend(max.iter().flat_map(|max| max.to_be_bytes()));
    bytes.extend(shift);
    bytes.extend([0; 3]);
    let part = move |level: u8, index: usize| {
        let level = (f64::from(level) * f64::from(max[index]) / 255.0).round() as u32;
        level << shift[index]
    };
    let pixel = move |Rgb(r, g, b): Rgb| part(r, 0) | part(g, 1) | part(b, 2);
    (bytes.try_into().unwrap(), pixel)
}

/// Generates pictures with areas of one colour, and with noise of some or all colours.
fn frame() -> impl Strategy<Value = Frame> {
    let part = (0..150i32, 0..100i32, 1..150u32, 1..100u32, any::<[u8; 3]>(), 0..4u32);
    (1..150u32, 1..100u32, prop::collection::vec(part, 0..12)).prop_map(|(width, height, parts)| {
        let mut frame = Frame::new(width, height);
        for (x, y, w, h, [red, green, blue], noise) in parts {
            let area = Area { x, y, width: w, height: h };
            frame.fill(area, Rgb(red, green, blue));
            let area = area.intersection(frame.area());
            let colors = [0, 3, 40, u32::MAX][noise as usize];
            let mut state = u32::from(red) + 1;
            for y in area.y..area.y + area.height as i32 {
                for x in area.x..area.x + area.width as i32 {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    if colors > 0 && state >> 30 > 0 {
                        let [red, green, blue, _] =
                            ((state >> 8) % colors).wrapping_mul(0x9e37_79b9).to_le_bytes();
                        frame.fill(Area { x, y, width: 1, height: 1 }, Rgb(red, green, blue));
                    }
                }
            }
        }
        frame
    })
}

/// Encodes and decodes parts of a picture one after another, and returns the bytes used.
fn round_trip(frame: &Frame, number: usize, encoding: Encoding, areas: &[Area]) -> usize {
    let (bytes, pixel) = format(number);
    let mut encoder = Encoder::default();
    encoder.set_format(PixelFormat::from_bytes(bytes).unwrap());
    let mut decoder = Decoder::new(bytes);
    let mut length = 0;
    for &area in areas {
        let mut message = vec![];
        encoder.rectangle(frame, area, encoding, &mut message);
        length += message.len();
        let number = |at: usize| u16::from_be_bytes([message[at], message[at + 1]]);
        let (x, y, width, height) = (number(0), number(2), number(4), number(6));
        assert_eq!(message[8..12], encoding.number().to_be_bytes());
        let rectangle = Rectangle { x, y, width, height, encoding: encoding.number() };
        let mut picture = Picture::new(400, 400);
        let mut rest = &message[12..];
        decoder.rectangle(&mut rest, rectangle, &mut picture).unwrap();
        assert!(rest.is_empty(), "{} bytes are left", rest.len());
        for y in 0..height {
            for x in 0..width {
                let (x, y) = (area.x as u32 + u32::from(x), area.y as u32 + u32::from(y));
                let color = pixel(frame.pixel(x, y));
                assert_eq!(picture.pixel(x as u16, y as u16), color, "pixel {x},{y}");
            }
        }
    }
    length
}

const ENCODINGS: [Encoding; 3] = [Encoding::Raw, Encoding::Hextile, Encoding::Zrle];

proptest! {
    #[test]
    fn what_is_encoded_is_decoded(
        frame in frame(),
        format in 0..FORMATS.len(),
        areas in prop::collection::vec((0..200i32, 0..150i32, 1..200u32, 1..150u32), 1..4),
    ) {
        let area = |(x, y, width, height)| Area { x, y, width, height }.intersection(frame.area());
        let areas = areas.into_iter().map(area).filter(|area| !area.is_empty());
        let mut areas: Vec<Area> = areas.collect();
        areas.insert(0, frame.area());
        for encoding in ENCODINGS {
            round_trip(&frame, format, encoding, &areas);
        }
    }
}

#[test]
fn boards_get_small() {
    let mut frame = Frame::new(256, 256);
    for y in 0..16 {
        for x in 0..16 {
            let cell = Area { x: 16 * x, y: 16 * y, width: 15, height: 15 };
            frame.fill(cell, Rgb(40 * (x % 5) as u8, 50, 17 * (y % 3) as u8));
        }
    }
    let [raw, hextile, zrle] =
        ENCODINGS.map(|encoding| round_trip(&frame, 0, encoding, &[frame.area()]));
    assert_eq!(raw, 12 + 4 * 256 * 256);
    assert!(hextile < raw / 50 && zrle < hextile / 2, "{raw}, {hextile}, {zrle}");
}
