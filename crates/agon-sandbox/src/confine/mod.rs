//! Confines a program, step by step.
//!
//! All steps run in processes with one thread, forked for this one program:
//!
//! 1. the supervisor calls [`enter`]: new namespaces;
//! 2. init, its child and the first process of the new namespaces, calls [`set_up`]: the files,
//!    processes and devices that the program sees;
//! 3. init's child, which becomes the program, calls [`Restrictions::apply`]: limits, identity,
//!    filters.
//!
//! A later program of the same bot finds most of that done, in a [`PooledSandbox`].
//!
//! [`offer()`] finds out once which mechanisms the machine offers, by trying them in a child. So no
//! step has to be undone.

mod access;
mod calls;
mod claim;
mod filter;
mod identity;
mod limits;
mod loopback;
mod mounts;
mod namespaces;
mod plan;
mod pooled_sandbox;
mod root;
mod sandbox_state;
mod seccomp;
mod sub_ids;
#[cfg(test)]
mod tests;
mod trial;

use std::os::fd::{AsFd, OwnedFd};

use rustix::io::{Errno, fcntl_dupfd_cloexec};

use crate::{Mechanism, Order};

pub(crate) use identity::{SUB_USER, give_pipes};
pub(crate) use limits::pin;
pub(crate) use loopback::own_socket;
pub(crate) use pooled_sandbox::{Facts, Key, PooledSandbox};
pub(crate) use sandbox_state::{ConfineError, Offer, SandboxState, failed};
pub(crate) use trial::offer;

/// Surveys the visible parts of the system once, for all processes that are forked later.
pub(crate) fn survey() {
    plan::Plan::of_system();
}

/// Enters a free pooled sandbox if it fits, or else new namespaces, as far as the machine offers
/// them.
///
/// Children of the calling process are in all of them.
pub(crate) fn enter(
    order: &Order,
    offer: &Offer,
    pooled: Option<&PooledSandbox>,
) -> Result<SandboxState, ConfineError> {
    let mut state =
        SandboxState { root: rustix::process::geteuid().is_root(), ..SandboxState::default() };
    state.holds(Mechanism::Limits, "limits of the kernel");
    let Some(sandbox) = &order.sandbox else {
        limits::count_processes(order, offer, &mut state);
        return Ok(state);
    };
    match pooled.filter(|pooled| pooled.fits(order)) {
        Some(pooled) => pooled.enter(&mut state)?,
        None => {
            identity::choose(sandbox, offer, &mut state)?;
            namespaces::enter(offer, &mut state)?;
        }
    }
    if sandbox.loopback {
        loopback::set_up(&state)?;
    }
    match offer.refused(Mechanism::Landlock) {
        None => {
            state.landlock = offer.landlock;
            state.holds(Mechanism::Landlock, format!("ABI {}", offer.landlock));
        }
        Some(why) => state.lacks(Mechanism::Landlock, why),
    }
    match offer.refused(Mechanism::Seccomp) {
        None => state.holds(Mechanism::Seccomp, "dangerous system calls fail"),
        Some(why) => state.lacks(Mechanism::Seccomp, why),
    }
    state.complete(sandbox)?;
    Ok(state)
}

/// Makes the folders, processes and devices that the program sees, and decides its user.
///
/// With `keep` it returns a pooled sandbox for the next start, if a new one can be made.
pub(crate) fn set_up(
    order: &Order,
    offer: &Offer,
    state: &mut SandboxState,
    keep: bool,
) -> Result<Option<PooledSandbox>, ConfineError> {
    let Some(sandbox) = &order.sandbox else { return Ok(None) };
    let mut pooled = None;
    if let Some(fresh) = state.unfinished.take() {
        fresh.set_up(sandbox, state)?;
    } else {
        let plan = plan::Plan::new(order, sandbox)?;
        if state.has(Mechanism::Mounts) {
            pooled = root::set_up_root(order, sandbox, &plan, state, keep)?;
        }
    }
    identity::check(order, sandbox, state)?;
    limits::count_processes(order, offer, state);
    state.complete(sandbox)?;
    Ok(pooled)
}

/// Copies a descriptor to a number from `free` on.
///
/// # Errors
/// If the limit of descriptors is below `free`. The system reports this as an invalid argument.
pub(crate) fn aside(fd: impl AsFd, free: i32) -> rustix::io::Result<OwnedFd> {
    fcntl_dupfd_cloexec(fd, free).map_err(|error| match error {
        Errno::INVAL => Errno::MFILE,
        other => other,
    })
}

/// The last restrictions of a program's process: limits, identity, Landlock and seccomp.
///
/// They are prepared before the process exists, so that it allocates nothing.
#[derive(Debug)]
pub(crate) struct Restrictions {
    rules: Option<OwnedFd>,
    filter: Option<seccomp::Filter>,
}

impl Restrictions {
    /// Makes everything that the program's process will need.
    ///
    /// Descriptors get numbers from `free` on.
    pub(crate) fn new(
        order: &Order,
        state: &SandboxState,
        free: i32,
    ) -> Result<Restrictions, ConfineError> {
        let mut restrictions = Restrictions { rules: None, filter: None };
        let Some(sandbox) = &order.sandbox else { return Ok(restrictions) };
        if state.has(Mechanism::Landlock) {
            let rules = access::rules(order, sandbox, state)?;
            restrictions.rules = Some(aside(rules, free).map_err(failed("Landlock"))?);
        }
        if state.has(Mechanism::Seccomp) {
            restrictions.filter = Some(seccomp::Filter::new(sandbox, state)?);
        }
        Ok(restrictions)
    }

    /// Takes everything from the process that the program must not have.
    ///
    /// Afterwards the process may only execute the program.
    pub(crate) fn apply(
        &mut self,
        order: &Order,
        state: &SandboxState,
    ) -> Result<(), ConfineError> {
        limits::apply(order, state)?;
        if order.sandbox.is_none() {
            return Ok(());
        }
        if let Some(rules) = &self.rules {
            access::restrict(rules).map_err(failed("Landlock"))?;
        }
        identity::assume(state)?;
        match &mut self.filter {
            Some(filter) => filter.install().map_err(failed("cannot filter system calls")),
            None => Ok(()),
        }
    }
}
