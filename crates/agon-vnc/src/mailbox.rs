//! Pictures that wait for a client, and the client's requests.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use agon_paint::{Area, Frame};

use crate::{encoding::Encodings, pixel::PixelFormat};

/// Between those who paint and read, and the thread that writes to a client. It holds one picture,
/// the newest, and one request, so that it stays small however slow the client is.
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
    /// Whether there may be something to be written since somebody looked last.
    is_new: bool,
    is_closed: bool,
}

/// What a client wants to see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UpdateRequest {
    /// Where it wants to see changes.
    pub(crate) within: Area,
    /// What it wants to see even if nothing has changed.
    pub(crate) anew: Option<Area>,
}

/// What came of a size that the client has asked for; the numbers are those of ExtendedDesktopSize.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SizeAnswer {
    /// The picture has it.
    Done = 0,
    /// There are no such pictures.
    Invalid = 3,
}

/// Something to be written.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) frame: Arc<Frame>,
    pub(crate) request: UpdateRequest,
    pub(crate) format: PixelFormat,
    pub(crate) encodings: Encodings,
    pub(crate) size_answer: Option<SizeAnswer>,
}

impl Mailbox {
    /// There is a new picture; an older one that nobody took is forgotten.
    pub(crate) fn put_frame(&self, frame: &Arc<Frame>) {
        self.change(|state| state.frame = Some(Arc::clone(frame)));
    }

    /// The client wants to see something.
    pub(crate) fn request(&self, request: UpdateRequest) {
        self.change(|state| state.add(request));
    }

    /// The client wants its pixels so.
    pub(crate) fn set_format(&self, format: PixelFormat) {
        self.change(|state| state.format = format);
    }

    /// The client understands these.
    pub(crate) fn set_encodings(&self, encodings: Encodings) {
        self.change(|state| state.encodings = encodings);
    }

    /// The client is to be told what came of the size that it has asked for.
    pub(crate) fn answer_size(&self, answer: SizeAnswer) {
        self.change(|state| state.size_answer = Some(answer));
    }

    /// There will be nothing more.
    pub(crate) fn close(&self) {
        self.change(|state| state.is_closed = true);
    }

    /// Nothing that the client asked for has changed: the request stays.
    pub(crate) fn put_back(&self, request: UpdateRequest) {
        self.lock().add(request);
    }

    /// Waits for something that may be worth writing; `None` once the mailbox is closed.
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
                anew: match (other.anew, request.anew) {
                    (Some(one), Some(two)) => Some(around(one, two)),
                    (one, two) => one.or(two),
                },
            },
        });
    }
}

/// The smallest area with both in it.
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
        mailbox.request(UpdateRequest { within: area(0, 9), anew: None });
        for width in 1..9 {
            mailbox.put_frame(&Arc::new(Frame::new(width, 1)));
        }
        mailbox.request(UpdateRequest { within: area(20, 10), anew: Some(area(20, 10)) });
        let job = mailbox.next().unwrap();
        assert_eq!(job.frame.width(), 8);
        assert_eq!(job.request, UpdateRequest { within: area(0, 30), anew: Some(area(20, 10)) });
        mailbox.put_back(job.request);
        mailbox.close();
        assert!(mailbox.next().is_none());
    }
}
