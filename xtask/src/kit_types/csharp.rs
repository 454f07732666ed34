//! C#: partial classes with the fields that the kit's `Json.cs` reads, and enums.

use std::fmt::Write as _;

use super::schema::{Field, Kind, Messages, Shape, Type, Union, Variant, Width, Word};
use super::{camel, fits, markup, origin, pascal, wrapped};

/// Returns `Game.cs`.
pub(super) fn file(messages: &Messages) -> String {
    let game = &messages.game;
    let origin = origin(game);
    let constant =
        format!("{}    public const string Name = \"{game}\";\n", summary("    ", "The name."));
    let head = format!("// {origin}\n\npublic static class Game\n{{\n{constant}}}\n");
    let file = File { messages };
    head + &messages.types.iter().map(|it| file.declaration(it)).collect::<String>()
}

/// The file of a game's types.
struct File<'a> {
    messages: &'a Messages,
}

impl File<'_> {
    fn declaration(&self, Type { name, doc, shape }: &Type) -> String {
        let head = format!("\n{}", summary("", doc));
        let class = format!("{head}public sealed partial class {}", self.class(name));
        match shape {
            Shape::Record(fields) => format!("{class}\n{{\n{}}}\n", self.fields(fields)),
            Shape::Enum(words) => format!("{head}public enum {name}\n{{\n{}}}\n", members(words)),
            Shape::Union(union) => {
                let fields = self.fields(&union.merged());
                let methods = union.variants.iter().map(|it| self.method(name, union, it));
                format!("{class}\n{{\n{fields}{}}}\n", methods.collect::<String>())
            }
        }
    }

    /// Returns the name of a class: that of its type, unless a field has that name, too.
    fn class(&self, name: &str) -> String {
        let has_field = |it: &&Type| {
            let Shape::Record(fields) = &it.shape else { return false };
            it.name == name && fields.iter().any(|field| pascal(&field.key) == name)
        };
        match self.messages.types.iter().find(has_field) {
            Some(_) => format!("{name}Data"),
            None => name.to_owned(),
        }
    }

    fn fields(&self, fields: &[Field]) -> String {
        let mut text = String::new();
        for field in fields {
            let name = pascal(&field.key);
            let has_null =
                matches!(field.kind, Kind::Boolean | Kind::Integer(_)) || self.is_enum(&field.kind);
            let mark = if field.may_lack() && has_null { "?" } else { "" };
            text += &summary("    ", &field.doc);
            let _ = writeln!(text, "    public {}{mark} {name};", self.type_of(&field.kind));
        }
        text
    }

    fn is_enum(&self, kind: &Kind) -> bool {
        let is_it = |it: &Type| {
            matches!(kind, Kind::Named(name) if *name == it.name)
                && matches!(it.shape, Shape::Enum(_))
        };
        self.messages.types.iter().any(is_it)
    }

    fn type_of(&self, kind: &Kind) -> String {
        match kind {
            Kind::Boolean => "bool".to_owned(),
            Kind::Text | Kind::Constant(_) => "string".to_owned(),
            Kind::Integer(Width::Usual) => "int".to_owned(),
            Kind::Integer(Width::Long) => "long".to_owned(),
            Kind::Integer(Width::Unsigned) => "ulong".to_owned(),
            Kind::Named(name) => self.class(name),
            Kind::List(item, _) => format!("{}[]", self.type_of(item)),
        }
    }

    /// Returns a method that makes a variant.
    fn method(&self, name: &str, union: &Union, variant: &Variant) -> String {
        let word = &variant.word.text;
        let mut parameters = Vec::new();
        let mut values = format!("{} = \"{word}\"", pascal(&union.tag));
        for field in variant.required() {
            let parameter = camel(&field.key);
            let _ = write!(values, ", {} = {parameter}", pascal(&field.key));
            parameters.push(format!("{} {parameter}", self.type_of(&field.kind)));
        }
        let head = summary("    ", &variant.doc());
        let start = format!("public static {name} {}({})", pascal(word), parameters.join(", "));
        let body = format!("return new {name} {{ {values} }};");
        format!("\n{head}    {start}\n    {{\n        {body}\n    }}\n")
    }
}

fn members(words: &[Word]) -> String {
    let mut text = String::new();
    for Word { text: word, doc } in words {
        let head = summary("    ", doc);
        let _ = writeln!(text, "{head}    [JsonName(\"{word}\")]\n    {},", pascal(word));
    }
    text
}

/// Returns a comment for documentation.
fn summary(indent: &str, doc: &str) -> String {
    if doc.is_empty() {
        return String::new();
    }
    let doc = markup(doc, "<c>", "</c>");
    let start = format!("{indent}/// ");
    let line = format!("{start}<summary>{doc}</summary>");
    if fits(&line) {
        return line + "\n";
    }
    let lines = wrapped(&start, &doc).join("\n");
    format!("{start}<summary>\n{lines}\n{start}</summary>\n")
}
