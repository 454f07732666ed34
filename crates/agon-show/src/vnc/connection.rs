//! Serves one client from its first byte to its last: handshake, inputs, updates.
//!
//! Each client has two threads. One passes its inputs to the app, the other writes pictures.

use std::{
    io::{self, BufReader, Read, Write},
    net::TcpStream,
    sync::{Arc, mpsc::SyncSender},
    thread,
    time::{Duration, Instant},
};

use agon_view::Input;

use crate::vnc::{
    handshake::{self, CHALLENGE, HandshakeError, Password},
    input::{Keyboard, Pointer},
    mailbox::{SizeAnswer, UpdateRequest},
    message::{ClientMessage, SIZES},
    screen::Screen,
    state::{Client, Event, ServerState},
};

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
        let screen = self.greet(server).map_err(|error| match error {
            HandshakeError::Io(error) => in_words(&error),
            error => error.to_string(),
        })?;
        *self.screen() = screen;
        if events.send(Event::Joined(self.address)).is_err() {
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

    fn greet(&self, server: &ServerState) -> Result<Screen, HandshakeError> {
        let mut stream = Deadline { stream: &self.stream, end: Instant::now() + HANDSHAKE_LIMIT };
        let mut challenge = [0; CHALLENGE];
        getrandom::fill(&mut challenge).map_err(|error| io::Error::other(error.to_string()))?;
        let password: Option<&Password> = server.password.as_ref();
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
                Err(crate::vnc::MessageError::Io(error)) => break ended(&error),
                Err(error) => break Err(error.to_string()),
            };
            let inputs = match message {
                ClientMessage::Key { keysym, is_down } => {
                    keyboard.key(keysym, is_down).map(Input::Key).into_iter().collect()
                }
                ClientMessage::Pointer { buttons, x, y } => pointer.event(buttons, x, y),
                ClientMessage::Size { width, height } => {
                    if SIZES.0.contains(&width) && SIZES.1.contains(&height) {
                        let client = self.number;
                        let width = width.into();
                        let height = height.into();
                        if events.send(Event::Size { client, width, height }).is_err() {
                            break Ok(());
                        }
                    } else {
                        self.mailbox.answer_size(SizeAnswer::Invalid);
                    }
                    continue;
                }
                message => {
                    self.note(message);
                    continue;
                }
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

    /// Notes a message that concerns only the client's own pictures.
    fn note(&self, message: ClientMessage) {
        match message {
            ClientMessage::Format(format) => self.mailbox.set_format(format),
            ClientMessage::Encodings(encodings) => self.mailbox.set_encodings(encodings),
            ClientMessage::Request { incremental, area } => {
                self.mailbox.request(UpdateRequest {
                    within: area,
                    forced: (!incremental).then_some(area),
                });
            }
            _ => {}
        }
    }

    /// Writes updates when the client wants them and there are some.
    fn write(&self, server: &ServerState) -> Result<(), String> {
        while let Some(job) = self.mailbox.next() {
            let began = Instant::now();
            let bytes = self.screen().bytes();
            server.make_room(self, bytes);
            let update = self.screen().update(&job);
            let Some(update) = update else {
                self.mailbox.put_back(job.request);
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
