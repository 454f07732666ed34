//! A part that was started, and talks with the arena through its standard input and output.

use std::{
    io::{self, BufReader, BufWriter, Write},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio},
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::Duration,
};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{Message, Part, PartError, receive, send};

/// A part that has not greeted after this time is something else, such as `cat`, which waits for what it is told.
const LONGEST_SILENCE: Duration = Duration::from_secs(10);

/// The first message of a part.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Greeting {
    program: String,
    /// See [`dialogue`](crate::dialogue()).
    dialogue: u64,
}

/// The arena's way to tell a part something.
#[derive(Debug)]
pub struct Mouth(BufWriter<ChildStdin>);

/// A part that was started; dropped, it is killed.
#[derive(Debug)]
pub struct Running {
    child: Child,
    mouth: Option<Mouth>,
    ear: BufReader<ChildStdout>,
}

/// To be called by a part first: says who it is on standard output.
///
/// # Errors
/// If nobody listens.
pub fn greet(part: &Part, dialogue: u64, to: &mut impl Write) -> io::Result<()> {
    send(to, &Greeting { program: part.program.to_owned(), dialogue }, &[])
}

impl Running {
    /// Starts a part; one that is missing or of another build is built first if this is a checkout, which `announce` is
    /// told. Ctrl-C does not reach it: it ends when its standard input does.
    ///
    /// # Errors
    /// If it is missing, cannot be built or started, or is of another build.
    pub fn start(part: &Part, dialogue: u64, announce: &dyn Fn(&str)) -> Result<Running, PartError> {
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
        let mut child = command.spawn().map_err(start)?;
        let no_pipe = || io::Error::other("it has no pipes");
        let mouth = child.stdin.take().ok_or_else(no_pipe).map_err(start)?;
        let ear = child.stdout.take().ok_or_else(no_pipe).map_err(start)?;
        let mouth = Some(Mouth(BufWriter::new(mouth)));
        let mut running = Running { child, mouth, ear: BufReader::new(ear) };
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

    /// What it says first; a program that says nothing is killed.
    fn greeting(&mut self) -> io::Result<Option<Message<Greeting>>> {
        let Running { child, ear, .. } = self;
        thread::scope(|scope| {
            let (heard, silence) = mpsc::channel::<()>();
            let watch = move || {
                let is_silent = silence.recv_timeout(LONGEST_SILENCE) == Err(RecvTimeoutError::Timeout);
                is_silent && child.kill().is_ok()
            };
            // Where there is no room for a thread, nobody watches.
            let watch = thread::Builder::new().spawn_scoped(scope, watch);
            let greeting = receive(ear);
            drop(heard);
            match watch.map(thread::ScopedJoinHandle::join) {
                Ok(Ok(true)) => Err(io::ErrorKind::TimedOut.into()),
                _ => greeting,
            }
        })
    }

    /// Tells it something.
    ///
    /// # Errors
    /// If it is gone.
    pub fn tell<T: Serialize>(&mut self, value: &T, bytes: &[u8]) -> io::Result<()> {
        match &mut self.mouth {
            Some(mouth) => mouth.tell(value, bytes),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    /// Takes the way to tell it something, for another thread. The part learns that the arena is gone when it is dropped.
    pub fn take_mouth(&mut self) -> Option<Mouth> {
        self.mouth.take()
    }

    /// Waits for what it says next; `None` if it has ended.
    ///
    /// # Errors
    /// If what it says is no message.
    pub fn hear<T: DeserializeOwned>(&mut self) -> io::Result<Option<Message<T>>> {
        receive(&mut self.ear)
    }

    /// Tells it to end, by closing its standard input, and waits until it has.
    ///
    /// # Errors
    /// If it cannot be waited for.
    pub fn end(mut self) -> io::Result<ExitStatus> {
        drop(self.mouth.take());
        self.child.wait()
    }

    /// Ends it at once, if it has not ended yet, and says how it ended: for people, after it has said nothing more.
    pub fn ended(&mut self) -> String {
        // What has ended already stays as it ended.
        let _ = self.child.kill();
        match self.child.wait() {
            Ok(status) => status.to_string(),
            Err(error) => error.to_string(),
        }
    }
}

impl Mouth {
    /// Tells the part something.
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

/// Keys of the terminal are for the arena, which then ends its parts.
fn own_group(command: &mut Command) {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    #[cfg(not(unix))]
    let _ = command;
}
