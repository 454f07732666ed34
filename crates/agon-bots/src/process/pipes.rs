//! Questions on their way to a program, and answers on their way back; nothing here waits.

use std::{
    io,
    process::{Child, ChildStdin, ChildStdout},
};

use rustix::io::{Errno, ioctl_fionbio, ioctl_fionread, read, write};

/// Both pipes of a program, with what has not been written yet and what has been read already.
#[derive(Debug)]
pub(super) struct Pipes {
    /// `None` if it has none or has closed it.
    pub(super) stdin: Option<ChildStdin>,
    /// `None` if it has none or has closed it.
    pub(super) stdout: Option<ChildStdout>,
    /// Whether the program closed one of them.
    pub(super) closed: bool,
    /// What has not been written yet.
    pub(super) outbox: Vec<u8>,
    /// What has been read and not been taken; grows to little more than `most_output`.
    pub(super) inbox: Vec<u8>,
    most_output: usize,
}

impl Pipes {
    /// Takes the pipes that a child has.
    pub(super) fn take(child: &mut Child, most_output: usize) -> io::Result<Pipes> {
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        if let Some(stdin) = &stdin {
            ioctl_fionbio(stdin, true)?;
        }
        if let Some(stdout) = &stdout {
            ioctl_fionbio(stdout, true)?;
        }
        Ok(Pipes { stdin, stdout, closed: false, outbox: Vec::new(), inbox: Vec::new(), most_output })
    }

    /// Closes the program's input; what has not been written is dropped.
    pub(super) fn hang_up(&mut self) {
        self.stdin = None;
        self.outbox.clear();
    }

    /// Whether more output waits than may.
    pub(super) fn flooded(&self) -> bool {
        self.inbox.len() > self.most_output
    }

    /// Writes as much of the outbox as the program's pipe takes.
    pub(super) fn write_some(&mut self) {
        let mut written = 0;
        while let Some(stdin) = &self.stdin
            && written < self.outbox.len()
        {
            match write(stdin, &self.outbox[written..]) {
                Ok(length) => written += length,
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => break,
                Err(_) => {
                    self.stdin = None;
                    self.closed = true;
                }
            }
        }
        self.outbox.drain(..written);
    }

    /// Bytes that are written and that the program has not read yet.
    pub(super) fn unread(&self) -> u64 {
        self.stdin.as_ref().and_then(|stdin| ioctl_fionread(stdin).ok()).unwrap_or(0)
    }

    /// Reads what is there, up to the bound.
    pub(super) fn read_some(&mut self) {
        let mut buffer = [0; 16 << 10];
        while let Some(stdout) = &self.stdout
            && !self.flooded()
        {
            match read(stdout, &mut buffer) {
                Ok(length @ 1..) => {
                    self.inbox.extend_from_slice(&buffer[..length]);
                    if length < buffer.len() {
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
