//! Lanes: who gets a place for a build, a check or a trial match next, and for how long.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use std::{collections::BTreeMap, convert::Infallible, future::pending};

use parking_lot::Mutex;
use tokio::{sync::Notify, time::sleep};

/// How long work may stay in each lane.
const TIMES: [Option<Duration>; 3] =
    [Some(Duration::from_secs(10)), Some(Duration::from_secs(60)), None];

/// How long work may stay in the fast lane while other work waits for a place there.
const HASTE: Duration = Duration::from_secs(3);

/// How often work looks whether its time is over.
const LOOK: Duration = Duration::from_millis(250);

/// How long the lanes remember whom they served.
const MEMORY: Duration = Duration::from_secs(3600);

/// Lanes share out the places for builds, checks and trial matches, so that long ones hold up no
/// short ones. Tasks share them.
///
/// All work starts in the fast lane. Work that has used up the time of its lane moves to the next
/// one, from the fast lane sooner if others wait for it. It continues there if a place is free.
/// Otherwise it ends, and starts again when there is one. Each lane takes turns between authors,
/// and an author has one place at a time.
#[derive(Debug)]
pub(crate) struct Lanes {
    state: Mutex<LaneState>,
    changed: Notify,
}

#[derive(Debug)]
struct LaneState {
    places: [usize; TIMES.len()],
    /// Whether work waits for the fast lane.
    is_crowded: bool,
    /// The work that runs, by its number.
    running: BTreeMap<i64, Running>,
    /// The lane of work that has moved and waits there.
    moved: BTreeMap<i64, usize>,
    /// When a lane last served an author.
    served: BTreeMap<(usize, i64), Instant>,
}

#[derive(Debug)]
struct Running {
    author: i64,
    lane: usize,
    stop: Arc<AtomicBool>,
    /// When its current stage began.
    since: Instant,
}

/// Work that waits for a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Waiting {
    pub(crate) id: i64,
    pub(crate) author: i64,
}

impl Lanes {
    /// Makes lanes with so many places each.
    pub(crate) fn new(places: [usize; TIMES.len()]) -> Lanes {
        let state = LaneState {
            places,
            is_crowded: false,
            running: BTreeMap::new(),
            moved: BTreeMap::new(),
            served: BTreeMap::new(),
        };
        Lanes { state: Mutex::new(state), changed: Notify::new() }
    }

    /// Has somebody who waits look whether there is work.
    pub(crate) fn wake(&self) {
        self.changed.notify_one();
    }

    /// Waits until there may be work.
    pub(crate) async fn changed(&self) {
        self.changed.notified().await;
    }

    /// Gives a place to work: in the fastest lane that has one, to the author whom it has not
    /// served for longest. `open` is all work that waits or runs, the oldest first.
    pub(crate) fn take(&self, open: &[Waiting]) -> Option<i64> {
        let mut state = self.state.lock();
        state.moved.retain(|id, _| open.iter().any(|work| work.id == *id));
        state.served.retain(|_, at| at.elapsed() < MEMORY);
        state.is_crowded = !state.has_place(0) && state.first(0, open).is_some();
        let next = |lane| Some(lane).filter(|&lane| state.has_place(lane));
        let (lane, next) =
            (0..TIMES.len()).find_map(|lane| Some((lane, state.first(next(lane)?, open)?)))?;
        state.served.insert((lane, next.author), Instant::now());
        let stop = Arc::default();
        let since = Instant::now();
        state.running.insert(next.id, Running { author: next.author, lane, stop, since });
        Some(next.id)
    }

    /// Moves work from lane to lane until it is over, or has to wait for a place.
    pub(crate) async fn move_on(&self, id: i64) -> Infallible {
        let mut entered = Instant::now();
        loop {
            let time = self.state.lock().time(id);
            let Some(time) = time else { return pending().await };
            let left = time.saturating_sub(entered.elapsed()).min(LOOK);
            if !left.is_zero() {
                sleep(left).await;
                continue;
            }
            self.state.lock().move_on(id);
            entered = Instant::now();
            if self.waits(id) {
                return pending().await;
            }
            self.wake();
        }
    }

    /// Returns whether work has to stop because it waits for a place in another lane.
    pub(crate) fn waits(&self, id: i64) -> bool {
        let state = self.state.lock();
        let of = |running: &Running| state.moved.get(&id).is_some_and(|&lane| lane > running.lane);
        state.running.get(&id).is_some_and(of)
    }

    /// Returns what tells work to stop.
    pub(crate) fn stop_of(&self, id: i64) -> Option<Arc<AtomicBool>> {
        self.state.lock().running.get(&id).map(|running| Arc::clone(&running.stop))
    }

    /// Ends work as soon as possible.
    pub(crate) fn stop(&self, ids: &[i64]) {
        let stops = ids.iter().filter_map(|&id| self.stop_of(id));
        stops.for_each(|stop| stop.store(true, Ordering::Relaxed));
    }

    /// Notes that another stage of work begins.
    pub(crate) fn begin_stage(&self, id: i64) {
        if let Some(running) = self.state.lock().running.get_mut(&id) {
            running.since = Instant::now();
        }
    }

    /// Returns how long the current stage of work takes already.
    pub(crate) fn since(&self, id: i64) -> Option<Duration> {
        self.state.lock().running.get(&id).map(|running| running.since.elapsed())
    }

    /// Returns whether other work runs, and this does not.
    pub(crate) fn is_behind_others(&self, id: i64) -> bool {
        let state = self.state.lock();
        !state.running.is_empty() && !state.running.contains_key(&id)
    }

