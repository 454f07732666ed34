//! Generates the C headers of `include/agon` from the records of the games. Authors of native and
//! WebAssembly bots include them; `cargo xtask generate` writes them.

use std::fmt::Write as _;

use super::{ABI, Bytes, FieldLayout, Layout, Question, Record};

/// What a game's C header says.
#[derive(Clone, Copy, Debug)]
pub struct Header {
    /// The game; the header is `agon/GAME.h`.
    pub game: &'static str,
    /// The introduction: how to read questions and answers.
    pub about: &'static str,
    /// Names for numbers.
    pub constants: &'static [Group],
    /// Further records that question and answer contain or point to.
    pub parts: &'static [Layout],
    /// What is known of one decision.
    pub question: Layout,
    /// What is answered to one decision.
    pub answer: Layout,
    /// C functions that help bots to read questions and write answers.
    pub functions: &'static str,
}

/// Named numbers of one kind, such as all actions.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// What they have in common.
    pub doc: &'static str,
    /// The numbers.
    pub constants: &'static [Constant],
}

/// A number with a name in C.
#[derive(Clone, Copy, Debug)]
pub struct Constant {
    /// Its name.
    pub name: &'static str,
    /// Its value.
    pub value: Value,
    /// What it stands for.
    pub doc: &'static str,
}

/// A number with a name, in decimal.
pub const fn number(name: &'static str, value: u32, doc: &'static str) -> Constant {
    Constant { name, value: Value::Number(value), doc }
}

/// A number with a name, in hexadecimal.
pub const fn hex(name: &'static str, value: u32, doc: &'static str) -> Constant {
    Constant { name, value: Value::Hex(value), doc }
}

/// A character with a name.
pub const fn char(name: &'static str, value: u8, doc: &'static str) -> Constant {
    Constant { name, value: Value::Char(value), doc }
}

/// How a number is written in C.
#[derive(Clone, Copy, Debug)]
pub enum Value {
    /// In decimal.
    Number(u32),
    /// In hexadecimal.
    Hex(u32),
    /// As a character.
    Char(u8),
}

impl Value {
    fn text(self) -> String {
        match self {
            Value::Number(number) => number.to_string(),
            Value::Hex(number) => format!("{number:#04x}"),
            Value::Char(byte) => format!("'{}'", byte.escape_ascii()),
        }
    }
}

/// The name of the header that all games share.
pub const BOT_H: &str = "agon/bot.h";

impl Header {
    /// Its name in `#include`.
    pub fn path(&self) -> String {
        format!("agon/{}.h", self.game)
    }

    /// All records, in the order of the header.
    pub fn records(&self) -> impl Iterator<Item = &Layout> {
        self.parts.iter().chain([&self.question, &self.answer])
    }

    /// Its text.
    pub fn text(&self) -> String {
        let guard = format!("AGON_{}_H", self.game.to_uppercase());
        let mut text = open(&guard, self.about);
        // A relative include works wherever the two headers are copied together.
        text.push_str("#include \"bot.h\"\n");
        self.constants.iter().for_each(|group| define(&mut text, group));
        self.records().for_each(|layout| structure(&mut text, layout));
        text.push_str(&self.access());
        text.push_str(self.functions);
        close(text, &guard)
    }

    /// The C function that returns the record of a decision.
    fn access(&self) -> String {
        let name = self.question.name;
        format!(
            "\n/* What is known of decision number i, from 0. */\n\
             static inline const {name} *{name}_at(const void *question, uint32_t i)\n{{\n    \
             return (const {name} *)agon_decision(question, i);\n}}\n"
        )
    }
}

/// The text of [`BOT_H`].
pub fn bot_h() -> String {
    let mut text = open("AGON_BOT_H", ABOUT);
    text.push_str(FRONT);
    define(&mut text, &VERSION);
    [Question::LAYOUT, Bytes::LAYOUT].iter().for_each(|layout| structure(&mut text, layout));
    text.push_str(FUNCTIONS);
    close(text, "AGON_BOT_H")
}

const VERSION: Group = Group {
    doc: "The version of this interface.",
    constants: &[number("AGON_ABI", ABI, "what agon_abi returns")],
};

const ABOUT: &str = "\
What every bot for Agon defines, as a native library (.so) or a WebAssembly module: agon_abi and
agon_decide.

