//! Go: structs, and functions for the variants of a union.

use std::fmt::Write as _;

use super::schema::{Field, Kind, Messages, Shape, Type, Union, Variant, Width, Word};
use super::{camel, comment, lowered, origin, pascal};

/// Returns `messages.go`.
pub(super) fn file(messages: &Messages) -> String {
    let game = &messages.game;
    let origin = origin(game);
    let types: String = messages.types.iter().map(declaration).collect();
    format!("// {origin}\n\npackage main\n\nconst game = \"{game}\"\n{types}")
}

fn declaration(Type { name, doc, shape }: &Type) -> String {
    let head = named_comment(name, doc);
    match shape {
        Shape::Record(fields) => format!("\n{head}{}", structure(name, fields)),
        Shape::Enum(words) => format!("\n{head}type {name} string\n\n{}", constants(name, words)),
        Shape::Union(union) => {
            let fields = union.merged();
            let functions = union.variants.iter().map(|it| function(name, union, &fields, it));
            format!("\n{head}{}{}", structure(name, &fields), functions.collect::<String>())
        }
    }
}

/// Returns a comment that begins with a name, as Go's tools want it.
fn named_comment(name: &str, doc: &str) -> String {
    match doc {
        "" => String::new(),
        doc => comment("// ", &format!("{name}: {}", lowered(doc))),
    }
}

fn structure(name: &str, fields: &[Field]) -> String {
    if fields.is_empty() {
        return format!("type {name} struct{{}}\n");
    }
    let mut text = format!("type {name} struct {{\n");
    for field in fields {
        let name = pascal(&field.key);
        let key = &field.key;
        let end = if field.optional { ",omitempty" } else { "" };
        text += &comment("\t// ", &field.doc);
        let _ = writeln!(text, "\t{name} {} `json:\"{key}{end}\"`", field_type(field));
    }
    text + "}\n"
}

fn field_type(field: &Field) -> String {
    let is_list = matches!(field.kind, Kind::List(..));
    let pointer = if field.may_lack() && !is_list { "*" } else { "" };
    format!("{pointer}{}", type_of(&field.kind))
}

fn type_of(kind: &Kind) -> String {
    match kind {
        Kind::Boolean => "bool".to_owned(),
        Kind::Text | Kind::Constant(_) => "string".to_owned(),
        Kind::Integer(Width::Usual) => "int".to_owned(),
        Kind::Integer(Width::Long) => "int64".to_owned(),
        Kind::Integer(Width::Unsigned) => "uint64".to_owned(),
        Kind::Named(name) => name.clone(),
        Kind::List(item, Some(length)) => format!("[{length}]{}", type_of(item)),
        Kind::List(item, None) => format!("[]{}", type_of(item)),
    }
}

fn constants(name: &str, words: &[Word]) -> String {
    let names: Vec<String> =
        words.iter().map(|word| name.to_owned() + &pascal(&word.text)).collect();
    // As gofmt does: lines without comments between them are in columns.
    let is_plain = words.iter().all(|word| word.doc.is_empty());
    let width = names.iter().map(String::len).max().filter(|_| is_plain).unwrap_or_default();
    let mut text = "const (\n".to_owned();
    for (constant, word) in names.iter().zip(words) {
        text += &comment("\t// ", &word.doc);
        let _ = writeln!(text, "\t{constant:width$} {name} = \"{}\"", word.text);
    }
    text + ")\n"
}

/// Returns a function that makes a variant.
fn function(name: &str, union: &Union, fields: &[Field], variant: &Variant) -> String {
    let word = &variant.word.text;
    let function = pascal(word);
    let mut parameters = Vec::new();
    let mut values = format!("{}: \"{word}\"", pascal(&union.tag));
    for field in variant.required() {
        let parameter = camel(&field.key);
        let is_pointer = fields
            .iter()
            .any(|merged| merged.key == field.key && field_type(merged).starts_with('*'));
        let pointer = if is_pointer { "&" } else { "" };
        let _ = write!(values, ", {}: {pointer}{parameter}", pascal(&field.key));
        parameters.push(format!("{parameter} {}", type_of(&field.kind)));
    }
    let head = match variant.doc().as_str() {
        "" => String::new(),
        doc => comment("// ", &format!("{function} {}", lowered(doc))),
    };
    let parameters = parameters.join(", ");
    format!("\n{head}func {function}({parameters}) {name} {{\n\treturn {name}{{{values}}}\n}}\n")
}
