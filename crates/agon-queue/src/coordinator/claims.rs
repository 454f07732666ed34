//! What volunteers say came of matches, and when it counts.
//!
//! A result of a trusted worker counts at once. A volunteer's result is a *claim*. It is checked by
//! having somebody else play the match: a trusted worker if there is one, otherwise a worker of
//! another volunteer. Where bots may answer differently each time, every claim is checked. Where
//! they do not, some are, and the others are held until a later check of the same volunteer was
//! passed. A volunteer with a wrong result loses all that is held, and takes part no more.

use agon_spec::Digest;

use super::{Command, Coordinator, Exclusion, Job, Result, Verdict, claim::Claim};
use crate::{JobKey, Owner};

impl Coordinator {
    /// Returns whether volunteers have said what came of a match: then the digest of the next
    /// result is needed.
    pub fn has_claims(&self, key: JobKey) -> bool {
        self.jobs.get(&key).is_some_and(|job| !job.claims.is_empty())
    }

    /// Returns whether it matters what a volunteer says of a match. The first result of a match
    /// matters. A second one does only if nobody trusted can check the first, and the check was
    /// given to this volunteer: otherwise two who conspire could check each other.
    pub fn wants(&self, owner: &str, key: JobKey) -> bool {
        let Some(job) = self.jobs.get(&key) else { return false };
        let batch = job.batch.and_then(|id| self.batches.get(&id));
        let Some(batch) = batch.filter(|batch| batch.kind.audience.is_open()) else { return false };
        let is_new = job.claims.iter().all(|claim| claim.owner != owner);
        let may_check = !self.has_trusted(job.class) && batch.is_held_by(owner);
        is_new && (job.claims.is_empty() || may_check) && !self.volunteers.is_excluded(owner)
    }

    /// A volunteer's worker cannot play a match that it has.
    fn lack(&mut self, now: u64, owner: &str, key: JobKey, commands: &mut Vec<Command>) {
        let batch = self.jobs.get(&key).and_then(|job| job.batch);
        let is_its = |id| self.batches.get(&id).is_some_and(|batch| batch.is_held_by(owner));
        if batch.is_some_and(is_its) {
            let owner = Owner::Volunteer(owner.to_owned());
            self.detach(now, key);
            self.lose(now, key, Some(("", &owner, true)), commands);
            self.lost_by(now, &owner, true, commands);
        }
    }

    /// A volunteer says what came of a match.
    pub(super) fn claim(
        &mut self,
        now: u64,
        owner: &str,
        result: &Result,
        commands: &mut Vec<Command>,
    ) {
        let key = result.key;
        // What was judged not to matter has no digest, even if it would matter by now.
        let is_judged = result.verdict == Verdict::Lacking || result.digest.is_some();
        if !is_judged || !self.wants(owner, key) {
            self.status.again += 1;
            return;
        }
        if result.verdict == Verdict::Lacking {
            return self.lack(now, owner, key, commands);
        }
        self.detach(now, key);
        let number = self.volunteers.came(owner);
        let job = self.jobs.get_mut(&key).expect("it is wanted");
        let others = &job.claims;
        if let Some(same) = others.iter().find(|claim| claim.digest == result.digest) {
            let kept = Some(same.owner.clone());
            self.status.checks += 1;
            self.settle(now, key, result.digest, kept, commands);
            return self.pass(now, owner, number, commands);
        }
        if self.is_stopped {
            // Nobody can check it any more: the next run plays the match again.
            self.drop_claims(key, commands);
            self.jobs.remove(&key);
            commands.push(Command::Withdraw { key });
            return;
        }
        let is_first = others.is_empty();
        let is_repeatable = job.terms.is_repeatable;
        let is_checked =
            !is_first || !is_repeatable || result.is_weighty || self.volunteers.draw(owner);
        let claim = Claim {
            owner: owner.to_owned(),
            digest: result.digest,
            number,
            releases: is_checked.then_some(number),
        };
        commands.push(Command::Keep { key, owner: owner.to_owned() });
        self.jobs.get_mut(&key).expect("it is wanted").claims.push(claim);
        if is_checked {
            self.volunteers.check(owner, number);
            self.wait(key, false);
        } else {
            self.volunteers.hold(now, owner, number, key);
        }
    }

