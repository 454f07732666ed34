//! TypeScript: interfaces, and unions of objects and strings.

use std::fmt::Write as _;

use super::schema::{Field, Kind, Messages, Shape, Type, Union, Word};
use super::{block, fits, origin};

/// Lists of a fixed length up to this are tuples; longer ones would be hard to read.
const TUPLE: u64 = 3;

/// Returns `messages.d.ts`.
pub(super) fn file(messages: &Messages) -> String {
    let types: String = messages.types.iter().map(declaration).collect();
    format!("// {}\n{types}", origin(&messages.game))
}

fn declaration(Type { name, doc, shape }: &Type) -> String {
    let head = block("", doc);
    match shape {
        Shape::Record(fields) if fields.is_empty() => {
            format!("\n{head}export type {name} = Record<string, never>;\n")
        }
        Shape::Record(fields) => {
            format!("\n{head}export interface {name} {{\n{}}}\n", properties("  ", fields))
        }
        Shape::Enum(words) => format!("\n{head}export type {name} ={};\n", alternatives(words)),
        Shape::Union(union) => format!("\n{head}export type {name} ={};\n", objects(union)),
    }
}

fn properties(indent: &str, fields: &[Field]) -> String {
    let mut text = String::new();
    for field in fields {
        let mark = if field.optional { "?" } else { "" };
        let null = if field.nullable { " | null" } else { "" };
        text += &block(indent, &field.doc);
        let _ = writeln!(text, "{indent}{}{mark}: {}{null};", field.key, type_of(&field.kind));
    }
    text
}

fn type_of(kind: &Kind) -> String {
    match kind {
        Kind::Boolean => "boolean".to_owned(),
        Kind::Text => "string".to_owned(),
        Kind::Constant(word) => format!("\"{word}\""),
        Kind::Integer(_) => "number".to_owned(),
        Kind::Named(name) => name.clone(),
        Kind::List(item, Some(length)) if *length <= TUPLE => {
            let items: Vec<String> = (0..*length).map(|_| type_of(item)).collect();
            format!("[{}]", items.join(", "))
        }
        Kind::List(item, _) => format!("{}[]", type_of(item)),
    }
}

/// Returns the strings of an enum, in one line if they fit.
fn alternatives(words: &[Word]) -> String {
    let texts: Vec<String> = words.iter().map(|word| format!("\"{}\"", word.text)).collect();
    let line = format!(" {}", texts.join(" | "));
    if fits(&line) && words.iter().all(|word| word.doc.is_empty()) {
        return line;
    }
    let alternative =
        |(word, text): (&Word, &String)| format!("\n{}  | {text}", block("  ", &word.doc));
    words.iter().zip(&texts).map(alternative).collect()
}

fn objects(union: &Union) -> String {
    let mut text = String::new();
    for variant in &union.variants {
        let head = block("  ", &variant.word.doc);
        let fields = properties("      ", &variant.fields);
        let word = &variant.word.text;
        let tag = &union.tag;
        let _ = write!(text, "\n{head}  | {{\n      {tag}: \"{word}\";\n{fields}    }}");
    }
    text
}
