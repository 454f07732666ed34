//! Reads a JSON Schema into the model.

use anyhow::{Context, Result, bail};
use serde_json::{Map, Value};

use super::{camel, pascal, sentence};

/// Reads the types below `$defs`.
///
/// # Errors
/// If a schema says what the model lacks.
pub(super) fn read(game: &str, schema: &Value) -> Result<Messages> {
    let definitions = schema["$defs"].as_object().context("the schema has no `$defs`")?;
    let reader = Reader { definitions };
    let mut types = Vec::new();
    for (name, definition) in definitions {
        let shape = reader.shape(definition).with_context(|| format!("type `{name}`"))?;
        types.extend(shape.map(|shape| Type { name: pascal(name), doc: doc(definition), shape }));
    }
    Ok(Messages { game: game.to_owned(), types })
}

/// Returns the description of a schema as sentences.
fn doc(schema: &Value) -> String {
    sentence(schema["description"].as_str().unwrap_or_default())
}

/// Reads schemas that refer to others.
struct Reader<'a> {
    definitions: &'a Map<String, Value>,
}

impl Reader<'_> {
    /// Returns the shape of a definition, or nothing for a number or any string.
    fn shape(&self, schema: &Value) -> Result<Option<Shape>> {
        if let Some(words) = schema["enum"].as_array() {
            let word = |word: &Value| Word { text: text(word), doc: String::new() };
            return Ok(Some(Shape::Enum(words.iter().map(word).collect())));
        }
        if let Some(choices) = schema["oneOf"].as_array() {
            if choices.iter().all(|choice| choice["const"].is_string()) {
                let word = |choice: &Value| Word { text: text(&choice["const"]), doc: doc(choice) };
                return Ok(Some(Shape::Enum(choices.iter().map(word).collect())));
            }
            return Ok(Some(Shape::Union(self.union(choices)?)));
        }
        match schema["type"].as_str() {
            Some("object") => Ok(Some(Shape::Record(self.fields(schema)?))),
            _ => Ok(None),
        }
    }

    /// Reads objects that differ in a key with a constant.
    fn union(&self, choices: &[Value]) -> Result<Union> {
        let mut tag = None;
        let mut variants = Vec::new();
        for choice in choices {
            let (tags, fields): (Vec<Field>, Vec<Field>) = self
                .fields(choice)?
                .into_iter()
                .partition(|field| matches!(field.kind, Kind::Constant(_)));
            let [Field { key, kind: Kind::Constant(word), .. }] = tags.as_slice() else {
                bail!("the variants of `oneOf` need one constant each");
            };
            if tag.get_or_insert_with(|| key.clone()) != key {
                bail!("the variants of `oneOf` have their constants at several keys");
            }
            variants.push(Variant { word: Word { text: word.clone(), doc: doc(choice) }, fields });
        }
        Ok(Union { tag: tag.context("`oneOf` is empty")?, variants })
    }

    /// Reads the properties of an object.
    fn fields(&self, schema: &Value) -> Result<Vec<Field>> {
        let Some(properties) = schema["properties"].as_object() else { return Ok(Vec::new()) };
        let required = schema["required"].as_array().map_or(&[][..], Vec::as_slice);
        let mut fields = Vec::new();
        for (key, property) in properties {
            let (kind, nullable) = self.kind(property).with_context(|| format!("field `{key}`"))?;
            let doc = self.doc(property);
            let optional = !required.iter().any(|name| name == key);
            fields.push(Field { key: key.clone(), doc, kind, nullable, optional });
        }
        Ok(fields)
    }

    /// Returns the type of a value, and whether it may be null.
    fn kind(&self, schema: &Value) -> Result<(Kind, bool)> {
        if let Some(name) = reference(schema) {
            let definition = self.definition(name)?;
            return match self.shape(definition)? {
                Some(_) => Ok((Kind::Named(pascal(name)), false)),
                None => self.kind(definition),
            };
        }
        if let Some(choices) = schema["anyOf"].as_array() {
            return match choices.as_slice() {
                [value, null] if null["type"] == "null" => Ok((self.kind(value)?.0, true)),
                _ => bail!("`anyOf` may only add null to a type"),
            };
        }
        if let Some(word) = schema["const"].as_str() {
            return Ok((Kind::Constant(word.to_owned()), false));
        }
        let names =
            schema["type"].as_array().map_or(std::slice::from_ref(&schema["type"]), |it| it);
        let nullable = names.iter().any(|name| name == "null");
        let kind = match names.iter().find_map(|name| name.as_str().filter(|it| *it != "null")) {
            Some("integer") => Kind::Integer(width(schema)),
            Some("string") => Kind::Text,
            Some("boolean") => Kind::Boolean,
            Some("array") => self.list(schema)?,
            other => bail!("no type of the kits for `{}`", other.unwrap_or("anything")),
        };
        Ok((kind, nullable))
    }

    /// Reads a list. Items that are named one by one must be of one type.
    fn list(&self, schema: &Value) -> Result<Kind> {
        let items = match schema["prefixItems"].as_array() {
            Some(items) => items.as_slice(),
            None => std::slice::from_ref(&schema["items"]),
        };
        let kinds = items.iter().map(|item| self.kind(item)).collect::<Result<Vec<_>>>()?;
        let Some((kind, false)) = kinds.first().cloned() else {
            bail!("the items of a list may not be null");
        };
        if kinds.iter().any(|other| other.0 != kind) {
            bail!("the items of a list are of several types");
        }
        let length = schema["minItems"].as_u64();
        Ok(Kind::List(Box::new(kind), length.filter(|_| schema["minItems"] == schema["maxItems"])))
    }

    /// Returns the description of a field, with that of a number or string it refers to.
    fn doc(&self, schema: &Value) -> String {
        if let Some(word) = schema["const"].as_str() {
            return format!("Always \"{word}\".");
        }
        let mut parts = vec![doc(schema)];
        let inner = schema["anyOf"].get(0).unwrap_or(schema);
        let target = reference(inner).and_then(|name| self.definitions.get(name));
        let is_plain = |target: &&Value| matches!(self.shape(target), Ok(None));
        if let Some(target) = target.filter(is_plain) {
            parts.push(doc(target));
        }
        parts.extend(range(target.unwrap_or(schema), &parts.join(" ")));
        parts.retain(|part| !part.is_empty());
        parts.join(" ")
    }

    fn definition(&self, name: &str) -> Result<&Value> {
        self.definitions.get(name).with_context(|| format!("`$defs` lacks `{name}`"))
    }
}

