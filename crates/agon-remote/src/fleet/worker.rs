//! How much a worker takes, and when it reports: a state machine without a clock or I/O.
//!
//! A worker acknowledges a batch only when the carrier has its results. So a worker that is lost
//! loses nothing but time.

use std::collections::BTreeMap;

use crate::fleet::Held;

/// Limits of a worker. Times are in milliseconds.
#[derive(Clone, Copy, Debug)]
pub struct WorkerLimits {
    /// How many matches it plays at a time.
    pub slots: usize,
    /// Results wait for others so long.
    pub gather: u64,
    /// Of matches that take less than this, some wait at the worker.
    pub short: u64,
    /// How often it sends a beat, and tells the carrier that it still works on its batches.
    pub beat: u64,
    /// How often it sends a beat while it has nothing, after it has said so once.
    pub idle_beat: u64,
    /// How long it takes to answer a roll call. Workers differ in it, so that not all answer at
    /// once.
    pub answer: u64,
}

/// A worker answers no roll call so soon after a beat, in milliseconds.
const ROLL_CALLS: u64 = 2_000;

/// So much work is given out in advance, in microseconds of each slot.
const AHEAD: u64 = 20_000;

/// The most matches that are given out in advance.
const MOST_AHEAD: u64 = 256;

/// What a worker learns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkerEvent {
    /// The carrier has delivered a batch. The number is the worker's own.
    Arrived {
        /// The worker's number for it.
        number: u64,
        /// The run that it belongs to, as the worker counts runs.
        run: u32,
        /// The batch with its delivery.
        held: Held,
        /// How many matches it has.
        jobs: u32,
    },
    /// The files of its bots are there.
    Ready {
        /// The batch.
        number: u64,
    },
    /// The batch cannot be played here; results that say so are ready to be sent.
    Unplayable {
        /// The batch.
        number: u64,
    },
    /// A match is over.
    Over {
        /// The batch.
        number: u64,
        /// The match, from 0.
        job: u32,
        /// How long it took, in microseconds.
        us: u64,
    },
    /// The carrier has results.
    Reported {
        /// The batch.
        number: u64,
        /// How many results it was.
        results: u32,
    },
    /// Somebody wants to know which workers there are.
    RollCall,
    /// It takes no more, and gives back what has not begun.
    Drain,
    /// Time has passed.
    Tick,
}

/// What a worker does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkerCommand {
    /// Ask for so many batches, instead of what was said before.
    Want {
        /// How many.
        batches: u32,
        /// How many had come when this was said: those that have come since count.
        arrived: u64,
    },
    /// Fetch the files of its bots.
    Prepare {
        /// The batch.
        number: u64,
    },
    /// Play a match.
    Play {
        /// The batch.
        number: u64,
        /// The match, from 0.
        job: u32,
    },
    /// Send all results that were not sent.
    Report {
        /// The batch.
        number: u64,
    },
    /// Tell the carrier that the worker goes on with it.
    Progress {
        /// The batch.
        number: u64,
    },
    /// Tell the carrier that it is over.
    Acknowledge {
        /// The batch.
        number: u64,
    },
    /// Give it back.
    Return {
        /// The batch.
        number: u64,
    },
    /// Tell the coordinators that the worker lives, and what it has.
    Beat,
    /// Nothing is left to do: the worker ends.
    End,
}

/// A worker.
#[derive(Clone, Debug)]
pub struct WorkerState {
    limits: WorkerLimits,
    batches: BTreeMap<u64, Batch>,
    /// Matches that were given out to be played.
    playing: usize,
    /// How long the last matches took, in microseconds; `None` before the first one is over.
    pace: Option<u64>,
    /// Batches that have come.
    arrived: u64,
    /// What was last said of wanted batches.
    wanted: Option<(u32, u64)>,
    is_draining: bool,
    has_ended: bool,
    last_beat: u64,
    next_beat: u64,
}

#[derive(Clone, Debug)]
struct Batch {
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
    /// Makes a worker that has nothing.
    pub fn new(limits: WorkerLimits) -> WorkerState {
        WorkerState {
            limits,
            batches: BTreeMap::new(),
            playing: 0,
            pace: None,
            arrived: 0,
            wanted: None,
            is_draining: false,
            has_ended: false,
            last_beat: 0,
            next_beat: limits.beat,
        }
    }

    /// Learns something at a time in milliseconds, and returns what is to be done.
    pub fn learn(&mut self, now: u64, event: WorkerEvent) -> Vec<WorkerCommand> {
        let mut commands = Vec::new();
        match event {
            WorkerEvent::Arrived { number, run, held, jobs } => {
                self.arrived += 1;
                self.take(number, run, held, jobs, &mut commands);
                self.next_beat = self.next_beat.min(now + self.limits.beat);
            }
            WorkerEvent::Ready { number } => {
                if let Some(batch) = self.batches.get_mut(&number) {
                    batch.is_ready = true;
                }
            }
            WorkerEvent::Unplayable { number } => {
                if let Some(batch) = self.batches.get_mut(&number) {
                    // Its results say so: all of its matches are over here.
                    (batch.begun, batch.over) = (batch.jobs, batch.jobs);
                    batch.waits.get_or_insert(now);
                }
            }
            WorkerEvent::Over { number, us, .. } => self.over(now, number, us),
            WorkerEvent::Reported { number, results } => {
                if let Some(batch) = self.batches.get_mut(&number) {
                    batch.reported += results;
                }
            }
            WorkerEvent::RollCall => {
                let answer = now.max(self.last_beat + ROLL_CALLS) + self.limits.answer;
                self.next_beat = self.next_beat.min(answer);
            }
            WorkerEvent::Drain => self.drain(&mut commands),
            WorkerEvent::Tick => {}
        }
        self.go_on(now, &mut commands);
        commands
    }

