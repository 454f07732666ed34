"""Tries to do harm, as its first argument says, and tells on stderr what worked: `harm: [...]`, then `done`.

What there is to be harmed is in `bait.json` beside it: arguments that name files would open them to it."""

import ctypes
import fcntl
import json
import mmap
import os
import platform
import resource
import select
import signal
import socket
import subprocess
import sys
import threading
import time

mode = sys.argv[1]
own = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(own, "bait.json")) as file:
    bait = json.load(file)
scratch = os.environ.get("TMPDIR", "/tmp")
libc = ctypes.CDLL(None, use_errno=True)
harm = []
MIB = 1 << 20


def attempt(name, action):
    """Notes what works; an action that returns `False` has not."""
    try:
        if action() is not False:
            harm.extend({name} - set(harm))
    except (OSError, AttributeError, ValueError, MemoryError, subprocess.SubprocessError):
        pass


def call(name, *arguments):
    """Notes a function of the C library that does not return -1."""
    attempt(name, lambda: getattr(libc, name)(*arguments) != -1)


def content(path):
    with open(path, "rb") as file:
        return file.read(1 << 16)


def read():
    secret = bait["secret"].encode()
    attempt("shadow", lambda: content("/etc/shadow"))
    attempt("users", lambda: b"daemon:" in content("/etc/passwd"))
    for path in bait["closed"]:
        attempt(path, lambda: content(path))
        attempt("list " + os.path.dirname(path), lambda: len(os.listdir(os.path.dirname(path))) > 0)
    attempt("home", lambda: len(os.listdir(os.path.expanduser("~"))) > 0)
    attempt("environment", lambda: any(bait["secret"] in value for value in os.environ.values()))
    for pid in [name for name in os.listdir("/proc") if name.isdigit()] + [str(bait["victim"])]:
        if pid != str(os.getpid()):
            attempt("environment of others", lambda: secret in content(f"/proc/{pid}/environ"))
            attempt("memory of others", lambda: open(f"/proc/{pid}/mem", "rb").close())
            attempt("files of others", lambda: [os.readlink(f"/proc/{pid}/fd/{number}") for number in (0, 1)])
            attempt("root of others", lambda: content(f"/proc/{pid}/root{bait['closed'][0]}"))
            attempt("folder of others", lambda: len(os.listdir(f"/proc/{pid}/cwd")) > 0)


def write():
    for folder in [own, os.path.expanduser("~"), "/", "/usr", "/etc", "/var/tmp", "/root"]:
        path = os.path.join(folder, bait["mark"])
        attempt("write to " + folder, lambda: open(path, "w").close())
    attempt("own program", lambda: open(__file__, "a").close())
    attempt("rename program", lambda: os.rename(__file__, __file__ + ".old"))
    attempt("remove program", lambda: os.remove(__file__))
    attempt("times of program", lambda: os.utime(__file__))
    attempt("rights of program", lambda: os.chmod(__file__, 0o777))
    attempt("truncate", lambda: os.truncate(bait["closed"][0], 0))
    for path in bait["closed"]:
        attempt("write to " + path, lambda: open(path, "a").close())
        attempt("rights of " + path, lambda: os.chmod(path, 0o777))
        attempt("link to " + path, lambda: os.link(path, os.path.join(scratch, "link")))


def fill(folder):
    """Writes files until there is no more room; returns how many bytes there are."""
    written = number = 0
    try:
        while written < 1 << 31:
            with open(os.path.join(folder, f"{bait['mark']}-{number}"), "wb", buffering=0) as file:
                number += 1
                for _ in range(16):
                    written += file.write(bytes(MIB))
    except OSError:
        pass
    return written


def disk():
    attempt("fill scratch", lambda: fill(scratch) > 65 * MIB)
    attempt("fill own folder", lambda: fill(own) > 0)
    attempt("fill home", lambda: fill(os.path.expanduser("~")) > 0)

    def many():
        for number in range(100_000):
            os.mkdir(os.path.join(scratch, f"d{number}"))

    attempt("many folders", many)


