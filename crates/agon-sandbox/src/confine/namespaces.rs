//! Enters new namespaces for a program: of mounts, processes, networks, and of users if necessary.

use std::{fs, io};

use rustix::process::{getegid, geteuid};
use rustix::{io::Errno, thread::UnshareFlags};

use super::{ConfineError, Offer, SandboxState, failed, sandbox_state::Identity};
use crate::Mechanism;

/// The number of a program's user in a namespace of users if root starts it: it must not be root.
const NOT_ROOT: u32 = 1000;

/// The kinds of namespaces that are reported.
const KINDS: [(Mechanism, UnshareFlags, &str); 3] = [
    (Mechanism::Mounts, UnshareFlags::NEWNS, "sees only what it needs"),
    (Mechanism::Processes, UnshareFlags::NEWPID, "sees only its own"),
    (Mechanism::Network, UnshareFlags::NEWNET, "none"),
];

/// Notes that all kinds hold.
pub(super) fn hold_all(state: &mut SandboxState) {
    for (kind, _, words) in KINDS {
        state.holds(kind, words);
    }
}

/// Enters all available namespaces.
pub(super) fn enter(offer: &Offer, state: &mut SandboxState) -> Result<(), ConfineError> {
    let offered: Vec<_> =
        KINDS.iter().filter(|(kind, ..)| offer.refused(*kind).is_none()).collect();
    for (kind, ..) in KINDS {
        if let Some(why) = offer.refused(kind) {
            state.lacks(kind, why);
        }
    }
    if offered.is_empty() {
        return Ok(());
    }
    let mut flags = UnshareFlags::NEWIPC | UnshareFlags::NEWUTS;
    for (_, flag, _) in &offered {
        flags |= *flag;
    }
    let uid = geteuid().as_raw();
    let gid = getegid().as_raw();
    if offer.user {
        flags |= UnshareFlags::NEWUSER;
    }
    let error = "cannot map the user into a namespace";
    let mapper = match (&offer.sub_ids, &state.claim, state.identity) {
        (Some(sub_ids), Some(claim), Identity::Sub(_)) => {
            Some(sub_ids.map(claim).map_err(failed(error))?)
        }
        _ => None,
    };
    // All or nothing: if it fails, no namespace has been entered.
    if let Err(error) = unshare(flags) {
        for (kind, ..) in offered {
            state.lacks(
                *kind,
                format!("namespaces are not available now ({error}), although they were before"),
            );
        }
        // Whoever is nobody else is the same.
        if offer.user {
            (state.identity, state.claim) = (Identity::Same, None);
        }
        return Ok(());
    }
    match mapper {
        Some(mapper) => mapper.finish().map_err(failed(error))?,
        None if offer.user => {
            state.identity = Identity::Namespace(map(uid, gid).map_err(failed(error))?);
        }
        None => {}
    }
    match rustix::system::sethostname(b"agon") {
        // Filters of containers may forbid it. Then the program sees the container's name, and
        // cannot change it either.
        Ok(()) | Err(Errno::PERM) => {}
        Err(error) => return Err(failed("cannot name the host")(error)),
    }
    for (kind, _, words) in offered {
        state.holds(*kind, *words);
    }
    Ok(())
}

/// Enters a namespace of users alone.
pub(super) fn enter_user() -> io::Result<()> {
    let uid = geteuid().as_raw();
    let gid = getegid().as_raw();
    unshare(UnshareFlags::NEWUSER)?;
    map(uid, gid).map(drop)
}

/// Enters namespaces.
pub(super) fn unshare(flags: UnshareFlags) -> io::Result<()> {
    // SAFETY: the flag that takes the files of other threads from a thread, `FILES`, is never used.
    #[allow(unsafe_code)]
    Ok(unsafe { rustix::thread::unshare_unsafe(flags) }?)
}

/// Maps a user into the namespace of users just entered, and returns its user there.
fn map(uid: u32, gid: u32) -> io::Result<(u32, u32)> {
    let inside = |id| if id == 0 { NOT_ROOT } else { id };
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{} {uid} 1", inside(uid)))?;
    fs::write("/proc/self/gid_map", format!("{} {gid} 1", inside(gid)))?;
    Ok((inside(uid), inside(gid)))
}
