//! Runtimes of languages under a limit of memory: they start and can use most of it. A bot that
//! uses more has a fault that says memory.

use std::process::Command;

use crate::support::TestDir;

/// The limit in MiB. A JVM that looks at the machine's memory would begin with more than this on a
/// machine with 32 GiB, and SBCL reserves 8 GiB.
const LIMIT: u32 = 512;

/// Live data in MiB that leaves room for every runtime below the limit: with the runtime itself
/// at least 70 % of it are in use.
const FITS: u32 = 340;

/// Live data in MiB that is too much then.
const MORE: u32 = 360;

/// For each language the command that compiles a bot, the bot, and its text. It takes numbers of
/// MiB, one after the other writes to so many more of them, and prints the number.
const LANGUAGES: [[&str; 3]; 9] = [
    [
        "cc -O0 -o hog hog.c",
        "./hog",
        r#"#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int n, char **a) { while (*++a) { for (int i = atoi(*a); i > 0; i--)
memset(malloc(1 << 20), 1, 1 << 20); printf("%s ", *a); fflush(stdout); } }
"#,
    ],
    [
        "",
        "/usr/bin/python3 hog.py",
        "import sys, numpy
all = []
for n in sys.argv[1:]:
    all += [numpy.ones(1 << 17) for _ in range(int(n))]
    print(n, end=' ', flush=True)
",
    ],
    [
        "",
        "java -cp /usr/share/java/clojure.jar clojure.main hog.clj",
        r#"(def all (atom []))
(doseq [n *command-line-args*]
  (swap! all into (repeatedly (* 4 (Long/parseLong n)) #(long-array 32768 1)))
  (print n "") (flush))
"#,
    ],
    [
        "",
        "node hog.js",
        "const all = [];
for (const n of process.argv.slice(2)) {
for (let i = 4 * n; i > 0; i--) all.push(new Array(32768).fill(i));
process.stdout.write(n + ' '); }
",
    ],
    [
        "go build -o hog hog.go",
        "./hog",
        r#"package main
import ("fmt"; "os"; "strconv")
var all [][]byte
func main() {
	for _, a := range os.Args[1:] {
		for n, _ := strconv.Atoi(a); n > 0; n-- {
			b := make([]byte, 1<<20)
			for i := range b { b[i] = 1 }
			all = append(all, b)
		}
		fmt.Print(a, " ")
	}
}
"#,
    ],
    [
        "mcs hog.cs",
        "mono hog.exe",
        r#"class Hog { static void Main(string[] a) {
var all = new System.Collections.Generic.List<long[]>();
foreach (var n in a) { for (int i = 4 * int.Parse(n); i > 0; i--) { var b = new long[32768];
for (int j = 0; j < b.Length; j++) b[j] = i; all.Add(b); }
System.Console.Write(n + " "); } System.GC.KeepAlive(all); } }
"#,
    ],
    [
        "",
        "pypy3 hog.py",
        "import sys
all = []
for n in sys.argv[1:]:
    all += [b'x' * (1 << 20) for _ in range(int(n))]
    print(n, end=' ')
    sys.stdout.flush()
",
    ],
    [
        "",
        "sbcl --script hog.lisp",
        r#"(defvar *all* nil)
(dolist (n (rest sb-ext:*posix-argv*))
(push (loop repeat (parse-integer n) collect
(make-array (ash 1 20) :element-type '(unsigned-byte 8) :initial-element 1)) *all*)
(format t "~a " n) (finish-output))
"#,
    ],
    [
        "",
        "escript hog.erl",
        r#"#!/usr/bin/env escript
main(All) -> io:format("~p~n", [length(hog(All))]).
hog([]) -> [];
hog([N | More]) ->
Some = [binary:copy(<<I>>, 1 bsl 20) || I <- lists:seq(1, list_to_integer(N))],
io:format("~s ", [N]), Some ++ hog(More).
"#,
    ],
];

#[test]
fn runtimes_use_their_memory_and_no_more() {
    agon_testkit::slow!();
    for [compile, bot, text] in LANGUAGES {
        let dir = TestDir::new();
        let mut words = compile.split(' ').chain(bot.split(' '));
        dir.write(words.find(|word| word.starts_with("hog.")).unwrap(), text);
        if let Some((compiler, args)) = compile.split_once(' ') {
            let mut compiler = Command::new(compiler);
            compiler.args(args.split(' ')).current_dir(dir.path("")).env("GOCACHE", dir.path(""));
            assert!(compiler.status().unwrap().success(), "{compile}");
        }
        let flags = format!("--set side=3 --turns 2 --json --time 60000 --bot-memory {LIMIT}");
        let line = format!("play cluster '{bot} {FITS} {MORE}' builtin:greedy {flags}");
        let fault = dir.run(&line).data("result")["faults"][0].clone();
        // It has written to what fits, and not to all the rest.
        assert_eq!(fault["kind"], "memory", "{fault:#}");
        assert_eq!(fault["evidence"]["last_output"], format!("{FITS} "), "{fault:#}");
        let said = fault["evidence"]["stderr_tail"].as_str().unwrap_or_default();
        assert!(!said.contains("JAVA_TOOL_OPTIONS"), "{bot}: {said}");
    }
}
