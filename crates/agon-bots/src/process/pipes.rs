//! The pipes to a program: queues questions and reads answers. Nothing here waits.

use std::{collections::VecDeque, io, os::fd::OwnedFd, sync::Arc};

use rustix::io::{Errno, ioctl_fionbio, ioctl_fionread, read, write};
use rustix::net::{Shutdown, shutdown};
use rustix::pipe::fcntl_setpipe_size;

/// The default size of a pipe in bytes.
const USUAL_SIZE: usize = 64 << 10;

/// The most bytes of a program's input pipe.
///
/// All pipes of a user share a limit: 64 MiB by default.
const MAX_SIZE: usize = 256 << 10;

/// The most bytes of one read.
const READ: usize = 16 << 10;

/// How many of the last bytes written are kept as evidence.
const LAST_SENT: usize = 200;

/// Both pipes of a program, with unwritten questions and untaken answers.
///
/// A socket is both pipes.
#[derive(Debug)]
pub(super) struct Pipes {
    /// `None` if it has none or has closed it.
    pub(super) stdin: Option<Arc<OwnedFd>>,
    /// `None` if it has none or has closed it.
    pub(super) stdout: Option<Arc<OwnedFd>>,
    /// Whether the program closed one of them.
    pub(super) closed: bool,
    /// The queue, whose first `written` bytes are written already.
    outbox: Vec<u8>,
    /// The written part of the outbox. Removing each part at once would move megabytes every time.
    written: usize,
    /// The last bytes that were written.
    pub(super) last_sent: VecDeque<u8>,
    /// Output that was read and not taken. It grows to little more than `most_output`.
    pub(super) inbox: Vec<u8>,
    /// Whether the output began with a byte order mark, which some runtimes write by themselves;
    /// `None` while that is not known. It is no output.
    pub(super) byte_order_mark: Option<bool>,
    /// How many bytes have been read in all.
    pub(super) received: u64,
    /// The limit for output that waits to be taken.
    pub(super) most_output: usize,
    /// The known size of the program's input, or a size that it refused.
    size: usize,
    /// A read buffer, kept so that it need not be cleared each time.
    buffer: Box<[u8]>,
}

impl Pipes {
    /// Wraps the arena's ends of a child's pipes, or both directions of a socket.
    pub(super) fn new(
        stdin: Option<OwnedFd>,
        stdout: Option<OwnedFd>,
        most_output: usize,
    ) -> io::Result<Pipes> {
        for fd in stdin.iter().chain(&stdout) {
            ioctl_fionbio(fd, true)?;
        }
        Ok(Pipes {
            stdin: stdin.map(Arc::new),
            stdout: stdout.map(Arc::new),
            closed: false,
            outbox: Vec::new(),
            written: 0,
            last_sent: VecDeque::with_capacity(LAST_SENT),
            inbox: Vec::new(),
            byte_order_mark: None,
            received: 0,
            most_output,
            size: USUAL_SIZE,
            buffer: vec![0; READ].into(),
        })
    }

    /// Continues with both directions of another socket, or with none, and forgets all that waits.
    pub(super) fn continue_with(&mut self, socket: Option<&Arc<OwnedFd>>) {
        (self.stdin, self.stdout) = (socket.cloned(), socket.cloned());
        self.closed = false;
        self.outbox.clear();
        self.written = 0;
        self.inbox.clear();
    }

    /// Returns the number of bytes that have not been written yet.
    pub(super) fn unsent(&self) -> usize {
        self.outbox.len() - self.written
    }

    /// Returns the queue, to append to it.
    pub(super) fn outbox(&mut self) -> &mut Vec<u8> {
        self.outbox.drain(..std::mem::take(&mut self.written));
        &mut self.outbox
    }

    /// Returns whether more output waits than the limit.
    pub(super) fn flooded(&self) -> bool {
        self.inbox.len() > self.most_output
    }

    /// Enlarges the program's input pipe if the queue does not fit.
    ///
    /// The program then gets a whole question while the arena waits for another program.
    pub(super) fn widen(&mut self) {
        let size = self.unsent().next_power_of_two().min(MAX_SIZE);
        if let Some(stdin) = self.stdin.as_ref().filter(|_| size > self.size) {
            // Sockets have no such size, and the kernel may refuse. Then writing only takes longer.
            let _ = fcntl_setpipe_size(stdin, size);
            self.size = size;
        }
    }

    /// Writes as much of the outbox as the program's pipe takes.
    pub(super) fn write_some(&mut self) {
        if self.unsent() == 0 {
            return;
        }
        let before = self.written;
        while let Some(stdin) = &self.stdin
            && self.written < self.outbox.len()
        {
            match write(stdin, &self.outbox[self.written..]) {
                Ok(length) => self.written += length,
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => break,
                Err(_) => {
                    self.stdin = None;
                    self.closed = true;
                }
            }
        }
        let sent = &self.outbox[before.max(self.written.saturating_sub(LAST_SENT))..self.written];
        let surplus = (self.last_sent.len() + sent.len()).saturating_sub(LAST_SENT);
        self.last_sent.drain(..surplus);
        self.last_sent.extend(sent);
        if self.unsent() == 0 {
            self.outbox.clear();
            self.written = 0;
        }
    }

    /// Ends the program's input.
    pub(super) fn close_input(&mut self) {
        if let Some(stdin) = self.stdin.take() {
            // The other direction of a socket stays open. Anything else refuses, and is
            // closed here.
            let _ = shutdown(&stdin, Shutdown::Write);
        }
    }

    /// Returns the number of written bytes that the program has not read yet.
    pub(super) fn unread(&self) -> u64 {
        self.stdin.as_ref().and_then(|stdin| ioctl_fionread(stdin).ok()).unwrap_or(0)
    }

    /// Reads the output that is there, up to the limit.
    pub(super) fn read_some(&mut self) {
        while let Some(stdout) = &self.stdout
            && !self.flooded()
        {
            match read(stdout, &mut self.buffer[..]) {
                Ok(length @ 1..) => {
                    self.inbox.extend_from_slice(&self.buffer[..length]);
                    self.received += length as u64;
                    if self.byte_order_mark.is_none() {
                        self.byte_order_mark = without_mark(&mut self.inbox);
                    }
                    if length < self.buffer.len() {
                        break;
                    }
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => break,
                Ok(0) | Err(_) => {
                    self.stdout = None;
                    self.closed = true;
                }
            }
        }
    }
}

/// Removes the byte order mark at the beginning of some output; `None` if there may be one that has
/// not come as a whole.
pub(crate) fn without_mark(output: &mut Vec<u8>) -> Option<bool> {
    const MARK: &[u8] = "\u{feff}".as_bytes();
    if output.starts_with(MARK) {
        output.drain(..MARK.len());
        return Some(true);
    }
    (!MARK.starts_with(output)).then_some(false)
}
