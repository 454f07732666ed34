//! Holds back standard error while the viewer has the screen, and prints it afterwards.
//!
//! `agon-show` does this while a match runs in the background and prints its progress.

use std::io;

/// Holds back the program's standard error if that is the terminal; dropping it prints everything.
///
/// On a taken screen the text would appear at some odd place for a moment.
#[derive(Debug)]
pub struct HeldStderr {
    // Only needed for its drop.
    #[cfg(unix)]
    _held: Option<held::Held>,
}

impl HeldStderr {
    /// Starts to hold back.
    ///
    /// # Errors
    /// If there is no space for a temporary file.
    pub fn begin() -> io::Result<HeldStderr> {
        Ok(HeldStderr {
            #[cfg(unix)]
            _held: held::Held::begin()?,
        })
    }
}

#[cfg(unix)]
mod held {
    use std::{
        fs::File,
        io::{self, IsTerminal, Seek, SeekFrom},
        os::fd::OwnedFd,
    };

    #[derive(Debug)]
    pub(super) struct Held {
        terminal: OwnedFd,
        file: File,
    }

    impl Held {
        pub(super) fn begin() -> io::Result<Option<Held>> {
            if !io::stderr().is_terminal() {
                return Ok(None);
            }
            let terminal = rustix::io::fcntl_dupfd_cloexec(io::stderr(), 3)?;
            let file = tempfile::tempfile()?;
            rustix::stdio::dup2_stderr(&file)?;
            Ok(Some(Held { terminal, file }))
        }
    }

    impl Drop for Held {
        fn drop(&mut self) {
            // If the terminal is gone, nobody can read it.
            if rustix::stdio::dup2_stderr(&self.terminal).is_ok()
                && self.file.seek(SeekFrom::Start(0)).is_ok()
            {
                io::copy(&mut self.file, &mut io::stderr()).ok();
            }
        }
    }
}
