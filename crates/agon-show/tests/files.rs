//! Written files can be read again, and contain the painted pictures.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs::{self, File};
use std::io::{BufReader, Cursor};
use std::{path::Path, time::Duration};

use agon_core::Seed;
use agon_games::GameId;
use agon_show::film::{FilmStyle, Finished, Format, Output, Recorder, Style};
use agon_view::paint::{Area, Frame, Rgb};

const PAPER: Rgb = Rgb(14, 17, 23);
const SIZE: (u32, u32) = (61, 35);

/// Paints a square that moves over the paper and changes its colour.
///
/// Every third picture repeats the one before.
fn picture(number: u32) -> Frame {
    let mut frame = Frame::new(SIZE.0, SIZE.1);
    frame.fill(frame.area(), PAPER);
    let n = number - u32::from(number % 3 == 2);
    let square = Area { x: 3 * n as i32, y: n as i32, width: 9, height: 9 };
    frame.fill(square, Rgb(200, (16 * n) as u8, 255 - (9 * n) as u8));
    frame
}

fn output(format: Format, path: &Path) -> Output {
    Output { format, path: path.to_owned(), overwrite: false }
}

/// Makes a film of twelve pictures, a quarter of a second each.
fn film(format: Format, path: &Path) -> Finished {
    let style = Style { colors: vec![PAPER], fps: 4.0 };
    let mut film = output(format, path).begin(SIZE, &style).unwrap();
    for number in 0..12 {
        film.frame(&picture(number), Duration::from_millis(250)).unwrap();
    }
    film.finish().unwrap()
}

/// A film as a viewer shows it: after each part all pixels, and their time in milliseconds.
type Seen = Vec<(Vec<u8>, u32)>;

/// Returns the expected film: eight pictures, every second one for twice as long.
fn expected() -> Seen {
    let shown = (0..12).filter(|number| number % 3 != 2);
    shown.map(|n| (picture(n).data().to_vec(), if n % 3 == 1 { 500 } else { 250 })).collect()
}

/// Draws a part over the canvas where it is opaque.
fn put(canvas: &mut [u8], (x, y, width): (usize, usize, usize), part: &[u8]) {
    for (row, pixels) in part.chunks_exact(4 * width).enumerate() {
        let start = 4 * ((y + row) * SIZE.0 as usize + x);
        for (to, from) in canvas[start..].chunks_exact_mut(4).zip(pixels.chunks_exact(4)) {
            if from[3] != 0 {
                to.copy_from_slice(from);
            }
        }
    }
}

fn seen_gif(path: &Path) -> Seen {
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(File::open(path).unwrap()).unwrap();
    assert_eq!((u32::from(decoder.width()), u32::from(decoder.height())), SIZE);
    assert_eq!(decoder.repeat(), gif::Repeat::Infinite);
    assert_eq!(decoder.global_palette().unwrap().len(), 768);
    let mut canvas = vec![0; 4 * (SIZE.0 * SIZE.1) as usize];
    let mut seen = Vec::new();
    while let Some(part) = decoder.read_next_frame().unwrap() {
        assert!(part.palette.is_none(), "one palette for all");
        put(&mut canvas, (part.left.into(), part.top.into(), part.width.into()), &part.buffer);
        seen.push((canvas.clone(), 10 * u32::from(part.delay)));
    }
    seen
}

fn seen_apng(path: &Path) -> Seen {
    let mut reader =
        png::Decoder::new(BufReader::new(File::open(path).unwrap())).read_info().unwrap();
    let info = reader.info();
    assert_eq!((info.width, info.height), SIZE);
    let control = *info.animation_control().unwrap();
    assert_eq!(control.num_plays, 0, "again and again");
    let mut canvas = vec![0; 4 * (SIZE.0 * SIZE.1) as usize];
    let mut seen = Vec::new();
    for _ in 0..control.num_frames {
        let mut part = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut part).unwrap();
        let frame = *reader.info().frame_control().unwrap();
        let length = 4 * (frame.width * frame.height) as usize;
        let place = (frame.x_offset as usize, frame.y_offset as usize, frame.width as usize);
        put(&mut canvas, place, &part[..length]);
        let delay = 1000 * u32::from(frame.delay_num) / u32::from(frame.delay_den);
        seen.push((canvas.clone(), delay));
    }
    seen
}

/// Returns the pixels of a PNG file, three bytes each.
fn seen_png(file: &[u8]) -> Vec<u8> {
    let mut decoder = png::Decoder::new(Cursor::new(file));
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut pixels).unwrap();
    pixels
}

/// Returns the pixels of a picture, three bytes each.
fn rgb(frame: &Frame) -> Vec<u8> {
    frame.data().chunks(4).flat_map(|pixel| &pixel[..3]).copied().collect()
}

#[test]
fn moving_pictures_are_what_was_painted() {
    let folder = tempfile::tempdir().unwrap();
    type Look = fn(&Path) -> Seen;
    let kinds: [(Format, Look); 2] = [(Format::Gif, seen_gif), (Format::Apng, seen_apng)];
    for (format, look) in kinds {
        let path = folder.path().join("new/folder").join(format.to_string());
        let finished = film(format, &path);
        let seen = look(&path);
        let expected = expected();
        assert_eq!(seen.len(), expected.len(), "{format}");
        for (number, (seen, expected)) in seen.iter().zip(&expected).enumerate() {
            assert_eq!(seen.1, expected.1, "{format}, picture {number}");
            assert!(seen.0 == expected.0, "{format}: picture {number} differs");
        }
        assert_eq!(
            (finished.pictures, finished.length),
            (8, Some(Duration::from_secs(3))),
            "{format}"
        );
        assert_eq!(
            (finished.bytes, finished.size),
            (fs::metadata(&path).unwrap().len(), SIZE),
            "{format}"
        );
        // Only a small square changes.
        assert!(finished.bytes < 6000, "{format}: {} bytes", finished.bytes);
    }
    let files = fs::read_dir(folder.path().join("new/folder")).unwrap().count();
    assert_eq!(files, 2, "nothing else is left behind");
}

