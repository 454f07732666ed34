//! Limits how often something can be tried, such as a password.
//!
//! Each key has a bucket of tries that fills up again. Keys are names and addresses.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

/// The most keys that are kept. If there are more, the fullest buckets are forgotten.
const KEYS: usize = 20_000;

/// A limit for tries.
#[derive(Debug)]
pub(crate) struct Throttle {
    /// The tries that a key has at once.
    tries: f64,
    /// The time in which one try comes back.
    again: Duration,
    buckets: Mutex<HashMap<String, Bucket>>,
}

#[derive(Clone, Copy, Debug)]
struct Bucket {
    left: f64,
    at: Instant,
}

impl Throttle {
    /// Allows so many tries at once, and one more each `again`.
    pub(crate) fn new(tries: u32, again: Duration) -> Throttle {
        Throttle { tries: tries.into(), again, buckets: Mutex::default() }
    }

    /// Takes a try of a key.
    ///
    /// # Errors
    /// If none is left: when the next one comes.
    pub(crate) fn take(&self, key: &str) -> Result<(), Duration> {
        self.take_at(key, Instant::now())
    }

    /// Takes a try of a key.
    ///
    /// Returns how many tries are left, and the time in which all come back.
    ///
    /// # Errors
    /// If none is left: when the next one comes.
    pub(crate) fn spend(&self, key: &str) -> Result<(u64, Duration), Duration> {
        let now = Instant::now();
        self.take_at(key, now)?;
        let buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        let left = buckets.get(key).map_or(self.tries, |bucket| self.filled(*bucket, now));
        Ok((left as u64, self.again.mul_f64(self.tries - left)))
    }

    /// Gives a try back, because it was a good one.
    pub(crate) fn give_back(&self, key: &str) {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bucket) = buckets.get_mut(key) {
            bucket.left = (bucket.left + 1.0).min(self.tries);
        }
    }

    fn take_at(&self, key: &str, now: Instant) -> Result<(), Duration> {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= KEYS {
            buckets.retain(|_, bucket| self.filled(*bucket, now) < self.tries);
            if buckets.len() >= KEYS {
                // Those that were not used for longest.
                let mut times: Vec<Instant> = buckets.values().map(|bucket| bucket.at).collect();
                times.sort_unstable();
                let middle = times[times.len() / 2];
                buckets.retain(|_, bucket| bucket.at > middle);
            }
        }
        let bucket = buckets.entry(key.to_owned()).or_insert(Bucket { left: self.tries, at: now });
        let left = self.filled(*bucket, now);
        if left < 1.0 {
            return Err(self.again.mul_f64(1.0 - left));
        }
        *bucket = Bucket { left: left - 1.0, at: now };
        Ok(())
    }

    /// Returns how many tries a bucket has now.
    fn filled(&self, bucket: Bucket, now: Instant) -> f64 {
        let since = now.saturating_duration_since(bucket.at);
        (bucket.left + since.as_secs_f64() / self.again.as_secs_f64()).min(self.tries)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tries_run_out_and_come_back() {
        let throttle = Throttle::new(3, Duration::from_secs(10));
        let begin = Instant::now();
        for _ in 0..3 {
            throttle.take_at("ada", begin).unwrap();
        }
        assert_eq!(throttle.take_at("ada", begin), Err(Duration::from_secs(10)));
        throttle.take_at("bob", begin).unwrap();
        let later = begin + Duration::from_secs(11);
        throttle.take_at("ada", later).unwrap();
        assert!(throttle.take_at("ada", later).is_err());
    }

    #[test]
    fn keys_do_not_grow_without_end() {
        let throttle = Throttle::new(1, Duration::from_secs(1_000_000));
        let now = Instant::now();
        for key in 0..KEYS + 10 {
            throttle.take_at(&key.to_string(), now).unwrap();
        }
        assert!(throttle.buckets.lock().unwrap().len() <= KEYS);
    }
}
