//! Questions on their way to a program, and answers on their way back; nothing here waits.

use std::{
    collections::VecDeque,
    io::{self, PipeReader, PipeWriter},
    os::fd::OwnedFd,
    sync::Arc,
};

use rustix::{
    io::{Errno, ioctl_fionbio, ioctl_fionread, read, write},
    net::{Shutdown, shutdown},
    pipe::fcntl_setpipe_size,
};

/// How many bytes a pipe holds unless it is told otherwise.
const USUAL_SIZE: usize = 64 << 10;

/// How many bytes a program's input holds at most. A user may only have so much in all pipes
/// together: 64 MiB, where nothing else is set.
const MAX_SIZE: usize = 256 << 10;

/// How many bytes are read at once.
const READ: usize = 16 << 10;

/// How many of the last bytes written are kept as evidence.
const LAST_SENT: usize = 200;

/// Both pipes of a program, with what has not been written yet and what has been read already. A
/// socket is both.
#[derive(Debug)]
pub(super) struct Pipes {
    /// `None` if it has none or has closed it.
    pub(super) stdin: Option<Arc<OwnedFd>>,
    /// `None` if it has none or has closed it.
    pub(super) stdout: Option<Arc<OwnedFd>>,
    /// Whether the program closed one of them.
    pub(super) closed: bool,
    /// What is to be written, the part before `written` excepted.
    outbox: Vec<u8>,
    /// How much of the outbox has been written: taking each part off at once would move megabytes
    /// every time.
    written: usize,
    /// The end of what has been written.
    pub(super) last_sent: VecDeque<u8>,
    /// What has been read and not been taken; grows to little more than `most_output`.
    pub(super) inbox: Vec<u8>,
    /// How many bytes have been read in all.
    pub(super) received: u64,
    /// How much output may wait to be taken.
    pub(super) most_output: usize,
    /// How much the program's input is known to hold, or to refuse to.
    size: usize,
    /// Room for reading, kept so that it need not be made empty each time.
    buffer: Box<[u8]>,
}

impl Pipes {
    /// The ends of a child's pipes.
    pub(super) fn of(
        stdin: Option<PipeWriter>,
        stdout: Option<PipeReader>,
        most_output: usize,
    ) -> io::Result<Pipes> {
        Pipes::new(stdin.map(OwnedFd::from), stdout.map(OwnedFd::from), most_output)
    }

    /// Both directions of a socket.
    pub(super) fn over(socket: OwnedFd, most_output: usize) -> io::Result<Pipes> {
        Pipes::new(Some(socket.try_clone()?), Some(socket), most_output)
    }

    fn new(
        stdin: Option<OwnedFd>,
        stdout: Option<OwnedFd>,
        most_output: usize,
    ) -> io::Result<Pipes> {
        for fd in stdin.iter().chain(&stdout) {
            ioctl_fionbio(fd, true)?;
        }
        let outbox = Vec::new();
        let inbox = Vec::new();
        let last_sent = VecDeque::with_capacity(LAST_SENT);
        let size = USUAL_SIZE;
        let buffer = vec![0; READ].into();
        let stdin = stdin.map(Arc::new);
        let stdout = stdout.map(Arc::new);
        Ok(Pipes {
            stdin,
            stdout,
            closed: false,
            outbox,
            written: 0,
            last_sent,
            inbox,
            received: 0,
            most_output,
            size,
            buffer,
        })
    }

    /// Bytes that have not been written yet.
    pub(super) fn unsent(&self) -> usize {
        self.outbox.len() - self.written
    }

    /// What is to be written, to append more to it.
    pub(super) fn outbox(&mut self) -> &mut Vec<u8> {
        self.outbox.drain(..std::mem::take(&mut self.written));
        &mut self.outbox
    }

    /// Whether more output waits than may.
    pub(super) fn flooded(&self) -> bool {
        self.inbox.len() > self.most_output
    }

    /// Makes the program's input larger if what waits does not fit, so that the program gets a
    /// whole question while the arena waits for another one.
    pub(super) fn widen(&mut self) {
        let size = self.unsent().next_power_of_two().min(MAX_SIZE);
        if let Some(stdin) = self.stdin.as_ref().filter(|_| size > self.size) {
            // Sockets have no such size, and the kernel may refuse: then it only takes longer.
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

    /// Tells the program that no more input comes.
    pub(super) fn close_input(&mut self) {
        if let Some(stdin) = self.stdin.take() {
            // The other direction of a socket stays open; what is no socket refuses, and is closed
            // here.
            let _ = shutdown(&stdin, Shutdown::Write);
        }
    }

    /// Bytes that are written and that the program has not read yet.
    pub(super) fn unread(&self) -> u64 {
        self.stdin.as_ref().and_then(|stdin| ioctl_fionread(stdin).ok()).unwrap_or(0)
    }

    /// Reads what is there, up to the bound.
    pub(super) fn read_some(&mut self) {
        while let Some(stdout) = &self.stdout
            && !self.flooded()
        {
            match read(stdout, &mut self.buffer[..]) {
                Ok(length @ 1..) => {
                    self.inbox.extend_from_slice(&self.buffer[..length]);
                    self.received += length as u64;
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