    /// The end of a match is known. All who have claimed something were right or wrong; if it ended
    /// with an error, nobody knows.
    pub(super) fn settle(
        &mut self,
        now: u64,
        key: JobKey,
        truth: Option<Digest>,
        kept: Option<String>,
        commands: &mut Vec<Command>,
    ) {
        let Some(job) = self.jobs.remove(&key) else { return };
        self.status.over += 1;
        let mut passed = Vec::new();
        let mut wrong = Vec::new();
        for claim in job.claims {
            self.release_claim(&claim);
            if Some(&claim.owner) != kept.as_ref() {
                commands.push(Command::Forget { key, owner: claim.owner.clone() });
            }
            if truth.is_none() {
                continue;
            }
            if claim.digest == truth {
                passed.push(claim);
            } else if job.terms.is_repeatable {
                wrong.push(claim.owner);
            } else {
                self.volunteers.differs(&claim.owner);
            }
        }
        if let Some(owner) = &kept {
            self.volunteers.counted(owner);
        }
        commands.push(Command::Deliver { key, kept });
        for claim in passed {
            self.pass(now, &claim.owner, claim.releases.unwrap_or(claim.number), commands);
        }
        for owner in wrong {
            self.exclude(now, &owner, Exclusion::Wrong { key }, commands);
        }
    }

    /// A result was checked and right: those of the same volunteer count that came before and were
    /// held, with numbers below `until`.
    fn pass(&mut self, now: u64, owner: &str, until: u64, commands: &mut Vec<Command>) {
        for key in self.volunteers.passed(owner, until) {
            self.detach(now, key);
            self.count(key, owner, commands);
        }
    }

    /// A result that was held counts.
    fn count(&mut self, key: JobKey, owner: &str, commands: &mut Vec<Command>) {
        if self.jobs.remove(&key).is_some() {
            self.status.over += 1;
            self.volunteers.counted(owner);
            commands.push(Command::Deliver { key, kept: Some(owner.to_owned()) });
        }
    }

    /// A claim is neither held nor checked any more.
    pub(super) fn release_claim(&mut self, claim: &Claim) {
        match claim.releases {
            Some(_) => self.volunteers.checked(&claim.owner, claim.number),
            None => self.volunteers.unhold(&claim.owner, claim.number),
        }
    }

    /// Excludes a volunteer that was excluded before this coordinator began.
    pub fn exclude_before(&mut self, owner: &str) {
        if self.volunteers.exclude(owner).is_some() {
            self.status.excluded += 1;
        }
    }

    /// Excludes a volunteer: others play all that it had, and what has not counted yet.
    pub(super) fn exclude(
        &mut self,
        now: u64,
        owner: &str,
        why: Exclusion,
        commands: &mut Vec<Command>,
    ) {
        let Some(held) = self.volunteers.exclude(owner) else { return };
        let has_claim = |job: &Job| job.claims.iter().any(|claim| claim.owner == owner);
        let claimed: Vec<JobKey> =
            self.jobs.iter().filter(|(_, job)| has_claim(job)).map(|(key, _)| *key).collect();
        for key in claimed {
            let job = self.jobs.get_mut(&key).expect("it was found");
            job.claims.retain(|claim| claim.owner != owner);
            commands.push(Command::Forget { key, owner: owner.to_owned() });
        }
        for key in held {
            self.wait(key, true);
        }
        let is_its = |owner_of: &Option<Owner>| match owner_of {
            Some(Owner::Volunteer(name)) => name == owner,
            _ => false,
        };
        let batches: Vec<_> =
            self.batches.iter().filter(|(_, of)| is_its(&of.owner)).map(|(id, _)| *id).collect();
        for id in batches {
            let Some(batch) = self.batches.get_mut(&id) else { continue };
            // Nobody is suspected.
            batch.owner = None;
            if let Some(holder) = batch.holder.take() {
                self.workers.remove(&holder.worker);
            }
            self.give_back(now, id, None, commands);
        }
        self.status.excluded += 1;
        commands.push(Command::Exclude { owner: owner.to_owned(), why });
    }

    /// Checks a result of each volunteer whose results have waited for long without a check, or for
    /// which nothing else waits: at the end of a run, no later one may come.
    pub(super) fn check_overdue(&mut self, now: u64) {
        let is_end = self.volunteers.held() >= self.jobs.len();
        for (owner, key, until) in self.volunteers.overdue(now, is_end) {
            let Some(job) = self.jobs.get_mut(&key) else { continue };
            let Some(claim) = job.claims.iter_mut().find(|claim| claim.owner == owner) else {
                continue;
            };
            claim.releases = Some(until);
            let number = claim.number;
            self.volunteers.unhold(&owner, number);
            self.volunteers.check(&owner, number);
            self.wait(key, true);
        }
    }

    /// Takes a match out of wherever it waits.
    pub(super) fn detach(&mut self, now: u64, key: JobKey) {
        let Some(job) = self.jobs.get(&key) else { return };
        match job.batch {
            Some(batch) => self.take_out(now, batch, key),
            None => self.unqueue(key),
        }
    }

    /// Forgets what volunteers have said of a match that is not wanted any more.
    pub(super) fn drop_claims(&mut self, key: JobKey, commands: &mut Vec<Command>) {
        let Some(job) = self.jobs.get_mut(&key) else { return };
        for claim in std::mem::take(&mut job.claims) {
            self.release_claim(&claim);
            commands.push(Command::Forget { key, owner: claim.owner });
        }
    }
}
