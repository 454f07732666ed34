//! Passes pictures and requests to the thread that writes to a client.
//!
//! The app's thread puts pictures in, the client's reading thread its requests, and the writing
//! thread takes both out.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use agon_view::paint::{Area, Frame};

use crate::vnc::{encoding::Encodings, pixel::PixelFormat};

/// The link from the painting and reading threads to the one that writes to a client.
///
/// It holds one picture, the newest, and one request. So it stays small even if the client is slow.
#[derive(Debug, Default)]
pub(crate) struct Mailbox {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    frame: Option<Arc<Frame>>,
    request: Option<UpdateRequest>,
    format: PixelFormat,
    encodings: Encodings,
    size_answer: Option<SizeAnswer>,
    /// Whether there may be something to write since the last check.
    is_new: bool,
    is_closed: bool,
}

/// A client's request for an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UpdateRequest {
    /// The area whose changes it wants.
    pub(crate) within: Area,
    /// The area that it wants even without a change.
    pub(crate) forced: Option<Area>,
}

/// The result of a client's request for a size, with the numbers of ExtendedDesktopSize.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SizeAnswer {
    /// The picture has it.
    Done = 0,
    /// There are no pictures of that size.
    Invalid = 3,
}

/// A task for the writer.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) frame: Arc<Frame>,
    pub(crate) request: UpdateRequest,
    pub(crate) format: PixelFormat,
    pub(crate) encodings: Encodings,
    pub(crate) size_answer: Option<SizeAnswer>,
}

impl Mailbox {
    /// Stores a new picture, in place of an older one that was not taken.
    pub(crate) fn put_frame(&self, frame: &Arc<Frame>) {
        self.change(|state| state.frame = Some(Arc::clone(frame)));
    }

    /// Stores a request of the client.
    pub(crate) fn request(&self, request: UpdateRequest) {
        self.change(|state| state.add(request));
    }

    /// Sets the client's format of pixels.
    pub(crate) fn set_format(&self, format: PixelFormat) {
        self.change(|state| state.format = format);
    }

    /// Sets the client's encodings.
    pub(crate) fn set_encodings(&self, encodings: Encodings) {
        self.change(|state| state.encodings = encodings);
    }

    /// Stores the answer to the client's request for a size.
    pub(crate) fn answer_size(&self, answer: SizeAnswer) {
        self.change(|state| state.size_answer = Some(answer));
    }

    /// Ends the writer's work.
    pub(crate) fn close(&self) {
        self.change(|state| state.is_closed = true);
    }

    /// Puts a request back, because nothing in its area has changed.
    pub(crate) fn put_back(&self, request: UpdateRequest) {
        self.lock().add(request);
    }

    /// Waits for a task that may be worth writing; `None` once the mailbox is closed.
    pub(crate) fn next(&self) -> Option<Job> {
        let is_idle = |state: &mut State| {
            let has_job = state.is_new && state.frame.is_some() && state.request.is_some();
            !(state.is_closed || has_job)
        };
        let mut state =
            self.changed.wait_while(self.lock(), is_idle).unwrap_or_else(PoisonError::into_inner);
        if state.is_closed {
            return None;
        }
        state.is_new = false;
        let size_answer = state.size_answer.take();
        let frame = state.frame.clone()?;
        let request = state.request.take()?;
        Some(Job { frame, request, format: state.format, encodings: state.encodings, size_answer })
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.lock();
        change(&mut state);
        state.is_new = true;
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn add(&mut self, request: UpdateRequest) {
        self.request = Some(match self.request {
            None => request,
            Some(other) => UpdateRequest {
                within: around(other.within, request.within),
                forced: match (other.forced, request.forced) {
                    (Some(one), Some(two)) => Some(around(one, two)),
                    (one, two) => one.or(two),
                },
            },
        });
    }
}

/// Returns the smallest area around both.
pub(crate) fn around(one: Area, two: Area) -> Area {
    let (x, y) = (one.x.min(two.x), one.y.min(two.y));
    let right = |area: Area| area.x + area.width as i32;
    let bottom = |area: Area| area.y + area.height as i32;
    let width = right(one).max(right(two)) - x;
    let height = bottom(one).max(bottom(two)) - y;
    Area { x, y, width: width as u32, height: height as u32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_newest_is_kept() {
        let mailbox = Mailbox::default();
        let area = |x, width| Area { x, y: 0, width, height: 5 };
        mailbox.request(UpdateRequest { within: area(0, 9), forced: None });
        for width in 1..9 {
            mailbox.put_frame(&Arc::new(Frame::new(width, 1)));
        }
        mailbox.request(UpdateRequest { within: area(20, 10), forced: Some(area(20, 10)) });
        let job = mailbox.next().unwrap();
        assert_eq!(job.frame.width(), 8);
        assert_eq!(job.request, UpdateRequest { within: area(0, 30), forced: Some(area(20, 10)) });
        mailbox.put_back(job.request);
        mailbox.close();
        assert!(mailbox.next().is_none());
    }
}