/// Returns the name of the definition that a schema refers to.
fn reference(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.strip_prefix("#/$defs/")
}

fn text(word: &Value) -> String {
    word.as_str().unwrap_or_default().to_owned()
}

/// Returns which integers a field has.
///
/// Kits use types with a sign where they can: arithmetic with others surprises. Numbers without a
/// maximum of their own count something, and are far below 2^63.
fn width(schema: &Value) -> Width {
    let format = schema["format"].as_str().unwrap_or_default();
    match schema["maximum"].as_u64() {
        Some(maximum) if i64::try_from(maximum).is_err() => Width::Unsigned,
        _ if format.ends_with("64") => Width::Long,
        _ => Width::Usual,
    }
}

/// Returns the range of an integer, unless its type or its description already says it.
fn range(schema: &Value, doc: &str) -> Option<String> {
    let maximum = schema["maximum"].as_u64()?;
    let minimum = schema["minimum"].as_i64()?;
    let is_natural = [u64::from(u8::MAX), u64::from(u16::MAX), u64::MAX].contains(&maximum);
    let is_said = doc.contains(&maximum.to_string());
    (!is_natural && !is_said).then(|| format!("From {minimum} to {maximum}."))
}

/// All types of a game's messages, in the order of the schema.
#[derive(Debug)]
pub(super) struct Messages {
    pub(super) game: String,
    pub(super) types: Vec<Type>,
}

/// A type with a name.
#[derive(Debug)]
pub(super) struct Type {
    pub(super) name: String,
    pub(super) doc: String,
    pub(super) shape: Shape,
}

