//! Other people's clients, each with its own version of the protocol and its favourite encodings.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![cfg(target_os = "linux")]

use std::{fs::File, net::SocketAddr, path::Path, process::Command};

use agon_show::vnc::Options;
use agon_view::{App, paint::Frame};

use crate::client::stage::{cluster, show};

/// Returns the address for clients that count displays from port 5900.
fn display(address: SocketAddr) -> String {
    format!("{}:{}", address.ip(), i32::from(address.port()) - 5900)
}

/// Takes a picture with gvnccapture (gtk-vnc), which speaks 3.8.
fn gvnccapture(address: SocketAddr, folder: &Path) -> Frame {
    let file = folder.join("shot.png");
    let output = Command::new("gvnccapture").args(["-q", &display(address)]).arg(&file).output();
    let output = output.expect("gvnccapture starts; `cargo xtask setup` installs it");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut decoder = png::Decoder::new(std::io::BufReader::new(File::open(file).unwrap()));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().unwrap();
    let mut data = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut data).unwrap();
    let mut frame = Frame::new(info.width, info.height);
    let pixels = frame.data_mut().chunks_mut(4).zip(data.chunks(info.color_type.samples()));
    pixels.for_each(|(pixel, known)| pixel[..3].copy_from_slice(&known[..3]));
    frame
}

/// Paints the server's picture.
fn painted() -> Frame {
    let mut frame = Frame::new(480, 360);
    cluster(4).paint(&mut frame);
    frame
}

#[test]
fn gtk_vnc_sees_the_picture() {
    agon_testkit::needs!("gvnccapture");
    let folder = tempfile::tempdir().unwrap();
    let options = Options { size: (480, 360), ..Options::default() };
    show(&mut cluster(4), options, |address| {
        assert!(gvnccapture(address, folder.path()) == painted());
    });
}

#[test]
fn vncsnapshot_speaks_the_oldest_version() {
    agon_testkit::needs!("vncsnapshot");
    let folder = tempfile::tempdir().unwrap();
    let options = Options { size: (480, 360), ..Options::default() };
    show(&mut cluster(4), options, |address| {
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
