//! Chooses the user that a program runs as, and takes away its privileges.

use std::{fs, io, os::fd::OwnedFd, path::Path};

use rustix::fs::{Access, AtFlags, CWD, Gid, Uid, access, chownat, fchown, fstatfs};
use rustix::io::Errno;
use rustix::process::{
    geteuid, getpid, parent_process_death_signal, set_parent_process_death_signal,
};
use rustix::thread::{
    CapabilitiesSecureBits as Bits, CapabilitySet, CapabilitySets, capabilities,
    clear_ambient_capability_set, remove_capability_from_bounding_set, set_capabilities,
    set_capabilities_secure_bits, set_no_new_privs, set_thread_groups, set_thread_res_gid,
    set_thread_res_uid,
};

use super::claim::{self, Claim};
use super::{ConfineError, Offer, SandboxState, failed, sandbox_state::Identity};
use crate::{Mechanism, Order, Sandbox};

/// The words about a user that belongs to the arena's user.
pub(crate) const SUB_USER: &str = "one of this user's own";

/// Chooses the user of a program: one of its own if root starts it, in any arena of this machine,
/// or if the user who starts it has others.
pub(super) fn choose(
    sandbox: &Sandbox,
    offer: &Offer,
    state: &mut SandboxState,
) -> Result<(), ConfineError> {
    let near = getpid().as_raw_nonzero().get().unsigned_abs();
    let none_free = failed("no user is free for it");
    if let Some(sub_ids) = &offer.sub_ids
        && offer.refused(Mechanism::Mounts).is_none()
        && sandbox.own_user
        // The arena could not remove what somebody else leaves there.
        && sandbox.write.is_empty()
    {
        let claim = sub_ids.claim(near).map_err(none_free)?;
        state.identity = Identity::Sub(claim.user);
        state.claim = Some(claim);
        return Ok(());
    }
    let can_switch = geteuid().is_root()
        && capabilities(None).is_ok_and(|sets| {
            sets.effective.contains(CapabilitySet::SETUID | CapabilitySet::SETGID)
        });
    if can_switch && claim::are_mapped() {
        let claim = Claim::of_free(near).map_err(none_free)?;
        state.identity = Identity::Spare(claim.user);
        state.claim = Some(claim);
    }
    Ok(())
}

/// Checks that the program's user can read the necessary files, and notes it.
pub(super) fn check(
    order: &Order,
    sandbox: &Sandbox,
    state: &mut SandboxState,
) -> Result<(), ConfineError> {
    if let Some(id) = state.identity.own() {
        suits(id, order, sandbox, state).map_err(|closed| {
            let what = format!(
                "{closed} is closed to others, and bots run as a user of their own; `chmod -R \
                 a+rX` opens it, and `a+rwX` if they may write there"
            );
            failed(what)(Errno::ACCESS)
        })?;
    }
    let words = match state.identity {
        Identity::Spare(id) => format!("user {id}"),
        Identity::Sub(id) => format!("{SUB_USER}, {id}"),
        Identity::Namespace((id, _)) => {
            format!("no capabilities, user {id} in a namespace of users")
        }
        Identity::Same => "no capabilities".into(),
    };
    state.holds(Mechanism::Identity, words);
    Ok(())
}

/// Checks that a user can read, execute and write everything that the program needs.
///
/// # Errors
/// With the thing that is out of reach.
fn suits(id: u32, order: &Order, sandbox: &Sandbox, state: &SandboxState) -> Result<(), String> {
    let uid = Uid::from_raw(id);
    let gid = Gid::from_raw(id);
    // These folders are Agon's own, made for this program.
    let scratch = (!state.has(Mechanism::Mounts) && !sandbox.fallback.is_empty())
        .then_some(&sandbox.fallback);
    for folder in sandbox.bounded.iter().map(|(folder, _)| folder).chain(scratch) {
        give(Path::new(folder), uid, gid).map_err(|_| folder.display().to_string())?;
    }
    // `access` asks for the real user, so the effective one can stay the same.
    let tried = set_thread_groups(&[])
        .and_then(|()| set_thread_res_gid(gid, None, None))
        .and_then(|()| set_thread_res_uid(uid, None, None));
    let suits = match tried {
        Ok(()) => reaches(order, sandbox, state),
        Err(error) => Err(format!("the user {id} ({error})")),
    };
    // The real user can return, because the effective user is still root.
    let back = set_thread_res_uid(Uid::ROOT, None, None)
        .and_then(|()| set_thread_res_gid(Gid::ROOT, None, None));
    suits.and(back.map_err(|error| format!("the way back to root ({error})")))
}