    /// Returns the batches that it has of a run.
    pub fn held(&self, run: u32) -> Vec<Held> {
        // One that is to be given back is still its own as long as matches of it are played.
        let is_own =
            |batch: &&Batch| batch.run == run && (!batch.is_returned || batch.begun > batch.over);
        let of_run = self.batches.values().filter(is_own);
        of_run.map(|batch| batch.held).collect()
    }

    /// Returns how many matches it plays now.
    pub fn playing(&self) -> usize {
        self.playing
    }

    fn take(
        &mut self,
        number: u64,
        run: u32,
        held: Held,
        jobs: u32,
        commands: &mut Vec<WorkerCommand>,
    ) {
        if self.is_draining {
            commands.push(WorkerCommand::Return { number });
            return;
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
        commands.extend([WorkerCommand::Beat, WorkerCommand::Prepare { number }]);
    }

    fn over(&mut self, now: u64, number: u64, us: u64) {
        self.playing = self.playing.saturating_sub(1);
        self.pace = Some(self.pace.map_or(us, |pace| (7 * pace + us) / 8));
        if let Some(batch) = self.batches.get_mut(&number) {
            batch.over += 1;
            batch.waits.get_or_insert(now);
        }
    }

    /// Gives back all batches of which nothing has begun; of the others, no further match begins.
    fn drain(&mut self, commands: &mut Vec<WorkerCommand>) {
        self.is_draining = true;
        for (&number, batch) in &mut self.batches {
            batch.is_returned = batch.begun < batch.jobs;
            if batch.begun == 0 {
                commands.push(WorkerCommand::Return { number });
            }
        }
        self.batches.retain(|_, batch| batch.begun > 0);
        commands.push(WorkerCommand::Beat);
    }

    /// Does whatever is due.
    fn go_on(&mut self, now: u64, commands: &mut Vec<WorkerCommand>) {
        self.play(commands);
        self.report(now, commands);
        self.pull(commands);
        if now >= self.next_beat {
            let is_idle = self.batches.is_empty();
            self.last_beat = now;
            self.next_beat = now + if is_idle { self.limits.idle_beat } else { self.limits.beat };
            commands.push(WorkerCommand::Beat);
            let all = self.batches.keys();
            commands.extend(all.map(|&number| WorkerCommand::Progress { number }));
        }
        if self.is_draining && self.batches.is_empty() && !self.has_ended {
            self.has_ended = true;
            commands.push(WorkerCommand::End);
        }
    }

    /// Returns how many matches are given out at a time: as many as there are slots, and of very
    /// short ones some more, so that no slot waits for the next.
    fn most(&self) -> usize {
        let slots = self.limits.slots;
        let more = match self.pace {
            Some(pace) if pace < AHEAD => slots as u64 * AHEAD / pace.max(1),
            _ => 0,
        };
        slots + more.min(MOST_AHEAD) as usize
    }

    fn play(&mut self, commands: &mut Vec<WorkerCommand>) {
        let most = self.most();
        for (&number, batch) in &mut self.batches {
            while self.playing < most
                && batch.is_ready
                && !batch.is_returned
                && batch.begun < batch.jobs
            {
                commands.push(WorkerCommand::Play { number, job: batch.begun });
                batch.begun += 1;
                self.playing += 1;
            }
        }
    }

    fn report(&mut self, now: u64, commands: &mut Vec<WorkerCommand>) {
        let gather = self.limits.gather;
        let mut done = Vec::new();
        for (&number, batch) in &mut self.batches {
            // Nothing more will be over.
            let last = if batch.is_returned { batch.begun } else { batch.jobs };
            let is_complete = batch.over >= last;
            let is_due = batch.waits.is_some_and(|since| since + gather <= now);
            if batch.over > batch.sent && (is_complete || is_due) {
                batch.sent = batch.over;
                batch.waits = None;
                commands.push(WorkerCommand::Report { number });
            }
            if is_complete && batch.reported >= last {
                done.push((number, batch.is_returned));
            }
        }
        for (number, is_returned) in done {
            self.batches.remove(&number);
            commands.push(match is_returned {
                true => WorkerCommand::Return { number },
                false => WorkerCommand::Acknowledge { number },
            });
        }
    }

    /// Asks for more, so that a batch waits while another is played.
    fn pull(&mut self, commands: &mut Vec<WorkerCommand>) {
        let open = || self.batches.values().filter(|batch| batch.begun < batch.jobs);
        // Of short matches a batch waits behind the one that is being played. A long match does
        // not wait here: another worker may begin it at once.
        let is_short = self.pace.is_some_and(|pace| pace < 1_000 * self.limits.short);
        let is_midway = open().any(|batch| batch.begun > 0);
        let free = self.limits.slots.saturating_sub(self.playing);
        let ahead = if is_short { 1 + usize::from(is_midway) } else { usize::from(is_midway) };
        let batches = match self.is_draining {
            true => 0,
            false => (free + ahead).saturating_sub(open().count()) as u32,
        };
        let wanted = Some((batches, self.arrived));
        if self.wanted != wanted {
            self.wanted = wanted;
            commands.push(WorkerCommand::Want { batches, arrived: self.arrived });
        }
    }
}