/// What values of a type look like.
#[derive(Debug)]
pub(super) enum Shape {
    /// An object with these fields.
    Record(Vec<Field>),
    /// One of several strings.
    Enum(Vec<Word>),
    /// An object of one of several variants.
    Union(Union),
}

/// A string of an enum.
#[derive(Debug)]
pub(super) struct Word {
    pub(super) text: String,
    pub(super) doc: String,
}

/// Objects that a key tells apart.
#[derive(Debug)]
pub(super) struct Union {
    /// The key.
    pub(super) tag: String,
    pub(super) variants: Vec<Variant>,
}

/// An object of a union.
#[derive(Debug)]
pub(super) struct Variant {
    /// The value of the tag.
    pub(super) word: Word,
    /// The fields without the tag.
    pub(super) fields: Vec<Field>,
}

/// A field of an object.
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub(super) key: String,
    pub(super) doc: String,
    pub(super) kind: Kind,
    /// Whether its value may be null.
    pub(super) nullable: bool,
    /// Whether it may be left out.
    pub(super) optional: bool,
}

/// The type of a field or of the items of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Boolean,
    Text,
    /// Always this string.
    Constant(String),
    Integer(Width),
    /// A type with a name.
    Named(String),
    /// A list, of a fixed length or of any.
    List(Box<Kind>, Option<u64>),
}

/// The integers of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Width {
    /// They fit 32 bits.
    Usual,
    /// They fit 64 bits with a sign.
    Long,
    /// They need all 64 bits without a sign.
    Unsigned,
}

impl Field {
    /// Returns whether there may be no value.
    pub(super) fn may_lack(&self) -> bool {
        self.nullable || self.optional
    }
}

impl Variant {
    /// Returns what it does and what it needs, for a function that makes it.
    pub(super) fn doc(&self) -> String {
        let fields = self.required().filter(|field| !field.doc.is_empty());
        let needs = fields.map(|field| format!("{}: {}", camel(&field.key), field.doc));
        let parts: Vec<String> = [self.word.doc.clone()].into_iter().chain(needs).collect();
        parts.join(" ")
    }

    /// Returns the fields that are always there.
    pub(super) fn required(&self) -> impl Iterator<Item = &Field> {
        self.fields.iter().filter(|field| !field.optional)
    }
}

impl Union {
    /// Returns the fields of one record for all variants, for languages without unions.
    pub(super) fn merged(&self) -> Vec<Field> {
        let words: Vec<String> =
            self.variants.iter().map(|it| format!("\"{}\"", it.word.text)).collect();
        let mut fields = vec![Field {
            key: self.tag.clone(),
            doc: format!("{}.", words.join(", ")),
            kind: Kind::Text,
            nullable: false,
            optional: false,
        }];
        let required = self.variants.iter().flat_map(Variant::required);
        let all = self.variants.iter().flat_map(|variant| &variant.fields);
        for field in required.chain(all) {
            if fields.iter().any(|known| known.key == field.key) {
                continue;
            }
            let doc = self.doc_of(&field.key);
            let everywhere =
                self.variants.iter().all(|it| it.required().any(|f| f.key == field.key));
            fields.push(Field { doc, optional: !everywhere, ..field.clone() });
        }
        fields
    }

    /// Returns what a field means in each variant.
    fn doc_of(&self, key: &str) -> String {
        let mut docs: Vec<(&str, Vec<&str>)> = Vec::new();
        for variant in &self.variants {
            for field in variant.fields.iter().filter(|field| field.key == key) {
                match docs.iter_mut().find(|(doc, _)| *doc == field.doc) {
                    Some((_, words)) => words.push(&variant.word.text),
                    None => docs.push((&field.doc, vec![&variant.word.text])),
                }
            }
        }
        let parts = docs.iter().map(|(doc, words)| match words.len() == self.variants.len() {
            true => (*doc).to_owned(),
            false => format!("{}: {doc}", words.join(", ")),
        });
        parts.collect::<Vec<_>>().join(" ")
    }
}
