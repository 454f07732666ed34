//! Tests that runtimes of languages work confined, if this machine has them.

use std::{fs, path::Path};

use Mechanism::{Mounts, Network, Processes};

use super::{Setup, TestDir, run};
use crate::{Mechanism, Order};

/// Runs a program with all mechanisms and without namespaces; it must print `fine`.
fn check(program: &str, args: &[&str], files: &[(&str, &str)]) {
    if !Path::new(program).exists() {
        return;
    }
    for without in [&[][..], &[Mounts, Processes, Network]] {
        let dir = TestDir::new();
        for (name, text) in files {
            fs::write(dir.bot.join(name), text).unwrap();
        }
        let mut order = dir.order(&fs::canonicalize(program).unwrap(), args);
        order.limits.memory = Some(2 << 30);
        order.env.push(("TMPDIR".into(), dir.scratch(without)));
        says_fine(order, without);
    }
}

fn says_fine(order: Order, without: &[Mechanism]) {
    let program = order.program.clone();
    let outcome = run(&Setup { order, without: without.to_vec() });
    let confinement = outcome.confinement.unwrap();
    let said = outcome.output.trim();
    assert_eq!(said, "fine", "{} without {without:?}, {confinement:?}", program.display());
}

impl TestDir {
    fn scratch(&self, without: &[Mechanism]) -> std::ffi::OsString {
        // An ordinary user may have no mounts here even if the test allows them.
        if without.contains(&Mounts) { self.fallback.clone().into() } else { "/tmp".into() }
    }
}

#[test]
fn shell() {
    let script = "x=$(printf '%s\\n' c b a | sort | head -1); test $x = a && ls >/dev/null && echo \
        fine 2>/dev/null";
    check("/bin/sh", &["-c", script], &[]);
    check("/bin/bash", &["-c", "cat <(echo fine)"], &[]);
}

