//! C headers, generated from the records.

use std::fmt::Write as _;

use super::{ABI, Bytes, FieldLayout, Layout, Question, Record};

/// What a game's C header says.
#[derive(Clone, Copy, Debug)]
pub struct Header {
    /// The game; the header is `agon/GAME.h`.
    pub game: &'static str,
    /// What stands on top, in lines: how questions and answers are to be read.
    pub about: &'static [&'static str],
    /// Names for numbers.
    pub constants: &'static [Constant],
    /// The records, those of questions first.
    pub records: &'static [Layout],
}

/// A number with a name in C.
#[derive(Clone, Copy, Debug)]
pub struct Constant {
    /// Its name.
    pub name: &'static str,
    /// Its value.
    pub value: u64,
    /// What it stands for.
    pub doc: &'static str,
}

/// The name of the header that all games share.
pub const BOT_H: &str = "agon/bot.h";

impl Header {
    /// Its name in `#include`.
    pub fn path(&self) -> String {
        format!("agon/{}.h", self.game)
    }

    /// Its text.
    pub fn text(&self) -> String {
        let guard = format!("AGON_{}_H", self.game.to_uppercase());
        let mut text = String::new();
        open(&mut text, &guard, self.about);
        text.push_str("#include \"agon/bot.h\"\n");
        self.constants.iter().for_each(|constant| define(&mut text, constant));
        self.records.iter().for_each(|layout| structure(&mut text, layout));
        close(&mut text, &guard);
        text
    }
}

/// The text of [`BOT_H`].
pub fn bot_h() -> String {
    let mut text = String::new();
    let about = [
        "What every bot for Agon defines: a native library (.so) exports these functions, a WebAssembly",
        "module as well. Questions and answers are flat memory; the game's own header describes them.",
    ];
    open(&mut text, "AGON_BOT_H", &about);
    text.push_str(FRONT);
    let constants = [
        Constant { name: "AGON_ABI", value: ABI.into(), doc: "What agon_abi returns." },
        Constant {
            name: "AGON_NONE",
            value: Bytes::NONE_LENGTH.into(),
            doc: "The length of bytes that are not there at all.",
        },
    ];
    constants.iter().for_each(|constant| define(&mut text, constant));
    [Question::LAYOUT, Bytes::LAYOUT].iter().for_each(|layout| structure(&mut text, layout));
    text.push_str(FUNCTIONS);
    close(&mut text, "AGON_BOT_H");
    text
}

const FRONT: &str = r#"#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define AGON_C extern "C"
#define AGON_ASSERT(condition, text) static_assert(condition, text)
#else
#define AGON_C
#define AGON_ASSERT(condition, text) _Static_assert(condition, text)
#endif

/* Before a function that the arena calls. */
#ifdef __wasm__
#define AGON_EXPORT(name) AGON_C __attribute__((export_name(#name), visibility("default")))
#else
#define AGON_EXPORT(name) AGON_C __attribute__((visibility("default")))
#endif
"#;

const FUNCTIONS: &str = r#"
/* Returns AGON_ABI. */
AGON_EXPORT(agon_abi) uint32_t agon_abi(void);

/*
 * Answers a question: writes the answers, one fixed record per decision, and returns how many bytes were
 * written. The room for answers is filled with zeros before the call; the first byte of an answer that is
 * given is never zero.
 */
AGON_EXPORT(agon_decide)
uint32_t agon_decide(const void *question, uint32_t length, void *answers, uint32_t room);

/*
 * May be left out: the match begins. The message is the line of JSON that programs get ("start"), with the
 * rules, the names of the players and a seed; it ends without a zero byte.
 */
AGON_EXPORT(agon_start) void agon_start(const char *message, uint32_t length);

#ifdef __wasm__
/*
 * Only in WebAssembly: returns room for so many bytes, aligned to 8, or 0. The arena asks for it before it
 * writes questions, and uses it until it asks for more.
 */
AGON_EXPORT(agon_room) void *agon_room(uint32_t size);

/* What the arena offers: text for the bot's log, and random numbers that are the same in every run. */
__attribute__((import_module("agon"), import_name("log"))) void agon_log(const char *text, uint32_t length);
__attribute__((import_module("agon"), import_name("random"))) uint64_t agon_random(void);
#endif
"#;

fn open(text: &mut String, guard: &str, about: &[&str]) {
    text.push_str("/*\n");
    about.iter().for_each(|line| push_line(text, " *", line));
    text.push_str(" *\n * Generated from the arena's code; `cargo xtask generate` writes it anew.\n */\n");
    push_line(text, "#ifndef", guard);
    push_line(text, "#define", guard);
    text.push('\n');
}

fn close(text: &mut String, guard: &str) {
    // Writing to a string cannot fail.
    let _ = write!(text, "\n#endif /* {guard} */\n");
}

fn push_line(text: &mut String, before: &str, line: &str) {
    let line = format!("{before} {line}");
    text.push_str(line.trim_end());
    text.push('\n');
}

fn define(text: &mut String, constant: &Constant) {
    let Constant { name, value, doc } = constant;
    let _ = write!(text, "\n/* {doc} */\n#define {name} {value}u\n");
}

fn structure(text: &mut String, layout: &Layout) {
    let Layout { name, doc, fields, size } = layout;
    let _ = write!(text, "\n/*{} */\ntypedef struct {name} {{\n", doc.join("\n *"));
    for FieldLayout { name, doc, c_type, count, .. } in *fields {
        let count = count.map_or(String::new(), |count| format!("[{count}]"));
        let doc = doc.join("\n     *");
        let _ = write!(text, "    /*{doc} */\n    {c_type} {name}{count};\n");
    }
    let _ = write!(text, "}} {name};\nAGON_ASSERT(sizeof({name}) == {size}, \"{name} has {size} bytes\");\n");
}
