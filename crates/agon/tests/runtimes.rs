//! Runtimes of languages under a limit of memory: they start and can use most of it. A bot that
//! uses more has a fault that says memory.

use std::process::Command;

use serde_json::Value;

use crate::support::TestDir;

/// The limit in MiB. A JVM that looks at the machine's memory would begin with more than this on a
/// machine with 32 GiB, and SBCL reserves 8 GiB.
const LIMIT: u32 = 512;

/// Live data in MiB that leaves room for every runtime below the limit: with the runtime itself
/// at least 70 % of it are in use.
const FITS: u32 = 340;

const TOO_MUCH: u32 = 700;

/// A language: the file of a bot with its text, the command that compiles it, and the bot. It takes
/// a number of MiB, writes to all of them, and prints `fine`.
struct Language {
    file: &'static str,
    text: &'static str,
    compile: &'static str,
    bot: &'static str,
}

const LANGUAGES: [Language; 9] = [
    Language {
        file: "hog.c",
        text: "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\
               int main(int n, char **a) { for (int i = atoi(a[1]); i > 0; i--)\n\
               memset(malloc(1 << 20), 1, 1 << 20); puts(\"fine\"); }\n",
        compile: "cc -O0 -o hog hog.c",
        bot: "./hog",
    },
    Language {
        file: "hog.py",
        text: "import sys, numpy\n\
               all = [numpy.ones(1 << 17) for _ in range(int(sys.argv[1]))]\nprint('fine')\n",
        compile: "",
        bot: "/usr/bin/python3 hog.py",
    },
    Language {
        file: "hog.clj",
        text: "(def all (mapv (fn [_] (long-array 32768 1))\n\
               (range (* 4 (Long/parseLong (first *command-line-args*))))))\n(println \"fine\")\n",
        compile: "",
        bot: "java -cp /usr/share/java/clojure.jar clojure.main hog.clj",
    },
    Language {
        file: "hog.js",
        text: "const all = [];\nfor (let i = 4 * process.argv[2]; i > 0; i--)\n\
               all.push(new Array(32768).fill(i));\nconsole.log('fine');\n",
        compile: "",
        bot: "node hog.js",
    },
    Language {
        file: "hog.go",
        text: "package main\nimport (\"fmt\"; \"os\"; \"strconv\")\nvar all [][]byte\n\
               func main() {\n\tn, _ := strconv.Atoi(os.Args[1])\n\tfor ; n > 0; n-- {\n\
               \t\tb := make([]byte, 1<<20)\n\t\tfor i := range b { b[i] = 1 }\n\
               \t\tall = append(all, b)\n\t}\n\tfmt.Println(\"fine\")\n}\n",
        compile: "go build -o hog hog.go",
        bot: "./hog",
    },
    Language {
        file: "hog.cs",
        text: "class Hog { static void Main(string[] a) {\n\
               var all = new System.Collections.Generic.List<long[]>();\n\
               for (int i = 4 * int.Parse(a[0]); i > 0; i--) { var b = new long[32768];\n\
               for (int j = 0; j < b.Length; j++) b[j] = i; all.Add(b); }\n\
               System.Console.WriteLine(\"fine\"); System.GC.KeepAlive(all); } }\n",
        compile: "mcs hog.cs",
        bot: "mono hog.exe",
    },
    Language {
        file: "hog.py",
        text: "import sys\nall = [b'x' * (1 << 20) for _ in range(int(sys.argv[1]))]\n\
               print('fine')\n",
        compile: "",
        bot: "pypy3 hog.py",
    },
    Language {
        file: "hog.lisp",
        text: "(defvar *all* (loop repeat (parse-integer (second sb-ext:*posix-argv*)) collect\n\
               (make-array (ash 1 20) :element-type '(unsigned-byte 8) :initial-element 1)))\n\
               (write-line \"fine\")\n",
        compile: "",
        bot: "sbcl --script hog.lisp",
    },
    Language {
        file: "hog.erl",
        text: "#!/usr/bin/env escript\nmain([N]) ->\n\
               All = [binary:copy(<<I>>, 1 bsl 20) || I <- lists:seq(1, list_to_integer(N))],\n\
               io:format(\"fine~n\"), io:format(\"~p~n\", [length(All)]).\n",
        compile: "",
        bot: "escript hog.erl",
    },
];

/// Plays, and returns the kind of the bot's first fault with its last output and detail.
fn play(dir: &TestDir, bot: &str) -> (String, String, Value) {
    let flags = format!("--set side=3 --turns 2 --json --time 60000 --bot-memory {LIMIT}");
    let done = dir.run(&format!("play cluster '{bot}' builtin:greedy {flags}"));
    let fault = done.data("result")["faults"][0].clone();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    (text(&fault["kind"]), text(&fault["evidence"]["last_output"]), fault)
}

#[test]
fn runtimes_use_their_memory_and_no_more() {
    agon_testkit::slow!();
    for Language { file, text, compile, bot } in LANGUAGES {
        let dir = TestDir::new();
        dir.write(file, text);
        if let Some((compiler, args)) = compile.split_once(' ') {
            let mut compiler = Command::new(compiler);
            compiler.args(args.split(' ')).current_dir(dir.path("")).env("GOCACHE", dir.path(""));
            assert!(compiler.status().unwrap().success(), "{compile}");
        }
        let (_, output, fault) = play(&dir, &format!("{bot} {FITS}"));
        assert!(output.starts_with("fine"), "{bot}: {fault:#}");
        let said = fault["evidence"]["stderr_tail"].as_str().unwrap_or_default();
        assert!(!said.contains("JAVA_TOOL_OPTIONS"), "{bot}: {said}");
        let (kind, output, fault) = play(&dir, &format!("{bot} {TOO_MUCH}"));
        assert!(kind == "memory" && !output.contains("fine"), "{bot}: {fault:#}");
    }
}
