//! Java: records with the components that the kit's `Json.java` reads, and enums.

use super::schema::{Field, Kind, Messages, Shape, Type, Union, Variant, Width, Word};
use super::{block, camel, fits, markup, origin, pascal, upper};

/// Returns `Game.java`.
pub(super) fn file(messages: &Messages) -> String {
    let game = &messages.game;
    let origin = origin(game);
    let head = format!("// {origin}\n\nimport java.util.List;\n\n/** The messages of {game}. */\n");
    let constant = format!("    static final String NAME = \"{game}\";\n");
    let types: String = messages.types.iter().map(declaration).collect();
    format!("{head}final class Game {{\n{constant}{types}}}\n")
}

fn declaration(Type { name, doc, shape }: &Type) -> String {
    match shape {
        Shape::Record(fields) => record(name, doc, fields, ""),
        Shape::Enum(words) => enumeration(name, doc, words),
        Shape::Union(union) => {
            let fields = union.merged();
            let made = union.variants.iter().map(|it| maker(name, union, &fields, it));
            let changed = fields.iter().skip(1).filter(|it| is_free(union, it));
            let methods: String =
                made.chain(changed.map(|field| changer(name, &fields, field))).collect();
            record(name, doc, &fields, &methods)
        }
    }
}

/// Returns whether no variant needs a field.
fn is_free(union: &Union, field: &Field) -> bool {
    !union.variants.iter().any(|variant| variant.required().any(|it| it.key == field.key))
}

fn record(name: &str, doc: &str, fields: &[Field], body: &str) -> String {
    let parameters: Vec<String> = fields
        .iter()
        .filter(|field| !field.doc.is_empty())
        .map(|field| format!("@param {} {}", camel(&field.key), escaped(&field.doc)))
        .collect();
    let between = if parameters.is_empty() { "" } else { "\n\n" };
    let head = block("    ", &format!("{}{between}{}", escaped(doc), parameters.join("\n")));
    let components: Vec<String> = fields
        .iter()
        .map(|field| format!("{} {}", type_of(&field.kind, field.may_lack()), camel(&field.key)))
        .collect();
    let body = if body.is_empty() { "}\n".to_owned() } else { format!("{body}    }}\n") };
    let line = format!("    record {name}({}) {{", components.join(", "));
    if fits(&format!("{line}}}")) {
        return format!("\n{head}{line}{body}");
    }
    let components = components.join(",\n            ");
    format!("\n{head}    record {name}(\n            {components}) {{{body}")
}

fn type_of(kind: &Kind, may_lack: bool) -> String {
    let (usual, boxed) = match kind {
        Kind::Boolean => ("boolean", "Boolean"),
        Kind::Text | Kind::Constant(_) => ("String", "String"),
        Kind::Integer(Width::Usual) => ("int", "Integer"),
        // There is no type of 64 bits without a sign; half of its values are enough.
        Kind::Integer(_) => ("long", "Long"),
        Kind::Named(name) => (name.as_str(), name.as_str()),
        Kind::List(item, _) => return list_of(item),
    };
    if may_lack { boxed } else { usual }.to_owned()
}

/// Returns an array of numbers, or a list of anything else.
fn list_of(item: &Kind) -> String {
    match item {
        Kind::Boolean | Kind::Integer(_) => format!("{}[]", type_of(item, false)),
        Kind::List(inner, _) if matches!(**inner, Kind::Boolean | Kind::Integer(_)) => {
            format!("{}[]", list_of(inner))
        }
        _ => format!("List<{}>", type_of(item, true)),
    }
}

/// Returns a method that makes a variant.
fn maker(name: &str, union: &Union, fields: &[Field], variant: &Variant) -> String {
    let word = &variant.word.text;
    let parameters: Vec<String> = variant
        .required()
        .map(|field| format!("{} {}", type_of(&field.kind, field.nullable), camel(&field.key)))
        .collect();
    let value = |field: &Field| match variant.required().find(|it| it.key == field.key) {
        _ if field.key == union.tag => format!("\"{word}\""),
        Some(_) => camel(&field.key),
        None => "null".to_owned(),
    };
    let values: Vec<String> = fields.iter().map(value).collect();
    let start = format!("static {name} {}({})", camel(word), parameters.join(", "));
    method(&escaped(&variant.doc()), &start, name, &values)
}

/// Returns a method that gives a field another value.
fn changer(name: &str, fields: &[Field], field: &Field) -> String {
    let own = camel(&field.key);
    let kind = type_of(&field.kind, true);
    let start = format!("{name} with{}({kind} {own})", pascal(&field.key));
    let values: Vec<String> = fields.iter().map(|field| camel(&field.key)).collect();
    method(&format!("Returns a copy with this {own}."), &start, name, &values)
}

fn method(doc: &str, start: &str, name: &str, values: &[String]) -> String {
    let head = block("        ", doc);
    let body = format!("            return new {name}({});\n", values.join(", "));
    format!("\n{head}        {start} {{\n{body}        }}\n")
}

fn enumeration(name: &str, doc: &str, words: &[Word]) -> String {
    let is_plain = words.iter().all(|word| upper(&word.text) == word.text);
    let constant = |word: &Word| {
        let head = block("        ", &escaped(&word.doc));
        let text = if is_plain { String::new() } else { format!("(\"{}\")", word.text) };
        format!("{head}        {}{text}", upper(&word.text))
    };
    let constants = words.iter().map(constant).collect::<Vec<_>>().join(",\n");
    let text = if is_plain { "\n".to_owned() } else { format!(";\n{}", text_of(name)) };
    let head = block("    ", &escaped(doc));
    format!("\n{head}    enum {name} {{\n{constants}{text}    }}\n")
}

/// Returns what keeps the texts of constants that have other names.
fn text_of(name: &str) -> String {
    let field = "        private final String text;\n";
    let set =
        format!("        {name}(String text) {{\n            this.text = text;\n        }}\n");
    let get = "        public String toString() {\n            return text;\n        }\n";
    format!("\n{field}\n{set}\n        @Override\n{get}")
}

/// Returns a text for Javadoc.
///
/// Java reads a backslash and `u` as a character even in comments.
fn escaped(doc: &str) -> String {
    markup(doc, "<code>", "</code>").replace('\\', "&#92;")
}
