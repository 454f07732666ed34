//! Generates the Rust modules with the records of the games for the starter kit of Rust bots.
//! `agon new` writes them into the folder of a new bot.

use std::fmt::Write as _;

use super::{ABI, Bytes, Constant, FieldLayout, Group, Header, Layout, Question, Record, Value};

/// The module with the records that all games share.
pub fn rust_front() -> String {
    let records = [Question::LAYOUT, Bytes::LAYOUT];
    let about = "What stands in front of every question, and how records refer to other bytes.";
    let mut module = Module::new("agon", &records, about);
    module.text.push_str("\nuse super::Record;\n");
    let _ =
        write!(module.text, "\n/// The version of this interface.\npub const ABI: u32 = {ABI};\n");
    records.iter().for_each(|layout| module.structure(layout));
    module.text
}

impl Header {
    /// The module with a game's records. Their names are without the game's name.
    pub fn rust(&self) -> String {
        let records: Vec<Layout> = self.records().copied().collect();
        let Header { game, about, .. } = self;
        let path = self.path();
        let about = format!(
            "{about}\n\nHere {game}_question is [`Question`], and so on. \
             Functions that comments name are those\nof `{path}`, in C."
        );
        let mut module = Module::new(self.game, &records, &about);
        let has_bytes =
            |layout: &Layout| layout.fields.iter().any(|field| field.c_type == "agon_bytes");
        let uses = if records.iter().any(has_bytes) { "{front::Bytes, Record}" } else { "Record" };
        let _ = write!(module.text, "\nuse super::{uses};\n");
        self.constants.iter().for_each(|group| module.constants(group));
        records.iter().for_each(|layout| module.structure(layout));
        module.text
    }
}

/// The text of a module while it is written. Writing to a string cannot fail.
struct Module {
    text: String,
    /// The prefix of the names in C, in lower or upper case.
    prefix: &'static str,
    /// The records' names in C and here.
    records: Vec<(&'static str, String)>,
}

impl Module {
    fn new(prefix: &'static str, records: &[Layout], about: &str) -> Module {
        let name = |layout: &Layout| (layout.name, camel(short(layout.name, prefix)));
        let mut module =
            Module { text: String::new(), prefix, records: records.iter().map(name).collect() };
        for line in
            about.lines().chain(["", "Generated from the arena's code; `agon new` writes it anew."])
        {
            module.text.push_str(format!("//! {line}").trim_end());
            module.text.push('\n');
        }
        module
    }

    /// Replaces the C names of constants and records in a text by the Rust names.
    fn reword(&self, text: &str) -> String {
        let text = text.replace(&(self.prefix.to_uppercase() + "_"), "");
        self.records.iter().fold(text, |text, (c_name, name)| text.replace(c_name, name))
    }

    fn doc(&mut self, lines: &[&str], indent: &str) {
        for line in lines {
            let line = self.reword(line);
            let _ = writeln!(self.text, "{indent}///{line}");
        }
    }

    fn constants(&mut self, &Group { doc, constants }: &Group) {
        let _ = write!(self.text, "\n// {doc}\n\n");
        for &Constant { name, value, doc } in constants {
            let (kind, value) = match value {
                Value::Number(number) => (smallest(number), number.to_string()),
                Value::Hex(number) => (smallest(number), format!("{number:#04x}")),
                Value::Char(byte) => ("u8", format!("b'{}'", byte.escape_ascii())),
            };
            let (first, rest) = doc.split_at(1);
            let _ = writeln!(self.text, "/// {}{rest}.", first.to_uppercase());
            let _ =
                writeln!(self.text, "pub const {}: {kind} = {value};", short(name, self.prefix));
        }
    }

    fn structure(&mut self, layout: &Layout) {
        self.text.push('\n');
        self.doc(layout.doc, "");
        let name = camel(short(layout.name, self.prefix));
        let _ = writeln!(self.text, "#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]");
        let _ = writeln!(self.text, "#[repr(C)]\npub struct {name} {{");
        for field in layout.fields {
            self.doc(field.doc, "    ");
            let _ = writeln!(self.text, "    pub {}: {},", field.name, self.field_type(field));
        }
        let _ = write!(
            self.text,
            "}}\n\n// SAFETY: numbers without any padding between them.\nunsafe impl Record for \
             {name} {{}}\n\nconst _: () = assert!(std::mem::size_of::<{name}>() == {});\n",
            layout.size
        );
    }

    fn field_type(&self, FieldLayout { c_type, dimensions, .. }: &FieldLayout) -> String {
        let element = match *c_type {
            "uint8_t" => "u8".to_owned(),
            "uint16_t" => "u16".to_owned(),
            "uint32_t" => "u32".to_owned(),
            "uint64_t" => "u64".to_owned(),
            "int32_t" => "i32".to_owned(),
            record => camel(short(short(record, self.prefix), "agon")),
        };
        dimensions.iter().rev().fold(element, |inner, count| format!("[{inner}; {count}]"))
    }
}

/// A name without its prefix.
fn short<'a>(name: &'a str, prefix: &str) -> &'a str {
    match name.split_once('_') {
        Some((first, rest)) if first.eq_ignore_ascii_case(prefix) => rest,
        _ => name,
    }
}

/// The name of a type.
fn camel(name: &str) -> String {
    let word = |word: &str| {
        word.chars()
            .take(1)
            .map(|c| c.to_ascii_uppercase())
            .chain(word.chars().skip(1))
            .collect::<String>()
    };
    name.split('_').map(word).collect()
}

/// The smallest type that holds a number; fields with such numbers have the same type.
fn smallest(number: u32) -> &'static str {
    match number {
        0..=0xff => "u8",
        0x100..=0xffff => "u16",
        _ => "u32",
    }
}
