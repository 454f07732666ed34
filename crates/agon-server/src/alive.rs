//! Whether a thread lives, for others.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// Whether a thread lives. Clones say the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct Alive(Arc<AtomicBool>);

/// What a thread holds as long as it lives.
#[derive(Debug)]
pub(crate) struct Life(Alive);

impl Alive {
    /// Returns whether the thread lives.
    pub(crate) fn is_so(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Notes that the thread lives, until the return value is dropped: also if it panics.
    pub(crate) fn begin(&self) -> Life {
        self.0.store(true, Ordering::Relaxed);
        Life(self.clone())
    }
}

impl Drop for Life {
    fn drop(&mut self) {
        self.0.0.store(false, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_panics_is_not_alive() {
        let alive = Alive::default();
        assert!(!alive.is_so());
        let life = alive.begin();
        assert!(alive.is_so());
        let thread = std::thread::spawn(move || {
            let _life = life;
            panic!("this panic is wanted");
        });
        assert!(thread.join().is_err());
        assert!(!alive.is_so());
    }
}