#[test]
fn python() {
    let script = "\
import asyncio, multiprocessing, os, random, socket, sqlite3, ssl
import subprocess, sys, tempfile, threading
def work(pipe, number):
    pipe.send(number * 2)
async def later():
    process = await asyncio.create_subprocess_exec('/bin/echo', 'x', stdout=subprocess.PIPE)
    return (await process.communicate())[0]
if __name__ == '__main__':
    context = multiprocessing.get_context('fork')
    ends = context.Pipe()
    process = context.Process(target=work, args=(ends[1], 21))
    process.start()
    assert ends[0].recv() == 42
    process.join()
    if sys.argv[1] == 'namespaces':
        for context in context, multiprocessing.get_context('spawn'):
            with context.Pool(2) as pool:
                assert pool.map(abs, [-1, -2]) == [1, 2]
    assert asyncio.run(later()) == b'x\\n'
    threads = [threading.Thread(target=random.random) for _ in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    one, other = socket.socketpair()
    one.send(b'x')
    assert other.recv(1) == b'x'
    with tempfile.NamedTemporaryFile() as file:
        file.write(b'x')
    with tempfile.TemporaryDirectory() as folder, sqlite3.connect(folder + '/book') as book:
        book.execute('create table moves (move)')
        book.execute('insert into moves values (42)')
    print('fine')
";
    for (kind, without) in [("namespaces", &[][..]), ("none", &[Mounts, Processes, Network])] {
        if !Path::new("/usr/bin/python3").exists() {
            return;
        }
        let dir = TestDir::new();
        let file = dir.bot.join("bot.py");
        fs::write(&file, script).unwrap();
        let program = fs::canonicalize("/usr/bin/python3").unwrap();
        let mut order = dir.order(&program, &["-B", file.to_str().unwrap(), kind]);
        order.env.push(("TMPDIR".into(), dir.scratch(without)));
        says_fine(order, without);
    }
}

#[test]
fn node() {
    let script = "\
const { Worker } = require('worker_threads');
const { execFileSync, fork } = require('child_process');
if (process.argv[2] === 'child') {
    process.on('message', (number) => { process.send(number * 2); process.disconnect(); });
    return;
}
if (execFileSync('/bin/echo', ['x']).toString() !== 'x\\n') throw 'child';
const worker = new Worker('require(\"worker_threads\").parentPort.postMessage(42)', { eval: true });
const child = fork(__filename, ['child']);
worker.on('message', (number) => child.send(number / 2));
child.on('message', (answer) => process.stdout.write(answer === 42 ? 'fine\\n' : 'wrong\\n'));
";
    check("/usr/bin/node", &["bot.js"], &[("bot.js", script)]);
}

#[test]
fn java() {
    let script = "\
public class Bot {
    public static void main(String[] args) throws Exception {
        int[] sum = {0};
        java.util.stream.IntStream.range(0, 1000).parallel().forEach(i -> { synchronized (sum) { \
        sum[0] += i; } });
        Process process = new ProcessBuilder(\"/bin/echo\", \"x\").start();
        if (process.waitFor() != 0 || sum[0] != 499500) throw new Exception(\"wrong\");
        java.time.ZonedDateTime.now();
        var path = java.nio.file.Files.createTempFile(
            java.nio.file.Path.of(System.getenv(\"TMPDIR\")), \"a\", \"b\");
        var write = java.nio.file.StandardOpenOption.WRITE;
        try (var file = java.nio.channels.FileChannel.open(path, write); var lock = file.lock()) {
            if (!lock.isValid()) throw new Exception(\"no lock\");
        }
        var selector = java.nio.channels.Selector.open();
        var pipe = java.nio.channels.Pipe.open();
        pipe.source().configureBlocking(false);
        pipe.source().register(selector, 1);
        pipe.sink().write(java.nio.ByteBuffer.wrap(new byte[1]));
        if (selector.select() != 1) throw new Exception(\"no selection\");
        System.out.println(\"fine\");
    }
}
";
    let args = ["-XX:+UseSerialGC", "-Xmx256m", "Bot.java"];
    check("/usr/bin/java", &args, &[("Bot.java", script)]);
}

#[test]
fn threads_in_c() {
    let source = "\
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
static void *work(void *number) { ++*(int *)number; return 0; }
int main(void) {
    pthread_t threads[8];
    int numbers[8] = {0}, sum = 0;
    for (int i = 0; i < 8; i++) if (pthread_create(&threads[i], 0, work, &numbers[i])) return 1;
    for (int i = 0; i < 8; i++) { pthread_join(threads[i], 0); sum += numbers[i]; }
    signal(SIGUSR1, SIG_IGN);
    if (raise(SIGUSR1)) return 2;
    puts(sum == 8 ? \"fine\" : \"wrong\");
    return 0;
}
";
    let dir = TestDir::new();
    let file = dir.folder.path().join("bot.c");
    let program = dir.bot.join("bot");
    fs::write(&file, source).unwrap();
    let compiler = std::process::Command::new("cc")
        .arg("-pthread")
        .arg(&file)
        .arg("-o")
        .arg(&program)
        .status();
    if !compiler.is_ok_and(|status| status.success()) {
        return;
    }
    for without in [&[][..], &[Mounts, Processes, Network]] {
        says_fine(dir.order(&program, &[]), without);
    }
}

#[test]
fn others() {
    agon_testkit::slow!();
    check("/usr/bin/perl", &["-e", "print qx(echo fine)"], &[]);
    check("/usr/bin/ruby", &["-e", "Thread.new { puts `echo fine` }.join"], &[]);
    check("/usr/bin/guile", &["-c", "(display \"fine\")"], &[]);
    let jars = ["clojure", "spec.alpha", "core.specs.alpha"]
        .map(|name| format!("/usr/share/java/{name}.jar"));
    if jars.iter().all(|jar| Path::new(jar).exists()) {
        let script = "(println (if (= 42 @(future (* 6 7))) 'fine 'wrong)) (shutdown-agents)";
        let jars = jars.join(":");
        check(
            "/usr/bin/java",
            &["-XX:+UseSerialGC", "-Xmx256m", "-cp", &jars, "clojure.main", "-e", script],
            &[],
        );
    }
}
