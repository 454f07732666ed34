//! A part that was started, and exchanges messages with the arena through its standard input and
//! output.
//!
//! The arena talks to windows, the web server and the database writer this way.

use std::{
    io::{self, BufReader, BufWriter, ErrorKind, Write},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{Message, Part, PartError, receive, send};

/// How long a part may take for its greeting. A program that says nothing, such as `cat`, is none.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long a program that has closed its standard output may take to end.
const LAST_MOMENT: Duration = Duration::from_secs(1);

/// The first message of a part.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Greeting {
    program: String,
    /// See [`dialogue`](crate::dialogue()).
    dialogue: u64,
}

/// The arena's end of a pipe to a part: sends messages.
#[derive(Debug)]
pub struct Mouth(BufWriter<ChildStdin>);

/// The arena's end of a pipe from a part: receives messages.
#[derive(Debug)]
pub struct Ear(BufReader<ChildStdout>);

/// A part that was started. Dropping it kills the part.
#[derive(Debug)]
pub struct Running {
    child: Child,
    mouth: Option<Mouth>,
    ear: Option<Ear>,
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
            Err(PartError::Other { path, problem, remedy }) => match part.build(announce)? {
                Some(built) => Running::start_at(&built, part, dialogue),
                None => Err(PartError::Other { path, problem, remedy }),
            },
            started => started,
        }
    }

    fn start_at(path: &Path, part: &Part, dialogue: u64) -> Result<Running, PartError> {
        let start = |source| PartError::Start { path: path.to_owned(), source };
        let mut command = Command::new(path);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        own_group(&mut command);
        let mut child = command.spawn().map_err(|source| match source.kind() {
            ErrorKind::NotFound | ErrorKind::PermissionDenied => {
                let problem = format!("cannot be started: {source}");
                PartError::Other { path: path.to_owned(), problem, remedy: part.remedy() }
            }
            // The machine lacks something: another build of the program would not help.
            _ => start(source),
        })?;
        let no_pipe = || io::Error::other("it has no pipes");
        let mouth = child.stdin.take().ok_or_else(no_pipe).map_err(start)?;
        let ear = child.stdout.take().ok_or_else(no_pipe).map_err(start)?;
        let mouth = Some(Mouth(BufWriter::new(mouth)));
        let mut running = Running { child, mouth, ear: Some(Ear(BufReader::new(ear))) };
        let problem = match running.greeting() {
            Ok(Some(Message { value, .. })) if value.program != part.program => {
                "it is another program".to_owned()
            }
            Ok(Some(Message { value, .. })) if value.dialogue == dialogue => return Ok(running),
            Ok(Some(_)) => "it is of another build than this `agon`".to_owned(),
            Ok(None) => format!("it ended at once, {}", running.ended()),
            Err(error) => format!("it does not greet as it should: {error}"),
        };
        Err(PartError::Other { path: path.to_owned(), problem, remedy: part.remedy() })
    }

    /// Returns the first message, if it comes in time. The waiting thread ends with the part.
    fn greeting(&mut self) -> io::Result<Option<Message<Greeting>>> {
        let mut ear = self.ear.take().ok_or(ErrorKind::BrokenPipe)?;
        let (sender, receiver) = mpsc::channel();
        thread::Builder::new().name("greeting".to_owned()).spawn(move || {
            let heard = ear.hear();
            // If it comes late, the receiver is gone.
            let _ = sender.send((ear, heard));
        })?;
        match receiver.recv_timeout(PATIENCE) {
            Ok((ear, heard)) => {
                self.ear = Some(ear);
                heard
            }
            Err(_) => Err(io::Error::new(ErrorKind::TimedOut, "it says nothing")),
        }
    }

    /// Sends the part a message.
    ///
    /// # Errors
    /// If it is gone.
    pub fn tell<T: Serialize>(&mut self, value: &T, bytes: &[u8]) -> io::Result<()> {
        match &mut self.mouth {
            Some(mouth) => mouth.tell(value, bytes),
            None => Err(ErrorKind::BrokenPipe.into()),
        }
    }

    /// Takes the sending end, for another thread. Dropping that end tells the part to end.
    pub fn take_mouth(&mut self) -> Option<Mouth> {
        self.mouth.take()
    }

    /// Waits for its next message; `None` if it has ended.
    ///
    /// # Errors
    /// If its output is not a message.
    pub fn hear<T: DeserializeOwned>(&mut self) -> io::Result<Option<Message<T>>> {
        match &mut self.ear {
            Some(ear) => ear.hear(),
            None => Err(ErrorKind::BrokenPipe.into()),
        }
    }

    /// Takes the receiving end, for another thread.
    pub fn take_ear(&mut self) -> Option<Ear> {
        self.ear.take()
    }

    /// Ends it by closing its standard input, and waits for its end.
    ///
    /// # Errors
    /// If it cannot be waited for.
    pub fn end(mut self) -> io::Result<ExitStatus> {
        drop(self.mouth.take());
        self.child.wait()
    }

    /// Ends it in the same way, but kills it after `patience`.
    pub fn end_within(mut self, patience: Duration) {
        drop(self.mouth.take());
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

impl Ear {
    /// Waits for the part's next message; `None` if it has ended.
    ///
    /// # Errors
    /// If its output is not a message.
    pub fn hear<T: DeserializeOwned>(&mut self) -> io::Result<Option<Message<T>>> {
        receive(&mut self.0)
    }
}

impl Mouth {
    /// Sends the part a message.
    ///
    /// # Errors
    /// If it is gone.
    pub fn tell<T: Serialize>(&mut self, value: &T, bytes: &[u8]) -> io::Result<()> {
        send(&mut self.0, value, bytes)
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