    /// Gives the place of work back.
    pub(crate) fn leave(&self, id: i64) {
        self.state.lock().running.remove(&id);
    }
}

impl LaneState {
    /// Returns the work that is the first to get a place in a lane.
    fn first(&self, lane: usize, open: &[Waiting]) -> Option<Waiting> {
        let is_served = |author| self.running.values().any(|running| running.author == author);
        let waits = |work: &&Waiting| {
            let own = self.moved.get(&work.id).copied().unwrap_or(0);
            own == lane && !self.running.contains_key(&work.id) && !is_served(work.author)
        };
        // Of equals, the first one is the oldest.
        let served = |work: &&Waiting| self.served.get(&(lane, work.author)).copied();
        open.iter().filter(waits).min_by_key(served).copied()
    }

    fn has_place(&self, lane: usize) -> bool {
        let used = self.running.values().filter(|running| running.lane == lane).count();
        used < self.places[lane]
    }

    /// Returns how long work may stay in its lane, as things are now; `None` without a limit.
    fn time(&self, id: i64) -> Option<Duration> {
        let lane = self.running.get(&id)?.lane;
        if lane == 0 && self.is_crowded { Some(HASTE) } else { TIMES[lane] }
    }

    /// Moves work to the next lane. Without a free place there, the work has to stop.
    fn move_on(&mut self, id: i64) {
        let Some(lane) = self.running.get(&id).map(|running| running.lane + 1) else { return };
        let has_place = self.has_place(lane);
        self.moved.insert(id, lane);
        let Some(running) = self.running.get_mut(&id) else { return };
        if has_place {
            running.lane = lane;
            self.served.insert((lane, running.author), Instant::now());
        } else {
            running.stop.store(true, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn work(ids: impl IntoIterator<Item = i64>) -> Vec<Waiting> {
        ids.into_iter().map(|id| Waiting { id, author: id }).collect()
    }

    fn time(lanes: &Lanes, id: i64) -> Option<Duration> {
        lanes.state.lock().time(id)
    }

    #[test]
    fn endless_work_leaves_the_fast_lane_to_others() {
        let lanes = Lanes::new([2, 1, 1]);
        let open = work(1..=12);
        // The first ten never end.
        let mut began = Vec::new();
        while began.len() < 12 {
            let Some(id) = lanes.take(&open) else { panic!("{began:?} hold up the others") };
            began.push(id);
            if id > 10 {
                continue;
            }
            if !lanes.state.lock().has_place(0) {
                let running: Vec<i64> = lanes.state.lock().running.keys().copied().collect();
                for id in running {
                    if time(&lanes, id) == TIMES[0] {
                        lanes.state.lock().move_on(id);
                        if lanes.waits(id) {
                            assert!(lanes.stop_of(id).unwrap().load(Ordering::Relaxed));
                            lanes.leave(id);
                        }
                    }
                }
            }
        }
        assert_eq!(began, (1..=12).collect::<Vec<_>>());
        assert_eq!(
            lanes.state.lock().running.values().filter(|running| running.lane == 1).count(),
            1
        );
    }

    #[test]
    fn work_in_the_fast_lane_makes_room_sooner_if_others_wait() {
        let lanes = Lanes::new([2, 1, 1]);
        assert_eq!([0; 3].map(|_| lanes.take(&work([1, 2]))), [Some(1), Some(2), None]);
        assert_eq!(time(&lanes, 1), TIMES[0]);
        assert_eq!(lanes.take(&work([1, 2, 3])), None);
        assert_eq!(time(&lanes, 1), Some(HASTE));
        lanes.state.lock().move_on(1);
        assert_eq!(lanes.take(&work([1, 2, 3])), Some(3));
        assert_eq!(lanes.take(&work([1, 2, 3])), None);
        assert_eq!((time(&lanes, 2), time(&lanes, 1)), (TIMES[0], TIMES[1]), "nobody waits");
    }

    #[test]
    fn slow_work_goes_on_in_another_lane_or_waits_for_it() {
        let lanes = Lanes::new([2, 1, 1]);
        let open = work([1, 2]);
        let fast = TIMES[0];
        assert_eq!((lanes.take(&open), lanes.take(&open)), (Some(1), Some(2)));
        lanes.state.lock().move_on(1);
        assert!(!lanes.waits(1) && time(&lanes, 1) == TIMES[1]);
        lanes.state.lock().move_on(2);
        assert!(lanes.waits(2) && time(&lanes, 2) == fast);
        lanes.leave(2);
        assert_eq!(lanes.take(&open), None, "the slow lane is full");
        lanes.leave(1);
        assert_eq!(lanes.take(&work([2])), Some(2));
        assert_eq!(time(&lanes, 2), TIMES[1], "it starts again where it waited");
        // Others have the whole fast lane.
        let open = work([2, 3, 4, 5]);
        assert_eq!([0; 3].map(|_| lanes.take(&open)), [Some(3), Some(4), None]);
        assert_eq!(TIMES[2], None, "the last lane has time for everything");
    }

    #[test]
    fn authors_take_turns_and_have_one_place() {
        let lanes = Lanes::new([2, 1, 1]);
        let of = |id, author| Waiting { id, author };
        let open = [of(1, 7), of(2, 7), of(3, 7), of(4, 8)];
        assert_eq!([0; 3].map(|_| lanes.take(&open)), [Some(1), Some(4), None]);
        lanes.leave(1);
        lanes.leave(4);
        let open = [of(2, 7), of(3, 7), of(5, 8), of(6, 9)];
        assert_eq!([0; 2].map(|_| lanes.take(&open)), [Some(6), Some(2)]);
    }
}
