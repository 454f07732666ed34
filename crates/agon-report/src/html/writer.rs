//! Writes HTML in which no text can become markup.

/// Attributes: names and values.
pub(super) type Attributes<'a> = &'a [(&'a str, &'a str)];

/// A page that is being written, also well-formed as XML.
#[derive(Debug, Default)]
pub(super) struct Html(String);

impl Html {
    /// Writes an element with the output of `content`.
    pub(super) fn within(
        &mut self,
        name: &str,
        attributes: Attributes<'_>,
        content: impl FnOnce(&mut Html),
    ) -> &mut Html {
        self.begin(name, attributes);
        self.0.push('>');
        content(self);
        self.end(name)
    }

    /// Writes an element with a text.
    pub(super) fn element(
        &mut self,
        name: &str,
        attributes: Attributes<'_>,
        text: &str,
    ) -> &mut Html {
        self.within(name, attributes, |html| {
            html.text(text);
        })
    }

    /// Writes an element that is always empty: `meta`, `line`.
    pub(super) fn empty(&mut self, name: &str, attributes: Attributes<'_>) -> &mut Html {
        self.begin(name, attributes);
        self.0.push_str("/>");
        self
    }

    /// Writes a text.
    pub(super) fn text(&mut self, text: &str) -> &mut Html {
        escape(text, &mut self.0);
        self
    }

    /// Writes a text that is already HTML, or a style or a script.
    pub(super) fn raw(&mut self, html: &str) -> &mut Html {
        self.0.push_str(html);
        self
    }

    pub(super) fn finish(self) -> String {
        self.0
    }

    fn begin(&mut self, name: &str, attributes: Attributes<'_>) {
        self.0.push('<');
        self.0.push_str(name);
        for (name, value) in attributes {
            self.0.push(' ');
            self.0.push_str(name);
            self.0.push_str("=\"");
            escape(value, &mut self.0);
            self.0.push('"');
        }
    }

    fn end(&mut self, name: &str) -> &mut Html {
        self.0.push_str("</");
        self.0.push_str(name);
        self.0.push('>');
        if matches!(name, "tr" | "p" | "section" | "thead" | "tbody" | "table" | "head" | "li") {
            self.0.push('\n');
        }
        self
    }
}

fn escape(text: &str, out: &mut String) {
    for c in agon_text::escape_lines(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_breaks_out_of_texts_and_attributes() {
        let mut html = Html::default();
        html.element("a", &[("title", "\"><b>&\u{0}")], "</a><script>");
        assert_eq!(
            html.finish(),
            "<a title=\"&quot;&gt;&lt;b&gt;&amp;\\u0000\">&lt;/a&gt;&lt;script&gt;</a>"
        );
    }
}
