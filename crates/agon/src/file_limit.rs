//! The limit for the size of files, `ulimit -f`.

use std::{
    io,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

use rustix::process::{Resource, getrlimit};
use signal_hook::{consts::SIGXFSZ, flag};

/// Whether some file has become too large; set by the signal. Libraries such as that of databases
/// tell less.
static SEEN: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// From now on a file that becomes too large is an error of writing, not the end of this program. A
/// handler and not `SIG_IGN`, which the programs that this one starts would inherit.
pub(crate) fn survive() {
    let seen = SEEN.get_or_init(Arc::default);
    if let Err(error) = flag::register(SIGXFSZ, Arc::clone(seen)) {
        say!("warning: a file beyond the limit of `ulimit -f` will end the program: {error}");
    }
}

/// What there is to say of an error, if it is that a file became too large.
pub(crate) fn words(error: &anyhow::Error) -> Option<String> {
    let is_too_large = |error: &io::Error| error.kind() == io::ErrorKind::FileTooLarge;
    let mut causes = error.chain().filter_map(|cause| cause.downcast_ref());
    let was_signalled = SEEN.get().is_some_and(|seen| seen.load(Ordering::Relaxed));
    if !was_signalled && !causes.any(is_too_large) {
        return None;
    }
    Some(match getrlimit(Resource::Fsize).current {
        Some(bytes) => {
            format!("files may have {bytes} bytes at most here; `ulimit -f unlimited` allows more")
        }
        None => "the file system has no larger files; name a file on another one".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use anyhow::Context;

    use super::*;

    #[test]
    fn only_files_that_are_too_large_are_explained() {
        let error = |number| {
            let error: anyhow::Result<()> = Err(io::Error::from_raw_os_error(number).into());
            words(&error.context("cannot write x").unwrap_err())
        };
        assert!(error(27).is_some() && error(28).is_none());
    }
}
