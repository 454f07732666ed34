//! `agon-window-host`: a window for the arena.
//!
//! Inputs go to standard output, pictures come from standard input.
//!
//! The arena starts it by itself. It is a separate program because libraries for windows take long
//! to build. Building it needs no development packages, and running it needs no GPU. The libraries
//! of X11 (feature `x11`) and Wayland (feature `wayland`) are loaded when the window is opened.
//! `agon_view::window::dialogue` has the messages. A thread receives pictures from the arena,
//! because the window could not wait for both. It also ends this program soon after the arena has
//! ended.

mod shell;

use std::io::{self, IsTerminal, Write};
use std::process::{self, ExitCode};
use std::{thread, time::Duration};

use agon_files::parts::Message;
use agon_view::window::dialogue::{DIALOGUE, Order, PART, Problem, Report};
use anyhow::{Context, Result, bail};
use shell::Shell;
use winit::event_loop::EventLoopProxy;

fn main() -> ExitCode {
    match host() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // There may be no reader.
            let _ = writeln!(io::stderr(), "{}: {error:#}", PART.program);
            ExitCode::from(2)
        }
    }
}

/// Shows a window until the arena ends it.
fn host() -> Result<()> {
    if io::stdout().is_terminal() {
        bail!("this program opens windows for `agon`, which starts it by itself");
    }
    let nobody = "nobody listens";
    agon_files::parts::greet(&PART, DIALOGUE, &mut io::stdout()).context(nobody)?;
    let say = |report| agon_files::parts::send(&mut io::stdout(), &report, &[]);
    if let Err(problem) = shell::look() {
        return say(Report::Failed(problem)).context(nobody);
    }
    say(Report::Ready).context(nobody)?;
    let Some(title) = title()? else { return Ok(()) };
    match show(title) {
        Ok(()) => Ok(()),
        Err(problem) => say(Report::Failed(problem)).context(nobody),
    }
}

/// Waits for the title of the window; `None` if no window is wanted.
fn title() -> Result<Option<String>> {
    match agon_files::parts::receive(&mut io::stdin().lock())
        .context("cannot read what the arena says")?
    {
        Some(message) => match message.value {
            Order::Open { title } => Ok(Some(title)),
            Order::Show { .. } => bail!("a picture has come before there is a window"),
        },
        None => Ok(None),
    }
}

fn show(title: String) -> Result<(), Problem> {
    let events = shell::connect()?;
    listen(events.create_proxy()).map_err(shell::refused)?;
    let mut shell = Shell::new(title);
    events.run_app(&mut shell).map_err(shell::refused)?;
    shell.finish()
}

/// The window's time limit for closing; a display may hang.
const LAST_MOMENT: Duration = Duration::from_secs(1);

/// A message for the window.
#[derive(Debug)]
pub(crate) enum ArenaEvent {
    /// A picture to show.
    Picture(Picture),
    /// Nothing more will come.
    End,
}

/// Listens in a separate thread, which ends this program soon after the arena has ended.
pub(crate) fn listen(window: EventLoopProxy<ArenaEvent>) -> io::Result<()> {
    let listen = move || {
        let mut stdin = io::stdin().lock();
        while let Some(picture) = next(&mut stdin) {
            if window.send_event(ArenaEvent::Picture(picture)).is_err() {
                return;
            }
        }
        let _ = window.send_event(ArenaEvent::End);
        thread::sleep(LAST_MOMENT);
        process::exit(0);
    };
    thread::Builder::new().name("arena".to_owned()).spawn(listen).map(drop)
}

/// Returns the next picture; `None` if the arena is gone, or its message makes no sense.
fn next(from: &mut impl io::Read) -> Option<Picture> {
    let Message { value, bytes } = agon_files::parts::receive(from).ok()??;
    match value {
        Order::Show { width, height } => Picture::new(width, height, bytes),
        Order::Open { .. } => None,
    }
}

/// A picture of opaque pixels, row by row from the top.
///
/// A pixel is red, green, blue and one byte that is ignored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Picture {
    width: usize,
    height: usize,
    pixels: Vec<u8>,
}

impl Picture {
    /// Makes a picture; `None` if it has another number of pixels.
    pub(crate) fn new(width: u32, height: u32, pixels: Vec<u8>) -> Option<Picture> {
        let (width, height) = (width as usize, height as usize);
        let length = width.checked_mul(height)?.checked_mul(4)?;
        (length > 0 && length == pixels.len()).then_some(Picture { width, height, pixels })
    }

    /// Copies it into a buffer with rows of `width` pixels; the rest becomes black.
    ///
    /// There is a rest until the arena has painted for the window's new size.
    pub(crate) fn copy(&self, buffer: &mut [u32], width: usize) {
        for (y, row) in buffer.chunks_exact_mut(width).enumerate() {
            let columns = self.width.min(width);
            let (seen, beside) = row.split_at_mut(if y < self.height { columns } else { 0 });
            let pixels = &self.pixels[4 * self.width * y.min(self.height - 1)..];
            for (pixel, &[red, green, blue, _]) in seen.iter_mut().zip(pixels.as_chunks().0) {
                *pixel = u32::from_be_bytes([0, red, green, blue]);
            }
            beside.fill(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes a picture of two columns and three rows, numbered in red.
    fn picture() -> Picture {
        let pixels = (1..=6).flat_map(|red| [red, 0, 9, 255]).collect();
        Picture::new(2, 3, pixels).expect("it has as many pixels")
    }

    #[test]
    fn windows_of_other_sizes_show_what_fits() {
        let seen = |width: usize, height: usize| {
            let mut buffer = vec![u32::MAX; width * height];
            picture().copy(&mut buffer, width);
            buffer
                .into_iter()
                .map(|pixel| if pixel == 0 { 0 } else { (pixel - 9) >> 16 })
                .collect::<Vec<_>>()
        };
        assert_eq!(seen(2, 3), [1, 2, 3, 4, 5, 6]);
        assert_eq!(seen(1, 2), [1, 3]);
        assert_eq!(seen(3, 4), [1, 2, 0, 3, 4, 0, 5, 6, 0, 0, 0, 0]);
    }

    #[test]
    fn a_picture_has_as_many_pixels_as_it_says() {
        assert_eq!(Picture::new(1, 1, vec![0; 3]), None);
        assert_eq!(Picture::new(0, 1, vec![]), None);
        assert_eq!(Picture::new(u32::MAX, u32::MAX, vec![0; 4]), None);
        assert!(Picture::new(1, 2, vec![0; 8]).is_some());
    }
}
