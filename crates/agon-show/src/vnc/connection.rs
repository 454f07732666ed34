//! Serves one client from its first byte to its last: handshake, inputs, updates.
//!
//! Each client has two threads. One passes its inputs to the app, the other writes pictures, which
//! it takes from a [`Mailbox`].

use std::io::{self, BufReader, Read, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use std::{net::TcpStream, sync::mpsc::SyncSender, thread};

use agon_view::Input;
use agon_view::paint::{Area, Frame};

use crate::vnc::encoding::{Encodings, PixelFormat};
use crate::vnc::handshake::{self, CHALLENGE};
use crate::vnc::input::{ClientMessage, Keyboard, Pointer, SIZES};
use crate::vnc::screen::Screen;
use crate::vnc::server::{Client, Event, Notice, ServerState, lock};

/// The time limit for a client's handshake.
const HANDSHAKE_LIMIT: Duration = Duration::from_secs(10);

/// The minimum time between two updates: people do not notice more of them, but the machine does.
const UPDATE_INTERVAL: Duration = Duration::from_millis(15);

impl Client {
    /// Serves the client until one side ends the connection; fails with the problem, if any.
    pub(crate) fn serve(
        self: &Arc<Client>,
        server: &Arc<ServerState>,
        events: &SyncSender<Event>,
    ) -> Result<(), String> {
        let screen = self.greet(server).map_err(|error| in_words(&error))?;
        *self.screen() = screen;
        if events.send(Event::Notice(Notice::Joined(self.address))).is_err() {
            return Ok(());
        }
        let writer = Arc::clone(self);
        let server = Arc::clone(server);
        let writer =
            thread::Builder::new().name("vnc-write".into()).spawn(move || writer.write(&server));
        let writer = writer.map_err(|error| error.to_string())?;
        let read = self.read(events);
        self.close();
        let written = writer.join().unwrap_or_else(|_| Err("its pictures cannot be made".into()));
        written.and(read)
    }

    fn greet(&self, server: &ServerState) -> io::Result<Screen> {
        let mut stream = Deadline { stream: &self.stream, end: Instant::now() + HANDSHAKE_LIMIT };
        let mut challenge = [0; CHALLENGE];
        getrandom::fill(&mut challenge).map_err(|error| io::Error::other(error.to_string()))?;
        let password = server.password.as_ref();
        handshake::greet(&mut stream, password, challenge, || server.punish())?;
        let (width, height) = server.size();
        stream.write_all(&handshake::describe(width, height, &server.title))?;
        self.stream.set_read_timeout(None)?;
        Ok(Screen::new(width, height))
    }

    /// Passes on the client's messages.
    fn read(&self, events: &SyncSender<Event>) -> Result<(), String> {
        let mut from = BufReader::new(&self.stream);
        let mut keyboard = Keyboard::default();
        let mut pointer = Pointer::default();
        let result = loop {
            let message = match ClientMessage::read(&mut from) {
                Ok(None) => break Ok(()),
                Ok(Some(message)) => message,
                Err(error) => break ended(&error),
            };
            let inputs = match message {
                ClientMessage::Key { keysym, is_down } => {
                    keyboard.key(keysym, is_down).map(Input::Key).into_iter().collect()
                }
                ClientMessage::Pointer { buttons, x, y } => pointer.event(buttons, x, y),
                ClientMessage::Size { width, height } => {
                    if SIZES.0.contains(&width) && SIZES.1.contains(&height) {
                        let (client, width, height) = (self.number, width.into(), height.into());
                        if events.send(Event::Size { client, width, height }).is_err() {
                            break Ok(());
                        }
                    } else {
                        let invalid = Some(SizeAnswer::Invalid);
                        self.mailbox.change(|state| state.size_answer = invalid);
                    }
                    continue;
                }
                ClientMessage::Format(format) => {
                    self.mailbox.change(|state| state.format = format);
                    continue;
                }
                ClientMessage::Encodings(encodings) => {
                    self.mailbox.change(|state| state.encodings = encodings);
                    continue;
                }
                ClientMessage::Request { incremental, area } => {
                    let forced = (!incremental).then_some(area);
                    let request = UpdateRequest { within: area, forced };
                    self.mailbox.change(|state| state.add(request));
                    continue;
                }
                ClientMessage::CutText => continue,
            };
            // This waits if other clients have sent more than the app can handle. So the client
            // waits, and not the app.
            if inputs.into_iter().any(|input| events.send(Event::Input(input)).is_err()) {
                break Ok(());
            }
        };
        // Nobody listens any more when the server ends.
        pointer
            .leave()
            .into_iter()
            .for_each(|input| events.send(Event::Input(input)).unwrap_or_default());
        result
    }

    /// Writes updates when the client wants them and there are some.
    fn write(&self, server: &ServerState) -> Result<(), String> {
        while let Some(job) = self.mailbox.next() {
            let began = Instant::now();
            let bytes = self.screen().bytes();
            server.make_room(self, bytes);
            let update = self.screen().update(&job);
            let Some(update) = update else {
                // Nothing in its area has changed.
                self.mailbox.lock().add(job.request);
                continue;
            };
            // However long the client reads, nobody keeps the picture for it.
            drop(job);
            if let Err(error) = (&self.stream).write_all(&update) {
                self.close();
                return ended(&error);
            }
            thread::sleep(UPDATE_INTERVAL.saturating_sub(began.elapsed()));
        }
        Ok(())
    }
}

/// Decides whether the end of a connection is worth a notice.
fn ended(error: &io::Error) -> Result<(), String> {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
    match error.kind() {
        BrokenPipe | ConnectionAborted | ConnectionReset | UnexpectedEof => Ok(()),
        _ => Err(in_words(error)),
    }
}

fn in_words(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => "it was silent for too long".into(),
        io::ErrorKind::UnexpectedEof => "it went away before it was in".into(),
        _ => error.to_string(),
    }
}

