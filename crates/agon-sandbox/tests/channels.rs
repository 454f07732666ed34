//! Tests that a program leaves no message for another one in what both may only read: neither for
//! one beside it, nor for the next one.

use std::fs::{self, File, FileTimes};
use std::io::{IoSliceMut, Write};
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, SystemTime};

use agon_sandbox::Order;
use rustix::io::{ReadWriteFlags, preadv2};

use crate::common::{confined, order, start};

/// The names that both scripts use. `file` is a file that both may read.
const COMMON: &str = "import ctypes, fcntl, os, platform, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
path = sys.argv[1]
file = open('/usr/bin/env' if sys.argv[2] == 'system' else path, 'rb')
def say(action):
    try:
        print(action())
    except OSError as error:
        print(error)
def lock(command, kind):
    return fcntl.fcntl(file, command, struct.pack('hhqqi4x', kind, 0, 0, 0, 0))[:2]
";

/// What the sender does; each leaves a message where nothing prevents it.
const SEND: &str = "
for action in [
    lambda: fcntl.flock(file, fcntl.LOCK_EX),
    lambda: lock(fcntl.F_SETLK, fcntl.F_RDLCK),
    lambda: lock(37, fcntl.F_RDLCK),
    lambda: fcntl.fcntl(file, 1024, fcntl.F_RDLCK),
    lambda: fcntl.fcntl(file, 1036, struct.pack('q', 5)),
    lambda: file.read(),
    lambda: os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED),
]:
    say(action)
print('sent', flush=True)
sys.stdin.read()
";

/// What the receiver sees.
const RECEIVE: &str = "
say(lambda: fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB))
say(lambda: lock(fcntl.F_GETLK, fcntl.F_WRLCK))
say(lambda: lock(36, fcntl.F_WRLCK))
say(lambda: fcntl.fcntl(file, 1025))
say(lambda: fcntl.fcntl(file, 1035, bytes(8)))
say(lambda: os.stat(file.fileno()).st_atime)
say(lambda: open('/proc/locks').read())
say(lambda: os.preadv(file.fileno(), [bytearray(100)], 0, os.RWF_NOWAIT))
libc.mmap.restype = ctypes.c_void_p
memory = ctypes.c_void_p(libc.mmap(None, 4096, 1, 1, file.fileno(), 0))
page = ctypes.create_string_buffer(1)
print(libc.mincore(memory, 4096, page), ctypes.get_errno(), page.raw)
stat = ctypes.create_string_buffer(40)
whole = struct.pack('QQ', 0, 0)
print(libc.syscall(451, file.fileno(), whole, stat, 0), ctypes.get_errno(), stat.raw)
for size in [True, False]:
    print(libc.inotify_init1(0), ctypes.get_errno())
";

/// Makes an order for one of the scripts.
fn script(script: &str, path: &str, place: &str) -> Order {
    let text = format!("{COMMON}{script}");
    let mut order = confined(order("/usr/bin/python3", &["-c", &text, path, place]));
    order.sandbox.as_mut().unwrap().read.push(path.into());
    order
}

#[test]
fn what_programs_may_only_read_carries_no_messages() {
    agon_testkit::needs!("python3");
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
    let path = folder.path().join("shared");
    let mut file = File::options().write(true).read(true).create_new(true).open(&path).unwrap();
    file.write_all(&[1; 100]).unwrap();
    // Clean parts can be thrown out of memory.
    file.sync_all().unwrap();
    let long_ago = SystemTime::now() - Duration::from_hours(24 * 365);
    // Some file systems do not tell what is in memory.
    let is_in_memory = || {
        let mut bytes = [0; 100];
        preadv2(&file, &mut [IoSliceMut::new(&mut bytes)], 0, ReadWriteFlags::NOWAIT).ok()
    };
    let before = is_in_memory();
    for place in ["system", "own"] {
        // Whoever reads it now leaves a trace.
        file.set_times(FileTimes::new().set_accessed(long_ago)).unwrap();
        let path = path.to_str().unwrap();
        let receive = || {
            let mut receiver = start(&script(RECEIVE, path, place)).unwrap();
            format!("{}{}", receiver.output(), receiver.errors())
        };
        let silence = receive();
        assert!(silence.lines().count() >= 11, "{silence}");
        let mut sender = start(&script(SEND, path, place)).unwrap();
        while sender.line() != "sent" {}
        assert_eq!(receive(), silence, "beside it");
        sender.stdin = None;
        assert_eq!(sender.ending().status, Some(0));
        assert_eq!(receive(), silence, "after it");
        assert_eq!(is_in_memory(), before);
    }
}
