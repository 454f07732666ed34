//! How much a worker takes, and when it reports: a state machine without a clock or I/O.
//!
//! Its user says what has happened, then asks what to do ([`WorkerState::actions`]). Times are in
//! milliseconds.
//!
//! A worker acknowledges a batch only when the carrier has its results. So a worker that is lost
//! loses nothing but time.

use std::collections::BTreeMap;

use crate::fleet::message::Held;

/// Results wait for others so long.
const GATHER: u64 = 150;

/// Of matches that take less than this, a batch waits at the worker.
const SHORT: u64 = 1_000;

/// How often a worker sends a beat, and tells the carrier that it still works on its batches: three
/// times before the carrier gives them to others.
pub const BEAT: u64 = 4_000;

/// How often it sends a beat while it has nothing, after it has said so once. The coordinator takes
/// it for dead after three beats.
const IDLE_BEAT: u64 = 15_000;

/// A worker answers no roll call so soon after a beat.
const ROLL_CALLS: u64 = 2_000;

/// So much work is given out in advance, in microseconds of each slot.
const AHEAD: u64 = 20_000;

/// The most matches that are given out in advance.
const MOST_AHEAD: u64 = 256;

/// How many batches a worker wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// How many.
    pub batches: u32,
    /// How many had come when this was said: those that have come since count.
    pub arrived: u64,
}

/// What a worker does. Its numbers of batches are those of [`WorkerState::arrived`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkerActions {
    /// Fetch the files of the bots of these batches.
    pub prepare: Vec<u64>,
    /// Play these matches, each by its batch and its place in it, from 0.
    pub play: Vec<(u64, u32)>,
    /// Send all results of these batches that were not sent.
    pub report: Vec<u64>,
    /// Give these batches back.
    pub give_back: Vec<u64>,
    /// Tell the coordinators that the worker lives, and what it has.
    pub beats: bool,
    /// Tell the carrier that the worker goes on with these batches.
    pub progress: Vec<u64>,
    /// Tell the carrier that these batches are over.
    pub acknowledge: Vec<u64>,
    /// Ask for so many batches, instead of what was said before.
    pub want: Option<Wanted>,
    /// Nothing is left to do: the worker ends.
    pub ends: bool,
}

/// A worker.
#[derive(Clone, Debug)]
pub struct WorkerState {
    /// How many matches it plays at a time.
    slots: usize,
    /// How long it takes to answer a roll call.
    answer: u64,
    batches: BTreeMap<u64, Batch>,
    /// Matches that were given out to be played.
    playing: usize,
    /// How long the last matches took, in microseconds; `None` before the first one is over.
    pace: Option<u64>,
    /// Batches that have come.
    arrived: u64,
    /// What was last said of wanted batches.
    wanted: Option<Wanted>,
    is_draining: bool,
    has_ended: bool,
    last_beat: u64,
    next_beat: u64,
    actions: WorkerActions,
}

#[derive(Clone, Debug)]
struct Batch {
    /// The run that it belongs to, as the worker counts runs.
    run: u32,
    held: Held,
    jobs: u32,
    is_ready: bool,
    /// Matches that have begun.
    begun: u32,
    /// Matches that are over.
    over: u32,
    /// Results that the carrier has, or that are on their way.
    sent: u32,
    /// Results that the carrier has.
    reported: u32,
    /// Since when a result waits.
    waits: Option<u64>,
    /// No more of its matches begin.
    is_returned: bool,
}

impl WorkerState {
    /// Makes a worker that has nothing, and plays so many matches at a time. It takes so many
    /// milliseconds to answer a roll call: workers differ in it, so that not all answer at once.
    pub fn new(slots: usize, answer: u64) -> WorkerState {
        WorkerState {
            slots,
            answer,
            batches: BTreeMap::new(),
            playing: 0,
            pace: None,
            arrived: 0,
            wanted: None,
            is_draining: false,
            has_ended: false,
            last_beat: 0,
            next_beat: BEAT,
            actions: WorkerActions::default(),
        }
    }

    /// The carrier has delivered a batch with so many matches. The number is the worker's own, and
    /// so is that of the run.
    pub fn arrived(&mut self, now: u64, number: u64, run: u32, held: Held, jobs: u32) {
        self.arrived += 1;
        self.next_beat = self.next_beat.min(now + BEAT);
        if self.is_draining {
            return self.actions.give_back.push(number);
        }
        let batch = Batch {
            run,
            held,
            jobs,
            is_ready: false,
            begun: 0,
            over: 0,
            sent: 0,
            reported: 0,
            waits: None,
            is_returned: false,
        };
        self.batches.insert(number, batch);
        // Who loses it is known even if the worker dies at once.
        self.actions.beats = true;
        self.actions.prepare.push(number);
    }

    /// The files of the bots of a batch are there.
    pub fn ready(&mut self, number: u64) {
        if let Some(batch) = self.batches.get_mut(&number) {
            batch.is_ready = true;
        }
    }

