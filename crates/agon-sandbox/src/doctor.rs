//! Examines how well this machine can confine programs, for `agon doctor`.

use std::{
    env::temp_dir,
    fs, io,
    net::{SocketAddr, TcpListener, TcpStream},
    path::{Path, PathBuf},
    time::Duration,
};

use rustix::thread::UnshareFlags;
use serde::{Deserialize, Serialize};

use crate::{
    Confinement, Folder, Limits, Mechanism, Order, Sandbox, Snapshot,
    confine::{Restrictions, enter, in_child, set_up},
};

/// The result of [`examine`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// Version of the kernel.
    pub kernel: String,
    /// The confinement of programs here, or the reason why there is none.
    pub confinement: Result<Confinement, String>,
}

/// Confines a child process like a program, and reports how well that works.
///
/// The calling process must have one thread. The child also tries forbidden actions. If one of them
/// works, the report is an error with that action.
pub fn examine() -> Report {
    Report {
        kernel: rustix::system::uname().release().to_string_lossy().into_owned(),
        confinement: confined().unwrap_or_else(|error| Err(error.to_string())),
    }
}

/// Things that a program must not reach.
struct Bait {
    /// A readable file in a folder that is not shown.
    file: PathBuf,
    /// An address that accepts connections; `None` if that is impossible.
    address: Option<SocketAddr>,
}

fn confined() -> io::Result<Result<Confinement, String>> {
    // Everybody may read its contents, except for the program's confinement.
    let folder = Folder::create(&temp_dir(), "agon-doctor-", 0o755)?;
    let [scratch, closed] = ["scratch", "closed"].map(|name| folder.path().join(name));
    for folder in [&scratch, &closed] {
        fs::create_dir(folder)?;
    }
    let file = closed.join("file");
    fs::write(&file, "not for programs")?;
    let listener = TcpListener::bind("127.0.0.1:0").ok();
    let address = listener.as_ref().and_then(|listener| listener.local_addr().ok());
    let order = order(scratch);
    in_child(|| keep(&order, &Bait { file, address }))
}

/// Makes a simple order that uses every mechanism that may be missing.
fn order(fallback: PathBuf) -> Order {
    Order {
        program: "/bin/sh".into(),
        args: Vec::new(),
        env: Vec::new(),
        folder: "/".into(),
        cores: Vec::new(),
        limits: Limits {
            memory: Some(256 << 20),
            processes: Some(8),
            files: Some(64),
            ..Limits::default()
        },
        sandbox: Some(Sandbox {
            scratch: 1 << 20,
            fallback: fallback.into(),
            own_user: true,
            ..Sandbox::default()
        }),
        snapshot: Snapshot::default(),
        grace: Duration::ZERO,
    }
}

/// Descriptors from this number on are free.
const FREE: i32 = 3;

/// Does the work of a program's supervisor.
fn keep(order: &Order, bait: &Bait) -> Result<Confinement, String> {
    let mut state = enter(order, None).map_err(|error| error.to_string())?;
    in_child(|| {
        set_up(order, &mut state, false).map_err(|error| error.to_string())?;
        in_child(|| {
            let restrictions = Restrictions::new(order, &state, FREE);
            restrictions
                .and_then(|mut restrictions| restrictions.apply(order, &state))
                .map_err(|error| error.to_string())?;
            reached(bait, &state.confinement).map_or(Ok(()), Err)
        })
        .map_err(|error| error.to_string())??;
        Ok(state.confinement.clone())
    })
    .map_err(|error| error.to_string())?
}

/// Finds a forbidden action that works for the calling process.
///
/// A mechanism should have prevented it.
fn reached(bait: &Bait, confinement: &Confinement) -> Option<String> {
    use Mechanism::{Landlock, Mounts, Network, Seccomp};
    let held = |mechanisms: &[Mechanism]| {
        confinement.active.iter().any(|(mechanism, _)| mechanisms.contains(mechanism))
    };
    let opens = |path: &Path| fs::read(path).is_ok();
    let writes = |path: &Path| fs::OpenOptions::new().append(true).open(path).is_ok();
    let connects = |address| TcpStream::connect_timeout(&address, Duration::from_secs(1)).is_ok();
    // SAFETY: the flag that takes the files of other threads from a thread, `FILES`, is not used.
    #[allow(unsafe_code)]
    let enters = || unsafe { rustix::thread::unshare_unsafe(UnshareFlags::NEWUSER) }.is_ok();
    let works = if held(&[Mounts, Landlock]) && opens(&bait.file) {
        "reads a file that it is not shown"
    } else if held(&[Mounts, Landlock]) && writes(&bait.file) {
        "writes to a file that it is not shown"
    } else if held(&[Network, Seccomp]) && bait.address.is_some_and(connects) {
        "connects to a port of the machine"
    } else if held(&[Seccomp]) && enters() {
        "enters namespaces"
    } else {
        return None;
    };
    Some(format!("a confined program {works}, which it should not"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examination() {
        // A child has one thread only, as required.
        let report = in_child(examine).unwrap();
        assert!(report.kernel.contains('.'));
        let confinement = report.confinement.unwrap();
        let limits =
            confinement.active.iter().any(|(mechanism, _)| *mechanism == Mechanism::Limits);
        assert!(limits, "{confinement:?}");
    }

    #[test]
    fn what_is_reached_is_told() {
        let file = temp_dir().join(format!("agon-doctor-test-{}", std::process::id()));
        fs::write(&file, "bait").unwrap();
        let bait = Bait { file: file.clone(), address: None };
        let claimed = Confinement {
            active: vec![(Mechanism::Landlock, "claimed".into())],
            missing: Vec::new(),
        };
        assert!(reached(&bait, &claimed).unwrap().contains("reads a file"));
        assert_eq!(reached(&bait, &Confinement::default()), None);
        fs::remove_file(file).unwrap();
    }
}
