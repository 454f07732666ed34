//! A part that was started, and exchanges messages with the arena through its standard input and
//! output.
//!
//! The arena talks to windows, the web server and the database writer this way.

#![warn(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    clippy::cast_lossless,
    reason = "messages are foreign bytes, whose numbers must not change unnoticed"
)]

use std::io::{self, BufReader, BufWriter, ErrorKind, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use std::{path::Path, sync::mpsc, thread};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::parts::{Part, PartError};

/// How long a part may take for its greeting. A program that says nothing, such as `cat`, is none.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long a program that has closed its standard output may take to end.
const LAST_MOMENT: Duration = Duration::from_secs(1);

/// The first message of a part.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Greeting {
    program: String,
    /// See [`dialogue`](crate::parts::dialogue()).
    dialogue: u64,
}

/// A part that was started. Dropping it kills the part.
#[derive(Debug)]
pub struct Running {
    child: Child,
    /// The pipe to it, unless somebody has taken it. Dropping it tells the part to end.
    pub stdin: Option<BufWriter<ChildStdin>>,
    /// The pipe from it, unless somebody has taken it.
    pub stdout: Option<BufReader<ChildStdout>>,
}

/// Sends the first message of a part, which identifies it. Parts call this first.
///
/// # Errors
/// If the arena is gone.
pub fn greet(part: &Part, dialogue: u64, to: &mut impl Write) -> io::Result<()> {
    send(to, &Greeting { program: part.program.to_owned(), dialogue }, &[])
}

impl Running {
    /// Starts a part.
    ///
    /// In a checkout, a part that is missing or from another build is built first, after a call of
    /// `announce`. Ctrl-C does not reach the part: it ends when its standard input ends.
    ///
    /// # Errors
    /// If it is missing, cannot be built or started, or comes from another build.
    pub fn start(
        part: &Part,
        dialogue: u64,
        announce: &dyn Fn(&str),
    ) -> Result<Running, PartError> {
        let found = part.find_or_build(announce)?;
        match Running::start_at(&found, part, dialogue) {
            Err(PartError::Other(why)) => match part.build(announce)? {
                Some(built) => Running::start_at(&built, part, dialogue),
                None => Err(PartError::Other(why)),
            },
            started => started,
        }
    }

    fn start_at(path: &Path, part: &Part, dialogue: u64) -> Result<Running, PartError> {
        let name = path.display();
        let other =
            |problem: &str| PartError::Other(format!("{name}: {problem}; {}", part.remedy()));
        let mut command = Command::new(path);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        own_group(&mut command);
        let mut child = command.spawn().map_err(|error| match error.kind() {
            ErrorKind::NotFound | ErrorKind::PermissionDenied => {
                other(&format!("cannot be started: {error}"))
            }
            // The machine lacks something: another build of the program would not help.
            _ => PartError::Failed(format!("{name}: cannot be started: {error}")),
        })?;
        let stdin = child.stdin.take().map(BufWriter::new);
        let stdout = child.stdout.take().map(BufReader::new);
        let mut running = Running { child, stdin, stdout };
        let problem = match running.greeting() {
            Ok(Some(Message { value, .. })) if value.program != part.program => {
                "it is another program".to_owned()
            }
            Ok(Some(Message { value, .. })) if value.dialogue == dialogue => return Ok(running),
            Ok(Some(_)) => "it is of another build than this `agon`".to_owned(),
            Ok(None) => format!("it ended at once, {}", running.ended()),
            Err(error) => format!("it does not greet as it should: {error}"),
        };
        Err(other(&problem))
    }

    /// Returns the first message, if it comes in time. The waiting thread ends with the part.
    fn greeting(&mut self) -> io::Result<Option<Message<Greeting>>> {
        let mut stdout = self.stdout.take().ok_or(ErrorKind::BrokenPipe)?;
        let (sender, receiver) = mpsc::channel();
        thread::Builder::new().name("greeting".to_owned()).spawn(move || {
            let received = receive(&mut stdout);
            // If it comes late, the receiver is gone.
            let _ = sender.send((stdout, received));
        })?;
        match receiver.recv_timeout(PATIENCE) {
            Ok((stdout, received)) => {
                self.stdout = Some(stdout);
                received
            }
            Err(_) => Err(io::Error::new(ErrorKind::TimedOut, "it says nothing")),
        }
    }

    /// Sends the part a message.
    ///
    /// # Errors
    /// If it is gone.
    pub fn send<T: Serialize>(&mut self, value: &T, bytes: &[u8]) -> io::Result<()> {
        send(self.stdin.as_mut().ok_or(ErrorKind::BrokenPipe)?, value, bytes)
    }

    /// Waits for its next message; `None` if it has ended.
    ///
    /// # Errors
    /// If its output is not a message.
    pub fn receive<T: DeserializeOwned>(&mut self) -> io::Result<Option<Message<T>>> {
        receive(self.stdout.as_mut().ok_or(ErrorKind::BrokenPipe)?)
    }

    /// Ends it by closing its standard input, and waits for its end.
    ///
    /// # Errors
    /// If it cannot be waited for.
    pub fn end(mut self) -> io::Result<ExitStatus> {
        drop(self.stdin.take());
        self.child.wait()
    }

    /// Ends it in the same way, but kills it after `patience`.
    pub fn end_within(mut self, patience: Duration) {
        drop(self.stdin.take());
        // Its status does not matter. If it still runs, dropping it kills it now.
        let _ = self.wait(patience);
    }

