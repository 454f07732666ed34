//! Limits of requests: for each person who is signed in, and for each address of all others.
//!
//! A class behind one address should not notice them, and a crawler should not slow down others.
//! Files that are the same for everybody, events and the API do not count here.

use std::net::{IpAddr, Ipv6Addr};
use std::time::Duration;

use crate::accounts::sign_in_limits::Throttle;

/// The route of replays.
const REPLAY: &str = "/arenas/{arena}/matches/{number}/replay.agon";

/// Pages that cost much more than others: they are large, or read many rows or a replay.
const EXPENSIVE: [&str; 3] = ["/arenas/{arena}/matrix", "/arenas/{arena}/matches", REPLAY];

/// Of the requests of a minute, so many may be for expensive pages: one of five.
const EXPENSIVE_PART: u32 = 5;

/// Where the routes of the public log begin. Its files are small, and who checks it wants all of
/// them: so many times as many as pages.
const LOG: &str = "/log/";
const LOG_TIMES: u32 = 10;

/// The limits.
#[derive(Debug)]
pub(crate) struct Limits {
    /// `None` without limits.
    buckets: Option<Buckets>,
    /// Whether expensive pages are only for people with an account.
    is_for_members: bool,
}

/// Limits by kind of request.
#[derive(Debug)]
struct Buckets {
    /// For all pages.
    all: Throttle,
    expensive: Throttle,
    /// For files of the log, which count nowhere else.
    log: Throttle,
}

impl Limits {
    /// Allows so many requests within a minute; 0 for any number.
    pub(crate) fn new(per_minute: u32, is_for_members: bool) -> Limits {
        let throttle = |count: u32| {
            let count = count.max(1);
            Throttle::new(count, Duration::from_secs(60) / count)
        };
        let buckets = (per_minute > 0).then(|| Buckets {
            all: throttle(per_minute),
            expensive: throttle(per_minute / EXPENSIVE_PART),
            log: throttle(per_minute.saturating_mul(LOG_TIMES)),
        });
        Limits { buckets, is_for_members }
    }

    /// Counts a request for a route from an address, by a person if somebody is signed in.
    ///
    /// # Errors
    /// If there were too many: when the next one may come.
    pub(crate) fn take(
        &self,
        person: Option<i64>,
        address: IpAddr,
        route: &str,
    ) -> Result<(), Duration> {
        let Some(buckets) = &self.buckets else { return Ok(()) };
        let key = match person {
            // Nobody makes accounts without a link, so that nobody has many.
            Some(person) => format!("person {person}"),
            None => network(address).to_string(),
        };
        if route.starts_with(LOG) {
            return buckets.log.take(&key);
        }
        if is_expensive(route) {
            buckets.expensive.take(&key)?;
        }
        buckets.all.take(&key)
    }

    /// Returns whether a route is only for people with an account.
    pub(crate) fn is_for_members(&self, route: &str) -> bool {
        self.is_for_members && is_expensive(route)
    }

    /// Returns whether replays are only for people with an account.
    pub(crate) fn are_replays_for_members(&self) -> bool {
        self.is_for_members(REPLAY)
    }
}

/// Returns whether a page costs much more than others.
fn is_expensive(route: &str) -> bool {
    EXPENSIVE.contains(&route)
}

/// Returns what stands for all addresses that one client can have: of IPv6, its network of 64
/// bits.
pub(crate) fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => address.into(),
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_of_ipv6_is_one_client() {
        let of = |text: &str| network(text.parse().unwrap()).to_string();
        assert_eq!(of("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
        assert_eq!(of("2001:db8:1:2::9"), of("2001:db8:1:2:ffff::1"));
        assert_ne!(of("2001:db8:1:2::9"), of("2001:db8:1:3::9"));
        assert_eq!(of("::ffff:192.0.2.7"), "192.0.2.7");
    }

    #[test]
    fn the_log_has_a_limit_of_its_own() {
        let (limits, address) = (Limits::new(10, false), "192.0.2.1".parse().unwrap());
        assert!((0..10).all(|_| limits.take(None, address, "/").is_ok()));
        assert!(limits.take(None, address, "/").unwrap_err() <= Duration::from_secs(6));
        assert!((0..100).all(|_| limits.take(None, address, "/log/tile/{*path}").is_ok()));
        assert!(limits.take(None, address, "/log/key").is_err());
        assert!((0..10_000).all(|_| Limits::new(0, false).take(None, address, REPLAY).is_ok()));
    }
}
