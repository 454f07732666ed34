//! Reads JSON.

use std::ops::Index;

/// A JSON value. `state["you"]["health"]` is `Other` if a key is missing.
pub enum Json {
    /// Null, true or false, which say nothing about a match.
    Other,
    Number(f64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Reads a text; `None` if it is not JSON.
    pub fn read(text: &str) -> Option<Json> {
        let mut reader = Reader(text);
        let value = reader.value(0)?;
        reader.0.trim().is_empty().then_some(value)
    }

    /// Returns a whole number; 0 if the value is not a number.
    pub fn number(&self) -> i64 {
        if let Json::Number(number) = self { *number as i64 } else { 0 }
    }

    /// Returns a text; "" if the value is not a text.
    pub fn text(&self) -> &str {
        if let Json::Text(text) = self { text } else { "" }
    }

    /// Returns the elements of a list; none if the value is not a list.
    pub fn list(&self) -> &[Json] {
        if let Json::List(list) = self { list } else { &[] }
    }
}

impl Index<&str> for Json {
    type Output = Json;

    fn index(&self, key: &str) -> &Json {
        let fields = if let Json::Object(fields) = self { fields.as_slice() } else { &[] };
        fields.iter().find(|(name, _)| name == key).map_or(&Json::Other, |(_, value)| value)
    }
}

/// The rest of a text.
struct Reader<'a>(&'a str);

impl Reader<'_> {
    /// Takes a word, if it is next.
    fn take(&mut self, word: &str) -> Option<()> {
        self.0 = self.0.trim_start().strip_prefix(word)?;
        Some(())
    }

    fn value(&mut self, depth: usize) -> Option<Json> {
        if depth > 64 {
            None
        } else if self.take("{").is_some() {
            let field = |reader: &mut Self| {
                reader.take("\"")?;
                let name = reader.string()?;
                reader.take(":")?;
                Some((name, reader.value(depth + 1)?))
            };
            self.elements("}", field).map(Json::Object)
        } else if self.take("[").is_some() {
            self.elements("]", |reader| reader.value(depth + 1)).map(Json::List)
        } else if self.take("\"").is_some() {
            self.string().map(Json::Text)
        } else {
            let rest = self.0.trim_start();
            let end = rest.find(|c: char| !c.is_alphanumeric() && !"+-.".contains(c));
            let (word, rest) = rest.split_at(end.unwrap_or(rest.len()));
            self.0 = rest;
            match word {
                "null" | "true" | "false" => Some(Json::Other),
                _ => word.parse().ok().map(Json::Number),
            }
        }
    }

    /// Reads all elements of a list or an object, up to its end.
    fn elements<T>(
        &mut self,
        end: &str,
        element: impl Fn(&mut Self) -> Option<T>,
    ) -> Option<Vec<T>> {
        let mut all = Vec::new();
        while self.take(end).is_none() {
            if !all.is_empty() {
                self.take(",")?;
            }
            all.push(element(self)?);
        }
        Some(all)
    }

    /// Reads a string behind its first quote.
    fn string(&mut self) -> Option<String> {
        let mut text = String::new();
        let mut chars = self.0.chars();
        loop {
            match chars.next()? {
                '"' => break,
                // Names of snakes may have more escapes; nothing depends on those.
                '\\' => text.push(chars.next()?),
                other => text.push(other),
            }
        }
        self.0 = chars.as_str();
        Some(text)
    }
}
