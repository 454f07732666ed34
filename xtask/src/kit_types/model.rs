//! The types of messages, without the syntax of a language.

use super::text::camel;

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