def network():
    def stream(family, address):
        with socket.socket(family, socket.SOCK_STREAM) as peer:
            peer.settimeout(2)
            peer.connect(address)
            peer.send(b"hello")

    def datagram(family, address):
        with socket.socket(family, socket.SOCK_DGRAM) as peer:
            peer.sendto(b"hello", address)

    attempt("tcp", lambda: stream(socket.AF_INET, ("127.0.0.1", bait["tcp"])))
    attempt("udp", lambda: datagram(socket.AF_INET, ("127.0.0.1", bait["udp"])))
    attempt("outside", lambda: stream(socket.AF_INET, ("192.0.2.1", 80)))
    if bait["tcp6"]:
        attempt("tcp6", lambda: stream(socket.AF_INET6, ("::1", bait["tcp6"])))
    attempt("unix", lambda: stream(socket.AF_UNIX, bait["unix"]))
    attempt("abstract", lambda: stream(socket.AF_UNIX, "\0" + bait["mark"]))
    attempt("name", lambda: socket.getaddrinfo("example.org", 80))
    attempt("packets", lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW).close())
    attempt("raw", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1).close())
    attempt("netlink", lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW).close() if not bait["namespaces"] else False)
    attempt("virtual machine", lambda: socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM).close())


def signals():
    others = {int(name) for name in os.listdir("/proc") if name.isdigit()} - {os.getpid()}
    for pid in others | {bait["victim"], os.getppid(), 1}:
        for number in [signal.SIGKILL, signal.SIGSTOP]:
            attempt(f"signal {number} to {pid}", lambda: os.kill(pid, number) if pid > 1 else False)
    for target in [-1, -bait["victim"], 1]:
        # Whoever is left alive sees whether it worked.
        attempt("", lambda: os.kill(target, signal.SIGKILL) or False)


def kernel():
    null = None
    victim = bait["victim"]
    for pid in [victim, os.getppid()]:
        call("ptrace", 16, pid, null, null)
        call("process_vm_readv", pid, null, 0, null, 0, 0)
    call("unshare", 0x10000000)
    call("unshare", 0x00020000)
    call("mount", b"none", scratch.encode(), b"tmpfs", 0, null)
    call("umount2", b"/tmp", 2)
    call("chroot", scratch.encode())
    call("pivot_root", b"/", b"/")
    call("personality", 0x0040000)
    call("shmget", bait["key"], 4096, 0o1666)
    call("semget", bait["key"], 1, 0o1666)
    call("msgget", bait["key"], 0o1666)
    call("mq_open", ("/" + bait["mark"]).encode(), 0o102, 0o600, null)
    call("setuid", 0)
    call("swapon", b"/tmp/x", 0)
    call("sethostname", b"fox", 3)
    call("klogctl", 3, ctypes.create_string_buffer(100), 100)
    call("ioperm", 0, 8, 1)
    for name in ["user", "mnt", "pid", "net"]:
        def enter():
            with open(f"/proc/{os.getppid()}/ns/{name}") as file:
                return libc.setns(file.fileno(), 0) != -1
        attempt("enter " + name, enter)
    attempt("cores", lambda: os.sched_setaffinity(0, range(1024)))
    attempt("priority", lambda: os.setpriority(os.PRIO_PROCESS, 0, -5))
    attempt("real time", lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(5)))
    for name in ["NPROC", "DATA", "NOFILE", "FSIZE", "CORE", "MEMLOCK"]:
        number = getattr(resource, "RLIMIT_" + name)
        current, maximum = resource.getrlimit(number)
        attempt("limit " + name, lambda: resource.setrlimit(number, (maximum + 1, maximum + 1)) if maximum >= 0 else True)
    # Where memory runs out, the kernel ends bots first.
    attempt("last to be ended", lambda: content("/proc/self/oom_score_adj").strip() != b"1000")
    attempt("score", lambda: open("/proc/self/oom_score_adj", "w").write("-500"))
    # TIOCSTI: types for whoever sits at the terminal.
    call("ioctl", 0, 0x5412, b"x")
    attempt("terminal", lambda: open("/dev/tty").close())
    attempt("memory of the machine", lambda: open("/dev/mem").close())
    attempt("settings of the kernel", lambda: open("/proc/sys/kernel/core_pattern", "w").close())
    attempt("kill switch", lambda: open("/proc/sysrq-trigger", "w").close())


