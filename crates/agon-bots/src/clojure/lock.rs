//! Locks a mutex even if another thread panicked while it held the lock.

use std::sync::{Mutex, MutexGuard, PoisonError};

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic may leave a half-done exchange, which then shows as garbage.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
