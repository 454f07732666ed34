//! What runs between the arena and a program: single-threaded processes, forked from one another.

mod cells;
mod fork;
mod init;
mod keep;
mod scratch;
mod zygote;

pub use zygote::zygote_main;

use std::{
    fs::File,
    io,
    os::fd::{AsFd, OwnedFd},
};

use crate::{Order, message::Message};

/// All that comes with a request to start a program.
#[derive(Debug)]
struct Request {
    order: Order,
    /// To whoever wants the program started.
    control: OwnedFd,
    stdio: [OwnedFd; 3],
    inherits: Option<OwnedFd>,
}

impl Request {
    /// Takes what came in this order: the order, control, the standard streams, what is inherited.
    fn read(descriptors: Vec<OwnedFd>) -> io::Result<Request> {
        let incomplete = || io::Error::other("a request is incomplete");
        let mut descriptors = descriptors.into_iter();
        let mut next = || descriptors.next().ok_or_else(incomplete);
        let (order, control) = (next()?, next()?);
        let stdio = [next()?, next()?, next()?];
        let inherits = descriptors.next();
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
    use std::os::unix::fs::FileExt;

    let file = File::from(memory);
    let length = file.metadata()?.len();
    let mut bytes = vec![0; usize::try_from(length).map_err(io::Error::other)?];
    file.read_exact_at(&mut bytes, 0)?;
    postcard::from_bytes(&bytes).map_err(io::Error::other)
}

/// Tells that the program is not started.
fn failed(control: impl AsFd, what: &str, error: &io::Error) {
    let (what, number) = match error.raw_os_error() {
        Some(number) => (what.to_owned(), number),
        None => (format!("{what}: {error}"), libc::EINVAL),
    };
    // Nobody may be there any more.
    let _ = Message::Failed(what, number).send(control);
}