    /// Describes its end for people, after it has closed its standard output.
    pub fn ended(&mut self) -> String {
        match self.wait(LAST_MOMENT) {
            Ok(Some(status)) => status.to_string(),
            Ok(None) => "but goes on without a word".to_owned(),
            Err(error) => error.to_string(),
        }
    }

    fn wait(&mut self, patience: Duration) -> io::Result<Option<ExitStatus>> {
        let began = Instant::now();
        loop {
            match self.child.try_wait()? {
                None if began.elapsed() < patience => thread::sleep(Duration::from_millis(2)),
                status => return Ok(status),
            }
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // One that has ended already cannot be killed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Puts the part into a process group of its own, so that Ctrl-C reaches only the arena.
fn own_group(command: &mut Command) {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    #[cfg(not(unix))]
    let _ = command;
}

/// The most bytes of a message's encoded value.
const MAX_VALUE: u32 = 16 << 20;

/// The most bytes after the value.
const MAX_BYTES: u32 = 1 << 30;

/// A received message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message<T> {
    /// The value.
    pub value: T,
    /// The bytes that came with it, such as pixels or files.
    pub bytes: Vec<u8>,
}

/// Sends a message and flushes.
///
/// # Errors
/// If the other side is gone, or the message is too long.
pub fn send<T: Serialize>(to: &mut impl Write, value: &T, bytes: &[u8]) -> io::Result<()> {
    let value = postcard::to_stdvec(value).map_err(io::Error::other)?;
    to.write_all(&length(value.len(), MAX_VALUE)?.to_le_bytes())?;
    to.write_all(&length(bytes.len(), MAX_BYTES)?.to_le_bytes())?;
    to.write_all(&value)?;
    to.write_all(bytes)?;
    to.flush()
}

/// Waits for a message; `None` if the other side has closed the pipe between two messages.
///
/// # Errors
/// If the pipe ends in the middle of a message, or the bytes are not a message.
pub fn receive<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<Option<Message<T>>> {
    let mut lengths = [0; 8];
    let start = loop {
        match from.read(&mut lengths) {
            Ok(0) => return Ok(None),
            Ok(read) => break read,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    };
    from.read_exact(&mut lengths[start..])?;
    let [a, b, c, d, e, f, g, h] = lengths;
    let value = take(from, u32::from_le_bytes([a, b, c, d]), MAX_VALUE)?;
    let bytes = take(from, u32::from_le_bytes([e, f, g, h]), MAX_BYTES)?;
    let value = postcard::from_bytes(&value)
        .map_err(|error| io::Error::new(ErrorKind::InvalidData, error))?;
    Ok(Some(Message { value, bytes }))
}

fn length(length: usize, most: u32) -> io::Result<u32> {
    let fitting = u32::try_from(length).ok().filter(|length| *length <= most);
    fitting.ok_or_else(|| io::Error::new(ErrorKind::InvalidInput, "the message is too long"))
}

/// Reads `length` bytes. Memory grows only as they arrive.
fn take(from: &mut impl Read, length: u32, most: u32) -> io::Result<Vec<u8>> {
    if length > most {
        return Err(io::Error::new(ErrorKind::InvalidData, "a message is longer than any may be"));
    }
    let mut bytes = Vec::new();
    from.take(length.into()).read_to_end(&mut bytes)?;
    match bytes.len() == length as usize {
        true => Ok(bytes),
        false => Err(ErrorKind::UnexpectedEof.into()),
    }
}

/// Returns a hash (FNV-1a) of the sources that define the messages.
///
/// Both sides are built from these sources. Programs of different builds have different numbers.
pub const fn dialogue(sources: &[&str]) -> u64 {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    let mut source = 0;
    while source < sources.len() {
        let bytes = sources[source].as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            hash = (hash ^ bytes[at] as u64).wrapping_mul(0x0100_0000_01b3);
            at += 1;
        }
        source += 1;
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sent_is_received() {
        let mut pipe = Vec::new();
        send(&mut pipe, &("one", 1_u32), b"").unwrap();
        send(&mut pipe, &("two", 2_u32), &[7; 100_000]).unwrap();
        let mut pipe = pipe.as_slice();
        let next = |pipe: &mut &[u8]| receive::<(String, u32)>(pipe).unwrap();
        assert_eq!(next(&mut pipe), Some(Message { value: ("one".to_owned(), 1), bytes: vec![] }));
        assert_eq!(
            next(&mut pipe),
            Some(Message { value: ("two".to_owned(), 2), bytes: vec![7; 100_000] })
        );
        assert_eq!(next(&mut pipe), None);
    }

    #[test]
    fn what_is_no_message_is_refused() {
        let mut whole = Vec::new();
        send(&mut whole, &"hello", b"bytes").unwrap();
        for length in 1..whole.len() {
            let error = receive::<String>(&mut &whole[..length]).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::UnexpectedEof, "{length}");
        }
        for lengths in [[u32::MAX, 0], [0, u32::MAX]] {
            let bytes = lengths.map(u32::to_le_bytes).concat();
            assert_eq!(receive::<()>(&mut &bytes[..]).unwrap_err().kind(), ErrorKind::InvalidData);
        }
        let mut other = Vec::new();
        send(&mut other, &300_u32, b"").unwrap();
        assert_eq!(receive::<bool>(&mut &other[..]).unwrap_err().kind(), ErrorKind::InvalidData);
    }

    #[test]
    fn it_is_the_known_hash() {
        // Draft-eastlake-fnv-17, appendix C: the empty string, "a", "foobar".
        assert_eq!(dialogue(&[]), 0xcbf2_9ce4_8422_2325);
        assert_eq!(dialogue(&["a"]), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(dialogue(&["foo", "bar"]), 0x8594_4171_f739_67e8);
    }
}