A batch of decisions is one question. It begins with an agon_question; then comes a record for
each decision, all of the same size, and behind them whatever their offsets lead to. The answers
are a record for each decision in the same order, and behind them whatever their offsets lead
to. agon/GAME.h describes the records of a game. All numbers are little-endian. The question
begins at a multiple of 8 bytes, and so do the answers.";

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
/* What is known of decision number i, from 0: the record that agon/GAME.h describes. */
static inline const void *agon_decision(const void *question, uint32_t i)
{
    const agon_question *front = (const agon_question *)question;
    return (const unsigned char *)(front + 1) + (size_t)i * front->stride;
}

/* What lies at an offset of a question. */
static inline const void *agon_at(const void *question, uint32_t offset)
{
    return (const unsigned char *)question + offset;
}

/*
 * Appends bytes to answers, of which *length bytes are written so far, the records included. What
 * it returns goes into a record.
 */
static inline agon_bytes agon_append(void *answers, uint32_t *length, const void *bytes,
                                     uint32_t count)
{
    agon_bytes appended = {*length, count};
    for (uint32_t i = 0; i < count; i++)
        ((unsigned char *)answers)[(*length)++] = ((const unsigned char *)bytes)[i];
    return appended;
}

/* Returns AGON_ABI. */
AGON_EXPORT(agon_abi) uint32_t agon_abi(void);

/*
 * Answers a question of so many bytes: writes the answers into the room, and returns how many bytes
 * of it are written, at most `room`. The records of the answers are zero before the call, what is
 * behind them may be anything. The first byte of a record that is answered is not zero; what is
 * answered before a crash or an endless loop counts. Do not keep pointers: the next question may be
 * elsewhere, or in the same place.
 */
AGON_EXPORT(agon_decide)
uint32_t agon_decide(const void *question, uint32_t length, void *answers, uint32_t room);

/*
 * May be left out: the match begins. The message is the line of JSON that programs get ("start"),
 * with the settings, the names of the players and a seed; no zero byte ends it.
 */
AGON_EXPORT(agon_start) void agon_start(const char *message, uint32_t length);

#ifdef __wasm__
/*
 * Only in WebAssembly: returns room for so many bytes, at a multiple of 8, or 0 if it has none.
 * That is where the arena writes the message of agon_start, and the questions with the room for
 * answers behind them. It uses the same room again and again, and asks when it needs more.
 */
AGON_EXPORT(agon_room) void *agon_room(uint32_t size);

/*
 * What the arena offers: text for the bot's log, and random numbers that are the same in every run.
 */
__attribute__((import_module("agon"), import_name("log")))
void agon_log(const char *text, uint32_t length);
__attribute__((import_module("agon"), import_name("random"))) uint64_t agon_random(void);
#endif
"#;

fn open(guard: &str, about: &str) -> String {
    let mut text = "/*\n".to_owned();
    for line in about.lines() {
        text.push_str(format!(" * {line}").trim_end());
        text.push('\n');
    }
    text.push_str(
        " *\n * Generated from the arena's code; `cargo xtask generate` writes it anew.\n */\n",
    );
    // Writing to a string cannot fail.
    let _ = write!(text, "#ifndef {guard}\n#define {guard}\n\n");
    text
}

fn close(text: String, guard: &str) -> String {
    format!("{text}\n#endif /* {guard} */\n")
}

/// A comment and the definitions, in columns.
fn define(text: &mut String, Group { doc, constants }: &Group) {
    let values: Vec<_> = constants.iter().map(|constant| constant.value.text()).collect();
    let width = constants.iter().map(|constant| constant.name.len()).max().unwrap_or(0);
    let value_width = values.iter().map(String::len).max().unwrap_or(0);
    let _ = write!(text, "\n/* {doc} */\n");
    for (Constant { name, doc, .. }, value) in constants.iter().zip(values) {
        let _ = writeln!(text, "#define {name:width$} {value:value_width$} /* {doc} */");
    }
}

fn structure(text: &mut String, layout: &Layout) {
    let Layout { name, doc, fields, size, .. } = layout;
    let _ = write!(text, "\n{}typedef struct {name} {{\n", comment(doc, ""));
    for FieldLayout { name, doc, c_type, dimensions, .. } in *fields {
        let dimensions: String = dimensions.iter().map(|count| format!("[{count}]")).collect();
        let _ = writeln!(text, "{}    {c_type} {name}{dimensions};", comment(doc, "    "));
    }
    let _ = write!(
        text,
        "}} {name};\nAGON_ASSERT(sizeof({name}) == {size}, \"the layout of {name}\");\n"
    );
}

/// Makes a C comment of doc lines, which start with a space.
fn comment(doc: &[&str], indent: &str) -> String {
    format!("{indent}/*{} */\n", doc.join(&format!("\n{indent} *")))
}
