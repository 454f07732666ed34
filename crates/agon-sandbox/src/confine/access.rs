//! Landlock: decides which files a program may read and write, even if it sees more.

use std::os::fd::{AsRawFd, OwnedFd};
use std::{io, path::Path};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, RulesetError, Scope,
};
use rustix::thread::set_no_new_privs;

use super::plan::{DEVICES, system_paths};
use super::{ConfineError, SandboxState, failed};
use crate::{Mechanism, Order, Sandbox};

/// The newest known interface. Older kernels do a part of it.
const NEWEST: ABI = ABI::V9;

/// The first version that can restrict signals and abstract sockets.
pub(super) const SCOPES: i32 = 6;

/// The first version that can forbid truncating files.
pub(super) const TRUNCATE: i32 = 3;

/// Makes the rules for a program.
pub(super) fn rules(
    order: &Order,
    sandbox: &Sandbox,
    state: &SandboxState,
) -> Result<OwnedFd, ConfineError> {
    let error = |error: RulesetError| failed("Landlock")(io::Error::other(error));
    let mut rules = ruleset(sandbox).map_err(error)?;
    let read = AccessFs::from_read(NEWEST);
    let all = AccessFs::from_all(NEWEST);
    if state.has(Mechanism::Mounts) {
        rules = allow(rules, Path::new("/"), read).map_err(error)?;
        rules = allow(rules, Path::new("/tmp"), all).map_err(error)?;
    } else {
        for path in system_paths().iter().map(AsRef::as_ref).chain([Path::new("/proc")]) {
            rules = allow(rules, path, read).map_err(error)?;
        }
        for path in sandbox.read.iter().chain([&order.program]) {
            rules = allow(rules, Path::new(path), read).map_err(error)?;
        }
        for (_, copy) in &order.snapshot.copies {
            rules = allow(rules, Path::new(copy), read).map_err(error)?;
        }
        if !sandbox.fallback.is_empty() {
            rules = allow(rules, Path::new(&sandbox.fallback), all).map_err(error)?;
        }
    }
    for path in &sandbox.write {
        rules = allow(rules, Path::new(path), all).map_err(error)?;
    }
    for (name, source) in DEVICES {
        // Without mounts it is the machine's own.
        if name != source && !state.has(Mechanism::Mounts) {
            continue;
        }
        let device = Path::new("/dev").join(name);
        rules = allow(rules, &device, AccessFs::ReadFile | AccessFs::WriteFile).map_err(error)?;
    }
    // There are no rules if the kernel does not know Landlock.
    Option::from(rules)
        .ok_or_else(|| failed("Landlock")(io::Error::other("the kernel does not enforce it")))
}

/// Restricts the calling process irrevocably. Allocates nothing.
#[allow(unsafe_code)]
pub(super) fn restrict(rules: &OwnedFd) -> io::Result<()> {
    // Otherwise only privileged processes may do that.
    set_no_new_privs(true)?;
    // SAFETY: a plain system call with two numbers.
    let result = unsafe { libc::syscall(libc::SYS_landlock_restrict_self, rules.as_raw_fd(), 0) };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Restricts everything that Landlock can restrict.
///
/// Signals and abstract sockets have no exceptions. Connections are left to a program whose network
/// has nobody else.
fn ruleset(sandbox: &Sandbox) -> Result<RulesetCreated, RulesetError> {
    let files = Ruleset::default().handle_access(AccessFs::from_all(NEWEST))?;
    let rules = match sandbox.loopback {
        true => files,
        false => files.handle_access(AccessNet::from_all(NEWEST))?,
    };
    rules.scope(Scope::from_all(NEWEST))?.create()
}

/// Allows something below a path; a missing path needs no rule.
fn allow(
    rules: RulesetCreated,
    path: &Path,
    rights: BitFlags<AccessFs>,
) -> Result<RulesetCreated, RulesetError> {
    let Ok(place) = PathFd::new(path) else { return Ok(rules) };
    // Rights of folders have no meaning for files.
    let rights = if path.is_dir() { rights } else { rights & AccessFs::from_file(NEWEST) };
    rules.add_rule(PathBeneath::new(place, rights))
}
