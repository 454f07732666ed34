//! Receives pictures from the arena in a thread, while the window waits for events.
//!
//! Without the thread, the window could not wait for both. The thread also ends this program soon
//! after the arena has ended.

use std::{io, process, thread, time::Duration};

use agon_parts::Message;
use agon_window::dialogue::Order;
use winit::event_loop::EventLoopProxy;

use crate::picture::Picture;

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
///
/// # Errors
/// If no more threads are allowed.
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
    let Message { value, bytes } = agon_parts::receive(from).ok()??;
    match value {
        Order::Show { width, height } => Picture::new(width, height, bytes),
        Order::Open { .. } => None,
    }
}