def setuid():
    for words in [["su", "-c", "id -u"], ["mount", "-t", "tmpfs", "none", scratch], ["passwd", "-d", "root"], ["newgrp", "root"]]:
        attempt(words[0], lambda: subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, timeout=20).returncode == 0)


def shared_memory():
    # It looks like any other; what counts is that it is gone afterwards.
    attempt("", lambda: libc.shm_open(("/" + bait["mark"]).encode(), 0o102, 0o600) and False)
    try:
        with open("/dev/shm/" + bait["mark"], "wb") as file:
            file.write(bytes(MIB))
    except OSError:
        pass


def descriptors():
    folder = os.open("/proc/self/fd", os.O_RDONLY)
    found = {int(name) for name in os.listdir(folder)} - {0, 1, 2, folder}
    for number in sorted(found):
        # The one that lists them is closed by now.
        attempt(f"descriptor {number}", lambda: os.fstat(number))
    hoard = []

    def open_many():
        while len(hoard) < 5000:
            hoard.append(os.open("/dev/null", os.O_RDONLY))

    attempt("many files", open_many)
    for number in hoard:
        os.close(number)


def streams():
    """The usual names of the streams are there, and lead to nobody else's."""
    for name, flags in [("stdin", os.O_RDONLY), ("stdout", os.O_WRONLY), ("stderr", os.O_WRONLY), ("fd/2", os.O_WRONLY)]:
        try:
            os.close(os.open(f"/dev/{name}", flags | os.O_NONBLOCK))
        except OSError as error:
            harm.append(f"/dev/{name} cannot be opened: {error}")
    with open("/dev/stderr", "w") as file:
        print("stderr by its name", file=file)
    others = {name for name in os.listdir("/proc") if name.isdigit()} | {str(bait["victim"])}
    for pid in others - {str(os.getpid())}:
        for number in range(20):
            path = f"/proc/{pid}/fd/{number}"
            attempt("streams of others", lambda: os.close(os.open(path, os.O_RDWR | os.O_NONBLOCK)))
    # What belongs to its own streams is its own as well, and nothing else is.
    for number in range(3):
        attempt("given away", lambda: os.fchown(number, bait["key"], -1))


def watches():
    """Watches files until there is nothing left to watch with."""
    ends = [end for _ in range(400) for end in os.pipe()]
    hoard = []
    while len(hoard) < 100:
        hoard.append(select.epoll())
        for end in ends:
            hoard[-1].register(end, select.EPOLLIN)
    time.sleep(1000)


def hidden_watches():
    """The same in a process whose first thread has ended."""
    if os.fork() == 0:
        threading.Thread(target=watches).start()
        libc.syscall({"x86_64": 60}.get(platform.machine(), 93), 0)
    time.sleep(1000)


def open_files():
    many(lambda: [os.open("/dev/null", os.O_RDONLY) for _ in range(900)], 20)


def until_refused(action):
    """Returns how often something works, up to what would be far too often."""
    for count in range(300_000):
        try:
            if action() is False:
                return count
        except OSError:
            return count
    return 300_000