/// Makes a user the owner of a folder with all that it holds, and follows no links.
///
/// Nothing else has the folder at this time.
fn give(place: &Path, uid: Uid, gid: Gid) -> io::Result<()> {
    chownat(CWD, place, Some(uid), Some(gid), AtFlags::SYMLINK_NOFOLLOW)?;
    if place.symlink_metadata()?.is_dir() {
        for entry in fs::read_dir(place)? {
            give(&entry?.path(), uid, gid)?;
        }
    }
    Ok(())
}

/// Checks that the real user reaches everything that the program needs.
fn reaches(order: &Order, sandbox: &Sandbox, state: &SandboxState) -> Result<(), String> {
    let check = |path: &Path, rights: Access| match access(path, rights) {
        Ok(()) => Ok(()),
        Err(_) => Err(path.display().to_string()),
    };
    let entered = |path: &Path| {
        if path.is_dir() { Access::READ_OK | Access::EXEC_OK } else { Access::READ_OK }
    };
    check(Path::new(&order.program), Access::READ_OK | Access::EXEC_OK)?;
    check(Path::new(&order.folder), Access::EXEC_OK)?;
    for path in sandbox.read.iter().map(Path::new) {
        check(path, entered(path))?;
    }
    for path in sandbox.write.iter().map(Path::new) {
        check(path, entered(path) | Access::WRITE_OK)?;
    }
    if !state.has(Mechanism::Mounts) && !sandbox.fallback.is_empty() {
        check(Path::new(&sandbox.fallback), Access::READ_OK | Access::WRITE_OK | Access::EXEC_OK)?;
    }
    // A script may be unreadable even if its folder is not.
    for path in order.args.iter().map(Path::new).filter(|path| path.is_absolute() && path.exists())
    {
        check(path, entered(path))?;
    }
    Ok(())
}

/// Gives pipes to the user that a program runs as.
///
/// `/dev/stderr` and the like open them once more, which only their owner may do. Everything except
/// anonymous pipes keeps its owner.
pub(crate) fn give_pipes(pipes: &[OwnedFd], state: &SandboxState) {
    let Some(id) = state.identity.own() else { return };
    let is_pipe = |fd: &&OwnedFd| fstatfs(fd).is_ok_and(|system| system.f_type == PIPES);
    for pipe in pipes.iter().filter(is_pipe) {
        // If this is refused, programs can still use their descriptors.
        let _ = fchown(pipe, Some(Uid::from_raw(id)), Some(Gid::from_raw(id)));
    }
}

/// The kernel's file system of anonymous pipes, `PIPEFS_MAGIC`.
const PIPES: rustix::fs::FsWord = 0x5049_5045;

/// Becomes the program's user, and gives up all privileges.
pub(super) fn assume(state: &SandboxState) -> Result<(), ConfineError> {
    shed().map_err(failed("cannot give up capabilities"))?;
    if let Some(id) = state.identity.own() {
        let uid = Uid::from_raw(id);
        let gid = Gid::from_raw(id);
        // The kernel clears this setting when a process becomes another user.
        let at_parents_end = parent_process_death_signal().unwrap_or(None);
        set_thread_groups(&[])
            .and_then(|()| set_thread_res_gid(gid, gid, gid))
            .and_then(|()| set_thread_res_uid(uid, uid, uid))
            .and_then(|()| set_parent_process_death_signal(at_parents_end))
            .map_err(|error| failed(format!("cannot become the user {id}"))(error))?;
    }
    set_capabilities(
        None,
        CapabilitySets {
            effective: CapabilitySet::empty(),
            permitted: CapabilitySet::empty(),
            inheritable: CapabilitySet::empty(),
        },
    )
    .and_then(|()| set_no_new_privs(true))
    .map_err(failed("cannot give up capabilities"))
}

/// Makes sure that no executed program gets capabilities, not even one of root's.
fn shed() -> rustix::io::Result<()> {
    // Kernels before 4.3 have no such set.
    let _ = clear_ambient_capability_set();
    let own = capabilities(None)?;
    if !own.effective.contains(CapabilitySet::SETPCAP) {
        // Without this privilege there is nothing to drop: only root gets capabilities by
        // executing, with it or with a file's own.
        return Ok(());
    }
    for number in 0..u64::BITS {
        match remove_capability_from_bounding_set(CapabilitySet::from_bits_retain(1 << number)) {
            Ok(()) => {}
            // The kernel knows no higher ones.
            Err(Errno::INVAL) => break,
            Err(error) => return Err(error),
        }
    }
    set_capabilities_secure_bits(
        Bits::NO_ROOT
            | Bits::NO_ROOT_LOCKED
            | Bits::NO_SETUID_FIXUP_LOCKED
            | Bits::KEEP_CAPS_LOCKED
            | Bits::NO_CAP_AMBIENT_RAISE
            | Bits::NO_CAP_AMBIENT_RAISE_LOCKED,
    )
}
