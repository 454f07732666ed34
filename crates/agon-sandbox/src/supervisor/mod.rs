//! The single-threaded processes between the arena and a program: zygote, supervisor and init,
//! forked from one another.

mod init;
mod keep;
mod pool;
mod scratch;
mod zygote;

pub use zygote::zygote_main;

use std::os::fd::{AsFd, OwnedFd};
use std::{error::Error, fs::File, io};

use crate::{Order, message::Message};

/// The index of the reply socket in a request's descriptors.
const CONTROL: usize = 1;

/// All parts of a request to start a program.
#[derive(Debug)]
struct Request {
    order: Order,
    /// The socket to the arena, which has asked for the program.
    control: OwnedFd,
    stdio: [OwnedFd; 3],
    inherits: Vec<OwnedFd>,
}

impl Request {
    /// Takes descriptors in this order: the order, control, standard streams, inherited ones.
    fn read(descriptors: Vec<OwnedFd>) -> io::Result<Request> {
        let incomplete = || io::Error::other("a request is incomplete");
        let mut descriptors = descriptors.into_iter();
        let mut next = || descriptors.next().ok_or_else(incomplete);
        let order = next()?;
        let control = next()?;
        let stdio = [next()?, next()?, next()?];
        let inherits = descriptors.collect();
        match read_order(order) {
            Ok(order) => Ok(Request { order, control, stdio, inherits }),
            Err(error) => {
                failed(&control, "what to start cannot be read", &error);
                Err(error)
            }
        }
    }
}

fn read_order(memory: OwnedFd) -> io::Result<Order> {
    postcard::from_bytes(&read_memory(memory)?).map_err(io::Error::other)
}

/// Reads the whole contents of a memory file.
fn read_memory(memory: OwnedFd) -> io::Result<Vec<u8>> {
    use std::os::unix::fs::FileExt;

    let file = File::from(memory);
    let length = file.metadata()?.len();
    let mut bytes = vec![0; usize::try_from(length).map_err(io::Error::other)?];
    file.read_exact_at(&mut bytes, 0)?;
    Ok(bytes)
}

/// Reports that the program is not started.
fn failed(control: impl AsFd, what: &str, error: &io::Error) {
    let (what, number) = match number_behind(error) {
        Some(number) => (what.to_owned(), number),
        None => (format!("{what}: {error}"), libc::EINVAL),
    };
    // Nobody may be listening any more.
    let _ = Message::Failed(what, number).send(control);
}

/// Returns the kernel's number behind an error, even if a library has wrapped it.
///
/// The arena must know whether it lacks something.
fn number_behind(error: &(dyn Error + 'static)) -> Option<i32> {
    if let Some(error) = error.downcast_ref::<io::Error>() {
        return error.raw_os_error().or_else(|| number_behind(error.get_ref()?));
    }
    number_behind(error.source()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("it cannot be done")]
    struct Wrapped(#[source] io::Error);

    #[test]
    fn the_kernels_number_is_found_behind_other_errors() {
        let error = || io::Error::from_raw_os_error(libc::EMFILE);
        for error in [error(), io::Error::other(Wrapped(error())), io::Error::other(error())] {
            assert_eq!(number_behind(&error), Some(libc::EMFILE));
        }
        assert_eq!(number_behind(&io::Error::other("it does not hold")), None);
    }
}
