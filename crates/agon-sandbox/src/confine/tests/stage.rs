//! Starts a confined program for the tests beside this file.

use std::ffi::{CString, OsString};
use std::path::{Path, PathBuf};
use std::{
    fs, io::Write, os::unix::ffi::OsStrExt, os::unix::fs::PermissionsExt, process::Command,
    time::Duration,
};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::super::{Offer, Restrictions, enter, give_pipes, offer, set_up};
use crate::{Confinement, Limits, Mechanism, Order, Sandbox, Snapshot, fork::in_child};

/// The variable with the stage's task.
const VARIABLE: &str = "AGON_SANDBOX_TEST_STAGE";

/// The task of a stage.
#[derive(Serialize, Deserialize)]
pub(crate) struct Setup {
    pub(crate) order: Order,
    /// Mechanisms that are disabled.
    pub(crate) without: Vec<Mechanism>,
}

/// The result of a stage.
pub(crate) struct Outcome {
    /// The output of the program.
    pub(crate) output: String,
    /// Its confinement, or the reason why there was none.
    pub(crate) confinement: Result<Confinement, String>,
}

/// A place for one test.
///
/// It has a folder with the program, one beside it, one to write to, and one as a fallback.
pub(crate) struct TestDir {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) bot: PathBuf,
    pub(crate) beside: PathBuf,
    pub(crate) write: PathBuf,
    pub(crate) fallback: PathBuf,
}

impl TestDir {
    pub(crate) fn new() -> TestDir {
        TestDir::below(&std::env::temp_dir())
    }

    pub(crate) fn below(folder: &Path) -> TestDir {
        let folder = tempfile::tempdir_in(folder).unwrap();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
        let [bot, beside, write, fallback] = ["bot", "beside", "write", "fallback"].map(|name| {
            let path = folder.path().join(name);
            fs::create_dir(&path).unwrap();
            path
        });
        fs::set_permissions(&write, fs::Permissions::from_mode(0o777)).unwrap();
        fs::write(beside.join("secret"), "secret").unwrap();
        TestDir { folder, bot, beside, write, fallback }
    }

    /// Makes an order for a program in this folder.
    pub(crate) fn order(&self, program: &Path, args: &[&str]) -> Order {
        let scratch: OsString = self.fallback.clone().into();
        Order {
            program: program.into(),
            args: args.iter().map(OsString::from).collect(),
            env: vec![
                ("PATH".into(), "/usr/bin:/bin".into()),
                ("HOME".into(), "/home/somebody".into()),
                ("AGON_SANDBOX_TEST_FALLBACK".into(), scratch.clone()),
            ],
            folder: self.bot.clone().into(),
            cores: vec![0, 1000],
            limits: Limits {
                cpu: Some(60),
                memory: Some(512 << 20),
                processes: Some(64),
                files: Some(256),
                file: Some(64 << 20),
            },
            sandbox: Some(Sandbox {
                own_user: false,
                strict: false,
                read: vec![self.bot.clone().into()],
                write: vec![self.write.clone().into()],
                lasting: false,
                loopback: false,
                bounded: Vec::new(),
                scratch: 4 << 20,
                fallback: scratch,
            }),
            snapshot: Snapshot::default(),
            grace: Duration::ZERO,
        }
    }
}

/// Runs a program confined.
pub(crate) fn run(setup: &Setup) -> Outcome {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "confine::tests::stage::stage", "--nocapture", "--quiet"])
        .env(VARIABLE, encode(setup))
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let (said, confinement) =
        said.rsplit_once("\n@@").unwrap_or_else(|| panic!("the stage broke down: {said}"));
    Outcome { output: said.to_owned(), confinement: decode(confinement) }
}

fn encode<T: Serialize>(value: &T) -> String {
    postcard::to_stdvec(value).unwrap().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn decode<T: DeserializeOwned>(hex: &str) -> T {
    let pairs = hex.trim().as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).unwrap());
    let bytes: Vec<_> = pairs.map(|pair| u8::from_str_radix(pair, 16).unwrap()).collect();
    postcard::from_bytes(&bytes).unwrap()
}

/// The stage, if this process is one.
#[test]
fn stage() {
    let Ok(hex) = std::env::var(VARIABLE) else { return };
    let setup: Setup = decode(&hex);
    // A fork has one thread: the other thread of the test executable stays behind.
    let result = in_child(|| {
        let offer = setup.without.iter().fold(offer().clone(), |offer, kind| offer.without(*kind));
        keep(&setup.order, &offer)
    });
    let result: Result<Confinement, String> = result.unwrap_or_else(|error| Err(error.to_string()));
    std::io::stderr().write_all(format!("\n@@{}", encode(&result)).as_bytes()).unwrap();
}

fn keep(order: &Order, offer: &Offer) -> Result<Confinement, String> {
    let mut state = enter(order, offer, None).map_err(|error| error.to_string())?;
    in_child(|| {
        set_up(order, offer, &mut state, false).map_err(|error| error.to_string())?;
        let ended = in_child(|| {
            begin(order)?;
            give_pipes(&[rustix::stdio::stderr().try_clone_to_owned().unwrap()], &state);
            let restrictions = Restrictions::new(order, &state, 3);
            restrictions
                .and_then(|mut restrictions| restrictions.apply(order, &state))
                .map_err(|error| error.to_string())?;
            let at_parents_end = rustix::process::parent_process_death_signal();
            if at_parents_end != Ok(Some(rustix::process::Signal::KILL)) {
                return Err(format!(
                    "locking makes {at_parents_end:?} of the signal at the parent's end"
                ));
            }
            Err::<(), _>(execute(order))
        });
        // The pipe of a child that has become another program ends without a message.
        match ended {
            Ok(Err(error)) => Err(error),
            Ok(Ok(())) | Err(_) => Ok(state.confinement.clone()),
        }
    })
    .unwrap_or_else(|error| Err(error.to_string()))
}

/// Does the tasks of a program's parent before the program is locked in.
fn begin(order: &Order) -> Result<(), String> {
    rustix::process::setsid().map_err(|error| error.to_string())?;
    rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL)).unwrap();
    std::env::set_current_dir(&order.folder)
        .map_err(|error| format!("{}: {error}", order.folder.display()))
}

/// Becomes the program, with both outputs apart from those of the test executable.
fn execute(order: &Order) -> String {
    let text = |text: &OsString| CString::new(text.as_bytes()).unwrap();
    let program = text(&order.program);
    let args: Vec<_> =
        std::iter::once(program.clone()).chain(order.args.iter().map(text)).collect();
    let pair = |(name, value): &(OsString, OsString)| {
        CString::new([name.as_bytes(), b"=", value.as_bytes()].concat()).unwrap()
    };
    let env: Vec<_> = order.env.iter().map(pair).collect();
    let pointers = |texts: &[CString]| {
        texts.iter().map(|text| text.as_ptr()).chain([std::ptr::null()]).collect::<Vec<_>>()
    };
    rustix::stdio::dup2_stdout(rustix::stdio::stderr()).unwrap();
    // SAFETY: both lists end with null and outlive the call.
    #[allow(unsafe_code)]
    unsafe {
        libc::execve(program.as_ptr(), pointers(&args).as_ptr(), pointers(&env).as_ptr())
    };
    format!("cannot execute {}: {}", order.program.display(), std::io::Error::last_os_error())
}
