//! Examines how well this machine can confine programs, for `agon doctor`.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::{env::temp_dir, fs, io, time::Duration};

use rustix::thread::UnshareFlags;
use serde::{Deserialize, Serialize};

use crate::confine::{Restrictions, SUB_USER, enter, offer, set_up};
use crate::fork::in_child;
use crate::{Confinement, Folder, Limits, Mechanism, Missing, Order, Sandbox, Snapshot};

/// How this machine confines bots.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confined {
    /// The version of the kernel.
    pub kernel: String,
    /// All mechanisms; or why no bot can be confined.
    pub rows: Result<Vec<MechanismRow>, String>,
}

/// A mechanism, and whether it holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MechanismRow {
    /// The mechanism.
    pub mechanism: Mechanism,
    /// If it holds, in a few words how; otherwise why not, and what helps.
    pub state: Result<String, String>,
}

/// Confines a child process like a program, and reports how well that works.
///
/// The calling process must have one thread. The child also tries forbidden actions. If one of them
/// works, no bot can be confined, with that action as the reason.
pub fn examine() -> Confined {
    let kernel = rustix::system::uname().release().to_string_lossy().into_owned();
    let confinement = confined().unwrap_or_else(|error| Err(error.to_string()));
    Confined::of(kernel, confinement)
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
    let mut state = enter(order, offer(), None).map_err(|error| error.to_string())?;
    in_child(|| {
        set_up(order, offer(), &mut state, false).map_err(|error| error.to_string())?;
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

impl MechanismRow {
    /// Returns what people call it.
    pub fn name(&self) -> &'static str {
        match self.mechanism {
            Mechanism::Mounts => "files",
            Mechanism::Processes => "processes",
            Mechanism::Network => "network",
            Mechanism::Landlock => "Landlock",
            Mechanism::Seccomp => "system calls",
            Mechanism::Identity => "identity",
            Mechanism::Limits => "limits",
            Mechanism::ProcessLimit => "process limit",
        }
    }
}

impl Confined {
    fn of(kernel: String, confinement: Result<Confinement, String>) -> Confined {
        let rows = confinement.map(|Confinement { active, missing }| {
            let holds = |(mechanism, words)| MechanismRow { mechanism, state: Ok(words) };
            let lacks =
                |lack: Missing| MechanismRow { mechanism: lack.mechanism, state: Err(lack.why) };
            let mut rows: Vec<MechanismRow> =
                active.into_iter().map(holds).chain(missing.into_iter().map(lacks)).collect();
            rows.sort_by_key(|row| row.mechanism);
            rows
        });
        Confined { kernel, rows }
    }

    /// Returns whether `--sandbox default` plays.
    pub fn works(&self) -> bool {
        self.rows.is_ok()
    }

    /// Returns whether nothing is missing, so that `--sandbox strict` plays as well.
    pub fn is_complete(&self) -> bool {
        self.rows.as_ref().is_ok_and(|rows| rows.iter().all(|row| row.state.is_ok()))
    }

    /// Returns the names of what is missing.
    pub fn missing(&self) -> Vec<&'static str> {
        let missing = self.rows.iter().flatten().filter(|row| row.state.is_err());
        missing.map(MechanismRow::name).collect()
    }

    /// Returns an error if nothing keeps the bots of strangers from this user's files.
    pub fn check_files(&self) -> Result<(), String> {
        let rows = self.rows.as_ref();
        let rows = rows.map_err(|why| format!("no bot can be confined here: {why}"))?;
        let lack = |mechanism| {
            let row = rows.iter().find(|row| row.mechanism == mechanism)?;
            row.state.as_ref().err()
        };
        match (lack(Mechanism::Mounts), lack(Mechanism::Landlock)) {
            (Some(mounts), Some(landlock)) => Err(format!(
                "bots would read the keys and files of this user here, because the kernel offers \
                 neither mount namespaces nor Landlock ({mounts}; {landlock})"
            )),
            _ => Ok(()),
        }
    }

    /// Returns a sentence if strangers' bots share a user.
    pub fn shared_user(&self) -> Option<&'static str> {
        let is_shared = !self.has_own_user() && !self.has_sub_users();
        is_shared.then_some(
            "all bots run as the user of this program, so that one can use up what the kernel \
             allows that user; `agon doctor` says how each gets a user of its own",
        )
    }

    /// Returns the user that bots run as, if it is known.
    pub fn identity(&self) -> Option<&str> {
        let row = self.rows.iter().flatten().find(|row| row.mechanism == Mechanism::Identity)?;
        row.state.as_deref().ok()
    }

    /// Returns whether strict sandboxes and servers give bots users that belong to this one.
    pub fn has_sub_users(&self) -> bool {
        self.identity().is_some_and(|words| words.starts_with(SUB_USER))
    }

    /// Returns whether all bots get a user of their own, which must be able to read their files.
    pub fn has_own_user(&self) -> bool {
        self.identity().is_some_and(|words| words.starts_with("user "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examination() {
        // A child has one thread only, as required.
        let confined = in_child(examine).unwrap();
        assert!(confined.kernel.contains('.'));
        let rows = confined.rows.unwrap();
        let holds = |row: &MechanismRow| row.mechanism == Mechanism::Limits && row.state.is_ok();
        assert!(rows.iter().any(holds), "{rows:?}");
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

    fn without(mechanisms: &[Mechanism]) -> Confined {
        let lack = |&mechanism: &Mechanism| Missing { mechanism, why: "it is old".to_owned() };
        let missing = mechanisms.iter().map(lack).collect();
        let confinement = Ok(Confinement { missing, ..Confinement::default() });
        Confined::of("5.4".to_owned(), confinement)
    }

    #[test]
    fn a_machine_that_hides_no_files_takes_no_bots_of_strangers() {
        use Mechanism::{Landlock, Mounts, Network};
        for fine in [&[][..], &[Mounts, Network], &[Landlock, Network]] {
            without(fine).check_files().unwrap();
        }
        let error = without(&[Mounts, Landlock]).check_files().unwrap_err();
        assert!(error.contains("neither mount namespaces nor Landlock"), "{error}");
        let broken = Confined::of("5.4".to_owned(), Err("no room".to_owned()));
        broken.check_files().unwrap_err();
        assert!(without(&[]).shared_user().unwrap().contains("agon doctor"));
    }

    #[test]
    fn what_is_missing_is_named_in_order() {
        let missing = |mechanism, why: &str| Missing { mechanism, why: why.into() };
        let confinement = Confinement {
            active: vec![(Mechanism::Identity, "user 60600".into())],
            missing: vec![
                missing(Mechanism::ProcessLimit, "counted"),
                missing(Mechanism::Mounts, "none; do this"),
            ],
        };
        let confined = Confined::of("6.1".into(), Ok(confinement));
        assert_eq!(confined.missing(), ["files", "process limit"]);
        assert!(confined.works() && !confined.is_complete() && confined.has_own_user());
        let confined = Confined::of("6.1".into(), Err("no".into()));
        assert!(!confined.works() && !confined.is_complete() && confined.missing().is_empty());
    }
}