#[test]
fn pictures_in_a_folder_are_numbered() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a/b");
    let finished = film(Format::Pictures, &path);
    assert_eq!((finished.pictures, finished.length), (12, None));
    for number in 0..12 {
        let file = fs::read(path.join(format!("{number:08}.png"))).unwrap();
        assert!(seen_png(&file) == rgb(&picture(number)), "picture {number} differs");
    }
    assert_eq!(fs::read_dir(&path).unwrap().count(), 12);
    let again = output(Format::Pictures, &path);
    assert!(again.check().unwrap_err().to_string().contains("is not empty"));
    assert!(Output { overwrite: true, ..again }.begin(SIZE, &Style::default()).is_ok());
}

#[test]
fn pictures_of_many_colours_stay_exact_in_png_and_nearly_so_in_gif() {
    let mut frame = Frame::new(64, 64);
    for (n, pixel) in frame.data_mut().chunks_exact_mut(4).enumerate() {
        pixel[..3].copy_from_slice(&[(n % 64 * 4) as u8, (n / 64 * 4) as u8, 99]);
    }
    assert!(seen_png(&agon_show::film::still(&frame)) == rgb(&frame));

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("many.gif");
    let style = Style { colors: vec![Rgb(200, 100, 99)], fps: 10.0 };
    let mut film = output(Format::Gif, &path).begin((64, 64), &style).unwrap();
    film.frame(&frame, Duration::from_millis(100)).unwrap();
    film.finish().unwrap();
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(File::open(&path).unwrap()).unwrap();
    let seen = decoder.read_next_frame().unwrap().unwrap().buffer.to_vec();
    let error = |(a, b): (&u8, &u8)| u64::from(a.abs_diff(*b));
    let mean = seen.iter().zip(frame.data()).map(error).sum::<u64>() as f64 / seen.len() as f64;
    assert!(mean < 25.0, "colours are off by {mean} on the mean");
    let at = 4 * (25 * 64 + 50);
    assert_eq!(seen[at..at + 3], [200, 100, 99], "what was named first is exact");
}

#[test]
fn what_cannot_be_seen_so_short_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fast.gif");
    let mut film = output(Format::Gif, &path).begin(SIZE, &Style::default()).unwrap();
    for number in 0..20 {
        film.frame(&picture(3 * number % 18), Duration::from_secs_f64(1.0 / 200.0)).unwrap();
    }
    let finished = film.finish().unwrap();
    // The last picture stays at least as long as the others.
    let length = finished.length.unwrap().as_millis();
    assert!((100..=120).contains(&length), "the speed stays, but it takes {length} ms");
    let seen = seen_gif(&path);
    assert!(seen.iter().all(|(_, delay)| *delay >= 20), "no viewer shows less than 20 ms");
    assert!((4..=6).contains(&seen.len()), "{} pictures", seen.len());
}

#[test]
fn unfinished_films_leave_nothing_and_old_ones_stay() {
    let folder = tempfile::tempdir().unwrap();
    for format in [Format::Gif, Format::Apng] {
        let path = folder.path().join("old");
        fs::write(&path, "old").unwrap();
        let mut film = output(format, &path).begin(SIZE, &Style::default()).unwrap();
        film.frame(&picture(0), Duration::from_millis(100)).unwrap();
        drop(film);
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "{format}");
    }
}

#[test]
fn paths_that_cannot_be_written_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "x").unwrap();
    for format in [Format::Gif, Format::Apng, Format::Pictures] {
        let error = output(format, &file.join("film")).begin(SIZE, &Style::default()).unwrap_err();
        assert!(error.to_string().starts_with("cannot write "), "{error}");
    }
    for format in [Format::Gif, Format::Apng] {
        let error = output(format, folder.path()).begin(SIZE, &Style::default()).unwrap_err();
        assert!(error.to_string().starts_with("cannot write "), "{error}");
    }
}

#[test]
fn pictures_of_another_size_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("film");
    let mut film = output(Format::Apng, &path).begin(SIZE, &Style::default()).unwrap();
    let error = film.frame(&Frame::new(3, 4), Duration::from_millis(9)).unwrap_err();
    assert!(
        error.to_string().ends_with("has 3x4 pixels instead of 61x35 as the first one"),
        "{error}"
    );
    let error = output(Format::Mp4, &path).begin((20_000, 20), &Style::default()).unwrap_err();
    assert!(error.to_string().contains("at most 16384x16384"), "{error}");
}

#[test]
fn a_film_has_a_hundred_thousand_pictures_at_most() {
    agon_testkit::slow!();
    let kind = GameId::Cluster.kind();
    let game = kind.start(&serde_json::json!({ "side": 3 }), 2, Seed(1)).unwrap();
    let (zoom, smooth) = (Some(1.0), Some(0));
    let look = FilmStyle { zoom, bare: true, steps: true, smooth, ..FilmStyle::default() };
    let mut recorder = Recorder::new(kind, Vec::new(), look, Vec::new());
    let none = kind.no_answers();
    for _ in 0..100_000 {
        recorder.state(&game, &none).unwrap();
    }
    let error = recorder.state(&game, &none).unwrap_err().to_string();
    assert!(
        error.starts_with("a film has 100000 pictures at most; --every, --from and --to"),
        "{error}"
    );
}
