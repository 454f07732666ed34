//! The state that all threads of the server share: the password, the size, the clients.
//!
//! It also limits the number of clients, the memory for them, and how fast passwords can be
//! guessed.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError, atomic::AtomicBool},
    thread,
    time::Duration,
};

use crate::{client::Client, password::Password};

/// The most clients at once.
pub(crate) const MAX_CLIENTS: usize = 16;

/// The most bytes of memory for clients' pictures, which allow updates with just the changes.
///
/// Clients without memory get everything.
const MAX_KNOWN_PICTURES: usize = 128 << 20;

/// The delay of a client with a wrong password. Such clients are refused one at a time.
const PENALTY: Duration = Duration::from_secs(1);

/// The state that all threads share.
#[derive(Debug)]
pub(crate) struct ServerState {
    pub(crate) password: Option<Password>,
    pub(crate) title: String,
    pub(crate) size: Mutex<(u32, u32)>,
    pub(crate) clients: Mutex<Vec<Arc<Client>>>,
    /// The number of updates. It is locked while an update's memory is searched for.
    pub(crate) updates: Mutex<u64>,
    pub(crate) punishing: Mutex<()>,
    pub(crate) is_closed: AtomicBool,
}

impl ServerState {
    /// Returns the width and height of the picture.
    pub(crate) fn size(&self) -> (u32, u32) {
        *lock(&self.size)
    }

    /// Slows down people who guess passwords, over any number of connections.
    pub(crate) fn punish(&self) {
        let _one_at_a_time = lock(&self.punishing);
        thread::sleep(PENALTY);
    }

    /// Finds memory for a client's picture.
    ///
    /// Clients without an update for longest lose theirs.
    pub(crate) fn make_room(&self, client: &Client, bytes: usize) {
        let mut updates = lock(&self.updates);
        *updates += 1;
        client.count_picture(bytes, *updates);
        let mut all = lock(&self.clients).clone();
        all.sort_by_key(|client| client.updated());
        let mut held: usize = all.iter().map(|client| client.picture_bytes()).sum();
        for other in all.iter().filter(|other| other.number != client.number) {
            if held <= MAX_KNOWN_PICTURES {
                return;
            }
            held -= other.picture_bytes();
            other.drop_picture();
        }
    }

    pub(crate) fn leave(&self, number: u64) {
        lock(&self.clients).retain(|client| client.number != number);
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
