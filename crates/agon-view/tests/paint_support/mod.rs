//! Compares pictures with earlier ones.

use std::{env, fs, path::PathBuf};

use agon_view::paint::{Frame, Rgb};

/// The allowed difference of a pixel in each colour: processors round differently.
const TOLERANCE: u8 = 6;

/// If this variable is set, the known pictures are rewritten.
const REWRITE: &str = "AGON_REWRITE_GOLDEN";

/// Compares a picture with `tests/golden/NAME.png`.
pub(crate) fn check(name: &str, frame: &Frame) {
    let known = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(name)
        .with_extension("png");
    if env::var_os(REWRITE).is_some() {
        return write(&known, frame);
    }
    let Some(expected) = read(&known) else {
        panic!("{} is no picture; with {REWRITE}=1 it is written", known.display());
    };
    let different = difference(frame, &expected);
    let wrong = different.data().chunks(4).filter(|pixel| pixel[0] == 255).count();
    if wrong > 0 || (frame.width(), frame.height()) != (expected.width(), expected.height()) {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
        let actual = folder.join(format!("{name}.actual.png"));
        let difference = folder.join(format!("{name}.difference.png"));
        write(&actual, frame);
        write(&difference, &different);
        panic!(
            "{name}: {wrong} pixels differ from {} ({}×{} instead of {}×{}); look at {} and {}. If \
             the change is wanted, {REWRITE}=1 writes the pictures anew",
            known.display(),
            frame.width(),
            frame.height(),
            expected.width(),
            expected.height(),
            actual.display(),
            difference.display()
        );
    }
}

/// Paints the differences in red on a dark picture of the rest.
fn difference(one: &Frame, other: &Frame) -> Frame {
    let (width, height) = (one.width().min(other.width()), one.height().min(other.height()));
    let mut made = Frame::new(width, height);
    for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
        let (a, b) = (one.pixel(x, y), other.pixel(x, y));
        let far =
            [(a.0, b.0), (a.1, b.1), (a.2, b.2)].iter().any(|(a, b)| a.abs_diff(*b) > TOLERANCE);
        let color = if far { Rgb(255, 0, 0) } else { Rgb(a.0 / 4, a.1 / 4, a.2 / 4) };
        made.fill(agon_view::paint::Area { x: x as i32, y: y as i32, width: 1, height: 1 }, color);
    }
    made
}

pub(crate) fn write(path: &PathBuf, frame: &Frame) {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, frame.width(), frame.height());
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_compression(png::Compression::High);
    let pixels: Vec<u8> = frame.data().chunks(4).flat_map(|pixel| pixel[..3].to_vec()).collect();
    let mut writer = encoder.write_header().expect("memory takes bytes");
    writer.write_image_data(&pixels).expect("there are as many pixels as announced");
    writer.finish().expect("memory takes bytes");
    fs::write(path, bytes).expect("the folder is there");
}

fn read(path: &PathBuf) -> Option<Frame> {
    let file = std::io::BufReader::new(fs::File::open(path).ok()?);
    let mut reader = png::Decoder::new(file).read_info().ok()?;
    let mut pixels = vec![0; reader.output_buffer_size()?];
    let info = reader.next_frame(&mut pixels).ok()?;
    let mut frame = Frame::new(info.width, info.height);
    for (pixel, known) in frame.data_mut().chunks_mut(4).zip(pixels.chunks(3)) {
        pixel[..3].copy_from_slice(known);
    }
    Some(frame)
}