/// A stream that must be read within a time limit, however slowly it comes.
struct Deadline<'a> {
    stream: &'a TcpStream,
    end: Instant,
}

impl Read for Deadline<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let left = self.end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.stream.set_read_timeout(Some(left))?;
        self.stream.read(to)
    }
}

impl Write for Deadline<'_> {
    fn write(&mut self, from: &[u8]) -> io::Result<usize> {
        self.stream.write(from)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

/// The link from the painting and reading threads to the one that writes to a client.
///
/// It holds one picture, the newest, and one request. So it stays small even if the client is slow.
#[derive(Debug, Default)]
pub(crate) struct Mailbox {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) frame: Option<Arc<Frame>>,
    request: Option<UpdateRequest>,
    format: PixelFormat,
    encodings: Encodings,
    /// The answer to the client's request for a size.
    pub(crate) size_answer: Option<SizeAnswer>,
    /// Whether there may be something to write since the last check.
    is_new: bool,
    /// Whether the writer's work ends.
    pub(crate) is_closed: bool,
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

    /// Changes something. A new picture takes the place of an older one that was not taken.
    pub(crate) fn change(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.lock();
        change(&mut state);
        state.is_new = true;
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
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
        mailbox.change(|state| state.add(UpdateRequest { within: area(0, 9), forced: None }));
        for width in 1..9 {
            mailbox.change(|state| state.frame = Some(Arc::new(Frame::new(width, 1))));
        }
        let later = UpdateRequest { within: area(20, 10), forced: Some(area(20, 10)) };
        mailbox.change(|state| state.add(later));
        let job = mailbox.next().unwrap();
        assert_eq!(job.frame.width(), 8);
        assert_eq!(job.request, UpdateRequest { within: area(0, 30), forced: Some(area(20, 10)) });
        mailbox.change(|state| state.is_closed = true);
        assert!(mailbox.next().is_none());
    }
}