    /// A batch cannot be played here; results that say so are ready to be sent.
    pub fn unplayable(&mut self, now: u64, number: u64) {
        if let Some(batch) = self.batches.get_mut(&number) {
            // Its results say so: all of its matches are over here.
            (batch.begun, batch.over) = (batch.jobs, batch.jobs);
            batch.waits.get_or_insert(now);
        }
    }

    /// A match of a batch is over. `us` is how long it took, in microseconds.
    pub fn over(&mut self, now: u64, number: u64, us: u64) {
        self.playing = self.playing.saturating_sub(1);
        self.pace = Some(self.pace.map_or(us, |pace| (7 * pace + us) / 8));
        if let Some(batch) = self.batches.get_mut(&number) {
            batch.over += 1;
            batch.waits.get_or_insert(now);
        }
    }

    /// The carrier has so many more results of a batch.
    pub fn reported(&mut self, number: u64, results: u32) {
        if let Some(batch) = self.batches.get_mut(&number) {
            batch.reported += results;
        }
    }

    /// Somebody wants to know which workers there are.
    pub fn roll_call(&mut self, now: u64) {
        let answer = now.max(self.last_beat + ROLL_CALLS) + self.answer;
        self.next_beat = self.next_beat.min(answer);
    }

    /// It takes no more: gives back all batches of which nothing has begun. Of the others, no
    /// further match begins.
    pub fn drain(&mut self) {
        self.is_draining = true;
        self.actions.beats = true;
        for (&number, batch) in &mut self.batches {
            batch.is_returned = batch.begun < batch.jobs;
            if batch.begun == 0 {
                self.actions.give_back.push(number);
            }
        }
        self.batches.retain(|_, batch| batch.begun > 0);
    }

    /// Returns the batches that it has of a run.
    pub fn held(&self, run: u32) -> Vec<Held> {
        // One that is to be given back is still its own as long as matches of it are played.
        let is_own =
            |batch: &&Batch| batch.run == run && (!batch.is_returned || batch.begun > batch.over);
        self.batches.values().filter(is_own).map(|batch| batch.held).collect()
    }

    /// Returns how many matches it plays now.
    pub fn playing(&self) -> usize {
        self.playing
    }

    /// Returns all that is due.
    pub fn actions(&mut self, now: u64) -> WorkerActions {
        self.play();
        self.report(now);
        self.pull();
        if now >= self.next_beat {
            let is_idle = self.batches.is_empty();
            self.last_beat = now;
            self.next_beat = now + if is_idle { IDLE_BEAT } else { BEAT };
            self.actions.beats = true;
            self.actions.progress.extend(self.batches.keys());
        }
        if self.is_draining && self.batches.is_empty() && !self.has_ended {
            self.has_ended = true;
            self.actions.ends = true;
        }
        std::mem::take(&mut self.actions)
    }

    /// Gives out matches: as many as there are slots, and of very short ones some more, so that no
    /// slot waits for the next.
    fn play(&mut self) {
        let more = match self.pace {
            Some(pace) if pace < AHEAD => self.slots as u64 * AHEAD / pace.max(1),
            _ => 0,
        };
        let most = self.slots + more.min(MOST_AHEAD) as usize;
        for (&number, batch) in &mut self.batches {
            let may_begin = batch.is_ready && !batch.is_returned;
            while self.playing < most && may_begin && batch.begun < batch.jobs {
                self.actions.play.push((number, batch.begun));
                batch.begun += 1;
                self.playing += 1;
            }
        }
    }

    fn report(&mut self, now: u64) {
        let actions = &mut self.actions;
        self.batches.retain(|&number, batch| {
            // Nothing more will be over.
            let last = if batch.is_returned { batch.begun } else { batch.jobs };
            let is_complete = batch.over >= last;
            let is_due = batch.waits.is_some_and(|since| since + GATHER <= now);
            if batch.over > batch.sent && (is_complete || is_due) {
                batch.sent = batch.over;
                batch.waits = None;
                actions.report.push(number);
            }
            let is_done = is_complete && batch.reported >= last;
            if is_done {
                let of = match batch.is_returned {
                    true => &mut actions.give_back,
                    false => &mut actions.acknowledge,
                };
                of.push(number);
            }
            !is_done
        });
    }

    /// Asks for more, so that a batch waits while another is played.
    fn pull(&mut self) {
        let open = || self.batches.values().filter(|batch| batch.begun < batch.jobs);
        // Of short matches a batch waits behind the one that is being played. A long match does
        // not wait here: another worker may begin it at once.
        let is_short = self.pace.is_some_and(|pace| pace < 1_000 * SHORT);
        let is_midway = open().any(|batch| batch.begun > 0);
        let free = self.slots.saturating_sub(self.playing);
        let ahead = usize::from(is_short) + usize::from(is_midway);
        let batches = match self.is_draining {
            true => 0,
            false => (free + ahead).saturating_sub(open().count()) as u32,
        };
        let wanted = Some(Wanted { batches, arrived: self.arrived });
        if self.wanted != wanted {
            self.wanted = wanted;
            self.actions.want = wanted;
        }
    }
}
