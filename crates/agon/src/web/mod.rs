//! The viewer in a browser: a server for one page on this machine, and the files for any other server.

mod browser;
mod export;
mod listing;
#[cfg(feature = "web")]
mod live;
#[cfg(feature = "web")]
mod server;
#[cfg(not(feature = "web"))]
mod without;

pub(crate) use export::export;
#[cfg(feature = "web")]
pub(crate) use live::Live;
#[cfg(feature = "web")]
pub(crate) use server::watch;
#[cfg(not(feature = "web"))]
pub(crate) use without::{Live, watch};
