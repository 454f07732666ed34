//! Limits how often passwords can be guessed, without keeping anybody out by others' guesses.
//!
//! Guesses are counted for a name in a network, for a name in all networks, and for a network with
//! all names. Only the first count holds where somebody has signed in with the name before: so
//! nobody locks a name from elsewhere. The last count does not hold for the first tries of a name:
//! so a person who guesses does not keep out those behind the same address.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{collections::HashMap, net::IpAddr};

use crate::limits::network;

/// So many tries of a name in a network are free of the limit of the network.
const FIRST: u64 = 3;

/// Wrong passwords of a name in a network: at once.
const TRIES: u32 = 10;

/// The limits.
#[derive(Debug)]
pub(crate) struct SignInLimits {
    /// A name in a network.
    pairs: Throttle,
    /// A name in a network where somebody has signed in with it.
    known: Throttle,
    /// A name.
    names: Throttle,
    /// A network.
    networks: Throttle,
    /// Lines about failures of a network that are kept.
    lines: Throttle,
}

/// A try that counts as a wrong one until it is given back: what has counted it, with the keys.
#[derive(Debug)]
#[must_use = "a right password does not count"]
pub(crate) struct Try<'a>(Vec<(&'a Throttle, String)>);

impl Try<'_> {
    /// Gives the try back, because the password was right.
    pub(crate) fn give_back(&self) {
        self.0.iter().for_each(|(throttle, key)| throttle.give_back(key));
    }
}

impl SignInLimits {
    pub(crate) fn new() -> SignInLimits {
        let seconds = Duration::from_secs;
        SignInLimits {
            pairs: Throttle::new(TRIES, seconds(30)),
            known: Throttle::new(TRIES, seconds(3)),
            names: Throttle::new(100, seconds(30)),
            networks: Throttle::new(200, seconds(2)),
            lines: Throttle::new(20, seconds(60)),
        }
    }

    /// Takes a try. `is_known` says that somebody has signed in with the name from this network.
    ///
    /// # Errors
    /// If there is none left: the time until there is one.
    pub(crate) fn take(
        &self,
        address: IpAddr,
        name: &str,
        is_known: bool,
    ) -> Result<Try<'_>, Duration> {
        let network = network(address).to_string();
        let name = name.to_lowercase();
        let pair = format!("{network} {name}");
        if is_known {
            self.known.take(&pair)?;
            return Ok(Try(vec![(&self.known, pair)]));
        }
        let (left, _) = self.pairs.spend(&pair)?;
        let is_first = left + FIRST >= u64::from(TRIES);
        let mut taken = Try(vec![(&self.pairs, pair)]);
        if let Err(wait) = self.names.take(&name) {
            taken.give_back();
            return Err(wait);
        }
        taken.0.push((&self.names, name));
        match self.networks.take(&network) {
            Ok(()) => taken.0.push((&self.networks, network)),
            Err(_) if is_first => {}
            Err(wait) => {
                taken.give_back();
                return Err(wait);
            }
        }
        Ok(taken)
    }

    /// Returns whether another failure from an address is to be kept: guesses without end would
    /// push everything else out of the log.
    pub(crate) fn is_worth_a_line(&self, address: IpAddr) -> bool {
        self.lines.take(&network(address).to_string()).is_ok()
    }
}

/// The most keys that are kept. If there are more, the fullest buckets are forgotten.
const KEYS: usize = 20_000;

/// Limits how often something can be tried, such as a password. Each key has a bucket of tries that
/// fills up again. Keys are names and addresses.
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
        self.take_at(key, Instant::now()).map(drop)
    }

    /// Takes a try of a key.
    ///
    /// Returns how many tries are left, and the time in which all come back.
    ///
    /// # Errors
    /// If none is left: when the next one comes.
    pub(crate) fn spend(&self, key: &str) -> Result<(u64, Duration), Duration> {
        let left = self.take_at(key, Instant::now())?;
        Ok((left as u64, self.again.mul_f64(self.tries - left)))
    }

    /// Gives a try back, because it was a good one.
    pub(crate) fn give_back(&self, key: &str) {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bucket) = buckets.get_mut(key) {
            bucket.left = (bucket.left + 1.0).min(self.tries);
        }
    }

    fn take_at(&self, key: &str, now: Instant) -> Result<f64, Duration> {
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
        Ok(bucket.left)
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

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    /// Guesses a password, and returns whether the guess was heard.
    fn guess(limits: &SignInLimits, from: &str, name: &str) -> bool {
        limits.take(address(from), name, false).is_ok()
    }

    #[test]
    fn a_network_of_ipv6_is_one_guesser() {
        let limits = SignInLimits::new();
        let heard = (0..400).filter(|n| guess(&limits, &format!("2001:db8::{n:x}"), "ada")).count();
        assert_eq!(heard, TRIES as usize);
        assert!(guess(&limits, "2001:db8:0:1::1", "ada"), "another network");
    }

    #[test]
    fn a_name_is_guessed_from_many_networks_so_often_and_stays_open_where_it_is_known() {
        let limits = SignInLimits::new();
        let from = |n: u32| IpAddr::from([10, 0, (n / 250) as u8, (n % 250) as u8]).to_string();
        let heard = (0..400).filter(|&n| guess(&limits, &from(n), "Ada")).count();
        assert_eq!(heard, 100);
        assert!(limits.take(address("192.0.2.1"), "ada", false).is_err());
        limits.take(address("192.0.2.1"), "ada", true).unwrap().give_back();
    }

    #[test]
    fn those_behind_the_address_of_a_guesser_sign_in() {
        let limits = SignInLimits::new();
        let here = "192.0.2.1";
        for n in 0..5_000 {
            guess(&limits, here, &format!("name{}", n % 100));
        }
        assert!(!guess(&limits, here, "name1"), "the guesser waits");
        for n in 0..40 {
            let name = format!("pupil{n}");
            let _wrong = limits.take(address(here), &name, false).unwrap();
            limits.take(address(here), &name, false).unwrap().give_back();
        }
    }

    #[test]
    fn right_passwords_count_nowhere() {
        let limits = SignInLimits::new();
        for _ in 0..1_000 {
            for is_known in [false, true] {
                limits.take(address("192.0.2.1"), "ada", is_known).unwrap().give_back();
            }
        }
    }

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
