//! Users that belong to an ordinary user: those that `/etc/subuid` and `/etc/subgid` give it.
//!
//! A namespace of users can have one of them beside the user who makes it. So a program runs as
//! somebody else although nobody is root. Only a process outside with `CAP_SETUID` and `CAP_SETGID`
//! may write such maps: the launcher of a service that has them, or newuidmap and newgidmap.

use std::path::{Path, PathBuf};
use std::{fs, io, os::unix::fs::DirBuilderExt, process::Command};

use rustix::process::{getegid, geteuid, getpid};
use rustix::thread::{CapabilitySet, capabilities};
use serde::{Deserialize, Serialize};

use super::claim::{Claim, open_private};
use crate::fork::Beside;

/// The user and group of a program in such a namespace. The one who made the namespace is root.
pub(super) const INSIDE: u32 = 1000;

/// Most users of them that are tried, as many as root has.
const MOST: u32 = 600;

/// The users and groups that belong to the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SubIds {
    first_user: u32,
    first_group: u32,
    count: u32,
}

impl SubIds {
    /// Finds those of the caller.
    pub(super) fn find() -> io::Result<SubIds> {
        let user = geteuid().as_raw();
        let name = name_of(user, &fs::read_to_string("/etc/passwd").unwrap_or_default());
        let range = |file: &str| {
            let text = fs::read_to_string(file).unwrap_or_default();
            range_of(user, name.as_deref(), &text)
                .ok_or_else(|| io::Error::other(format!("{file} has none for this user")))
        };
        let (first_user, users) = range("/etc/subuid")?;
        let (first_group, groups) = range("/etc/subgid")?;
        Ok(SubIds { first_user, first_group, count: users.min(groups).min(MOST) })
    }

    /// Claims one of them for a box.
    pub(super) fn claim(&self, near: u32) -> io::Result<Claim> {
        let folder = PathBuf::from(format!("/tmp/agon-users-{}", geteuid().as_raw()));
        // It may be there already.
        let _ = fs::DirBuilder::new().mode(0o700).create(&folder);
        let folder = open_private(&folder, geteuid().as_raw())?;
        Claim::in_folder(&folder, self.first_user..self.first_user + self.count, near)
    }

    /// Makes a process that maps a claimed user into the namespace that this process enters next.
    pub(super) fn map(&self, claim: &Claim) -> io::Result<Beside> {
        self.map_number(claim.user - self.first_user)
    }

    /// Does the same with the first of them, as a trial.
    pub(super) fn map_first(&self) -> io::Result<Beside> {
        self.map_number(0)
    }

    fn map_number(&self, number: u32) -> io::Result<Beside> {
        let (user, group) = (geteuid().as_raw(), getegid().as_raw());
        let process = getpid().as_raw_nonzero().to_string();
        let users = Map { own: user, other: self.first_user + number };
        let groups = Map { own: group, other: self.first_group + number };
        Beside::start(move || {
            if may_write() {
                let map = |file, map: Map| {
                    let text = format!("0 {} 1\n{INSIDE} {} 1\n", map.own, map.other);
                    fs::write(Path::new("/proc").join(&process).join(file), text)
                };
                return map("uid_map", users).and_then(|()| map("gid_map", groups));
            }
            users.write_with("newuidmap", &process)?;
            groups.write_with("newgidmap", &process)
        })
    }
}

/// The two users, or groups, of a namespace: their numbers outside.
#[derive(Clone, Copy)]
struct Map {
    /// Is root inside.
    own: u32,
    /// Is [`INSIDE`].
    other: u32,
}

impl Map {
    fn write_with(self, tool: &str, process: &str) -> io::Result<()> {
        let Map { own, other } = self;
        let words = format!("{process} 0 {own} 1 {INSIDE} {other} 1");
        let output = Command::new(tool).args(words.split(' ')).output();
        let output = output.map_err(|error| io::Error::other(format!("{tool}: {error}")))?;
        if output.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        Err(io::Error::other(format!("{tool} refuses it: {said}")))
    }
}

/// Returns whether this process itself may map users that are not its own.
fn may_write() -> bool {
    let needed = CapabilitySet::SETUID | CapabilitySet::SETGID;
    capabilities(None).is_ok_and(|sets| sets.effective.contains(needed))
}

/// Returns the name of a user in a file like `/etc/passwd`.
fn name_of(user: u32, passwd: &str) -> Option<String> {
    let mut lines = passwd.lines().map(|line| line.split(':').collect::<Vec<_>>());
    let line = lines.find(|line| line.get(2).is_some_and(|id| id.parse() == Ok(user)))?;
    Some(line[0].to_owned())
}

/// Returns the first number and the count of a user's range in a file like `/etc/subuid`.
fn range_of(user: u32, name: Option<&str>, file: &str) -> Option<(u32, u32)> {
    file.lines().find_map(|line| {
        let [owner, first, count] = line.split(':').collect::<Vec<_>>().try_into().ok()?;
        let is_own = Some(owner) == name || owner.parse() == Ok(user);
        let range = (first.trim().parse::<u32>().ok()?, count.trim().parse::<u32>().ok()?);
        (is_own && range.1 > 0 && range.0.checked_add(range.1).is_some()).then_some(range)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_found_by_name_and_by_number() {
        let file = "other:1000:5\nagon:200000:600\n33:300000:65536\nbad:x:1\nlast:4294967295:9\n";
        assert_eq!(range_of(7, Some("agon"), file), Some((200_000, 600)));
        assert_eq!(range_of(33, None, file), Some((300_000, 65_536)));
        for (user, name) in [(7, None), (7, Some("bad")), (7, Some("last"))] {
            assert_eq!(range_of(user, name, file), None, "{name:?}");
        }
        assert_eq!(name_of(33, "root:x:0:0::/:\nwww:x:33:33::/:\n").as_deref(), Some("www"));
    }
}