def hoard():
    """Takes all that the programs of a user share, and holds it for a while."""
    attempt("notices of files", lambda: libc.inotify_init1(0) != -1)
    attempt("notices of folders", lambda: fcntl.fcntl(os.open("/usr", os.O_RDONLY), 1026, 1))
    attempt("lease", lambda: fcntl.fcntl(os.open(__file__, os.O_RDONLY), 1024, fcntl.F_RDLCK))
    ends = [os.pipe() for _ in range(200)]
    for end in ends:
        attempt("large pipes", lambda: fcntl.fcntl(end[0], 1031, MIB))
    add_key = {"x86_64": 248}.get(platform.machine(), 217)
    attempt("key", lambda: libc.syscall(add_key, b"user", b"name", b"text", 4, -4) != -1)
    pair = socket.socketpair()
    pair[0].setblocking(False)
    attempt("descriptors on their way", lambda: socket.send_fds(pair[0], [b"x"], [0] * 200))
    locked = mmap.mmap(-1, 64 * MIB, flags=mmap.MAP_PRIVATE)
    start = ctypes.addressof(ctypes.c_char.from_buffer(locked))
    at = iter(range(start, start + len(locked), 4096))
    pages = until_refused(lambda: libc.mlock(ctypes.c_void_p(next(at)), 4096) == 0)
    harm.extend(["locked memory"] if pages > 16 else [])
    timer = ctypes.c_void_p()
    timers = until_refused(lambda: libc.timer_create(1, None, ctypes.byref(timer)) == 0)
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGRTMIN])
    queue = lambda: libc.sigqueue(os.getpid(), signal.SIGRTMIN, ctypes.c_void_p(0)) == 0
    harm.extend(["signals"] if timers + until_refused(queue) > 512 else [])
    for path in ["/usr/bin/env", sys.executable]:
        fcntl.flock(os.open(path, os.O_RDONLY), fcntl.LOCK_EX | fcntl.LOCK_NB)
    time.sleep(3.5)


def neighbour():
    """Uses a little of all that while somebody else takes as much as possible."""

    def needs(name, action):
        try:
            if action() is not False:
                return
        except OSError:
            pass
        harm.extend({"no " + name} - set(harm))

    def watch():
        ends = os.pipe()
        with select.epoll() as watch:
            watch.register(ends[0], select.EPOLLIN)
        [os.close(end) for end in ends]

    def pipe():
        ends = os.pipe()
        os.set_blocking(ends[1], False)
        written = os.write(ends[1], bytes(4096))
        [os.close(end) for end in ends]
        return written == 4096

    def files():
        hoard = [os.open("/dev/null", os.O_RDONLY) for _ in range(500)]
        [os.close(number) for number in hoard]

    def lock_memory():
        memory = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE)
        return libc.mlock(ctypes.c_void_p(ctypes.addressof(ctypes.c_char.from_buffer(memory))), 4096) == 0

    def timer():
        timer = ctypes.c_void_p()
        made = libc.timer_create(1, None, ctypes.byref(timer)) == 0
        return made and libc.timer_delete(timer) == 0

    def queue():
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGRTMIN])
        sent = libc.sigqueue(os.getpid(), signal.SIGRTMIN, ctypes.c_void_p(0)) == 0
        return sent and signal.sigtimedwait([signal.SIGRTMIN], 1) is not None

    def lock():
        with open("/usr/bin/env", "rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    end = time.monotonic() + 3
    time.sleep(0.7)
    while time.monotonic() < end:
        needs("watches", watch)
        needs("pipes", pipe)
        needs("files", files)
        needs("locked memory", lock_memory)
        needs("processes", lambda: subprocess.run(["/bin/true"], check=True) and True)
        needs("locks", lock)
        if bait["namespaces"]:
            # Otherwise the kernel counts these for all programs of the user.
            needs("timers", timer)
            needs("signals", queue)
        time.sleep(0.05)


def new_session():
    """Gets out of the group, where that is possible."""
    try:
        os.setsid()
    except OSError:
        pass


def orphan():
    """An orphan in a session of its own if it may have one, which hears no signal and has another name, with nothing of this one's."""
    if os.fork() == 0:
        new_session()
        if os.fork() == 0:
            for number in range(1, 65):
                try:
                    signal.signal(number, signal.SIG_IGN)
                except (OSError, ValueError):
                    pass
            null = os.open("/dev/null", os.O_RDWR)
            for number in [0, 1, 2]:
                os.dup2(null, number)
            os.chdir("/")
            os.execve("/bin/sleep", ["kworker/0:1", f"{bait['key']}.125"], {})
        os._exit(0)
    os.wait()


def touch(memory):
    for at in range(0, len(memory), 4096):
        memory[at] = 1


def grow():
    hoard = []
    while True:
        hoard.append(bytearray(4 * MIB))
        touch(hoard[-1])


def many(action, count):
    for _ in range(count):
        if os.fork() == 0:
            action()
            time.sleep(1000)
    time.sleep(1000)


def shared():
    touch(mmap.mmap(-1, 1 << 33))


def zeros():
    with open("/dev/zero", "r+b") as file:
        touch(mmap.mmap(file.fileno(), 1 << 33))


def queues():
    """Fills sockets, whose memory belongs to no process."""
    hoard = []
    while True:
        pair = socket.socketpair()
        pair[0].setblocking(False)
        pair[0].setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 30)
        hoard.append(pair)
        try:
            while True:
                pair[0].send(bytes(64 << 10))
        except OSError:
            pass


