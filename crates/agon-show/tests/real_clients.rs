//! Other people's clients, each with its own version of the protocol and its favourite encodings.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![cfg(target_os = "linux")]

use std::{fs::File, net::SocketAddr, path::Path, process::Command};

use agon_show::vnc::Options;
use agon_view::paint::{Frame, Rgb};

use crate::client::stage::{show, viewer};

/// The pixels of a picture that a program has written.
struct Shot {
    width: u32,
    height: u32,
    pixels: Vec<Rgb>,
}

/// Returns the address for clients that count displays from port 5900.
fn display(address: SocketAddr) -> String {
    format!("{}:{}", address.ip(), i32::from(address.port()) - 5900)
}

/// Takes a picture with gvnccapture (gtk-vnc), which speaks 3.8.
fn gvnccapture(address: SocketAddr, folder: &Path) -> Shot {
    let file = folder.join("shot.png");
    let output = Command::new("gvnccapture").args(["-q", &display(address)]).arg(&file).output();
    let output = output.expect("gvnccapture starts; `cargo xtask setup` installs it");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut decoder = png::Decoder::new(std::io::BufReader::new(File::open(file).unwrap()));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().unwrap();
    let mut data = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut data).unwrap();
    let pixel = |bytes: &[u8]| Rgb(bytes[0], bytes[1], bytes[2]);
    let pixels = data.chunks(info.color_type.samples()).map(pixel).collect();
    Shot { width: info.width, height: info.height, pixels }
}

/// Paints the server's picture.
fn painted() -> Frame {
    let mut frame = Frame::new(480, 360);
    viewer().paint(&mut frame);
    frame
}

fn difference(shot: &Shot, frame: &Frame) -> u32 {
    assert_eq!((shot.width, shot.height), (frame.width(), frame.height()));
    let pixels = frame.data().as_chunks::<4>().0.iter();
    let far = |a: u8, b: u8| u32::from(a.abs_diff(b));
    let differences = pixels
        .zip(&shot.pixels)
        .map(|(&[r, g, b, _], &Rgb(x, y, z))| far(r, x).max(far(g, y)).max(far(b, z)));
    differences.max().unwrap()
}

#[test]
fn gtk_vnc_sees_the_picture() {
    agon_testkit::needs!("gvnccapture");
    let folder = tempfile::tempdir().unwrap();
    let options = Options { size: (480, 360), ..Options::default() };
    show(&mut *viewer(), options, |address| {
        assert_eq!(difference(&gvnccapture(address, folder.path()), &painted()), 0);
    });
}

#[test]
fn vncsnapshot_speaks_the_oldest_version() {
    agon_testkit::needs!("vncsnapshot");
    let folder = tempfile::tempdir().unwrap();
    let options = Options { size: (480, 360), ..Options::default() };
    show(&mut *viewer(), options, |address| {
        let file = folder.path().join("shot.jpg");
        let mut command = Command::new("vncsnapshot");
        command.args(["-quiet", "-quality", "100", "-allowblank", &display(address)]).arg(&file);
        let output = command.output().expect("vncsnapshot starts; `cargo xtask setup` installs it");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let bytes = std::fs::read(&file).unwrap();
        let place = bytes
            .windows(2)
            .position(|two| two[0] == 0xff && (0xc0..=0xc2).contains(&two[1]))
            .unwrap();
        let number = |at: usize| u16::from_be_bytes([bytes[place + at], bytes[place + at + 1]]);
        assert_eq!((number(7), number(5)), (480, 360));
        // A picture of one colour would have a tenth of that.
        assert!(bytes.len() > 15_000, "{} bytes", bytes.len());
    });
}