def full_queues():
    try:
        queues()
    except OSError:
        pass


def bomb():
    while True:
        try:
            os.fork()
        except OSError:
            pass


def busy():
    """As many busy processes as it may have, each in a session of its own where that is possible."""
    for _ in range(60):
        if os.fork() == 0:
            new_session()
            while True:
                pass
    time.sleep(1000)


def chain(ms):
    """Computes in one child after another, none of which it waits for, so that their time is lost."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        read, write = os.pipe()
        if os.fork() == 0:
            end = time.monotonic() + ms / 1000
            while time.monotonic() < end:
                pass
            os._exit(0)
        os.close(write)
        os.read(read, 1)
        os.close(read)


def burst():
    """Keeps the machine busy for half a second with many processes, and then sleeps until it is late."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    end = time.monotonic() + 0.5
    for _ in range(100):
        if os.fork() == 0:
            new_session()
            while time.monotonic() < end:
                pass
            os._exit(0)
    time.sleep(1000)


def hog():
    """Keeps the cores busy, and does nothing else."""
    for _ in range(12):
        if os.fork() == 0:
            new_session()
            while True:
                pass
    time.sleep(1000)


def sessions():
    """Honest programs start others in sessions of their own; but nobody gets another share of a core."""
    session = os.getsid(0)
    subprocess.run(["/bin/true"], start_new_session=True, check=True)
    os.setsid()
    harm.extend(["session"] if os.getsid(0) != session else [])
    attempt("autogroup", lambda: open("/proc/self/autogroup", "w").write("-10"))


def threads():
    def run():
        time.sleep(1000)
    try:
        for _ in range(10_000):
            threading.Thread(target=run, daemon=True).start()
    except RuntimeError:
        pass
    harm.extend(["threads"] if threading.active_count() > 1200 else [])


def flood(number):
    while True:
        os.write(number, b"x" * 65536)


def vfork():
    """Waits where signals do not reach it: its child has its memory."""
    libc.vfork.restype = ctypes.c_int
    subprocess.Popen(["/bin/sleep", f"{bait['key']}.25"])
    subprocess.run(["/bin/sh", "-c", f"kill -STOP $$; sleep {bait['key']}.5"])


def pause():
    os.kill(os.getpid(), signal.SIGSTOP)


modes = {
    "read": read,
    "write": write,
    "disk": disk,
    "network": network,
    "signals": signals,
    "kernel": kernel,
    "setuid": setuid,
    "shared_memory": shared_memory,
    "descriptors": descriptors,
    "streams": streams,
    "orphan": orphan,
    "orphan_and_hang": lambda: (orphan(), orphan(), time.sleep(1000)),
    "grow": grow,
    "many": lambda: many(lambda: touch(bytearray(16 * MIB)), 50),
    "shared": shared,
    "zeros": zeros,
    "queues": full_queues,
    "bomb": bomb,
    "busy": busy,
    "chain": lambda: chain(40),
    "short_chain": lambda: chain(4),
    "burst": burst,
    "hog": hog,
    "sessions": sessions,
    "threads": threads,
    "watches": watches,
    "hidden_watches": hidden_watches,
    "open_files": open_files,
    "hoard": hoard,
    "neighbour": neighbour,
    "stdout": lambda: flood(1),
    "stderr": lambda: flood(2),
    "vfork": vfork,
    "pause": pause,
}
modes[mode]()
print("harm:", json.dumps(harm), file=sys.stderr)
print("done", file=sys.stderr, flush=True)
