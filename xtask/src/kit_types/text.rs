//! Names and comments.

/// The columns of generated files.
const WIDTH: usize = 100;

/// Returns `MOVE_UP`, `move_up` and `MoveUp` as `MoveUp`.
pub(super) fn pascal(name: &str) -> String {
    let is_upper = !name.contains(char::is_lowercase);
    let mut result = String::new();
    for word in name.split(['_', '-']) {
        let mut letters = word.chars();
        result.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        let rest = letters.as_str();
        result += &if is_upper { rest.to_lowercase() } else { rest.to_owned() };
    }
    result
}

/// Returns `MOVE_UP` and `move_up` as `moveUp`.
pub(super) fn camel(name: &str) -> String {
    let name = pascal(name);
    name[..1].to_lowercase() + &name[1..]
}

/// Returns `moveUp`, `move-up` and `MOVE_UP` as `MOVE_UP`.
pub(super) fn upper(name: &str) -> String {
    let is_upper = !name.contains(char::is_lowercase);
    let mut result = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !is_upper && !result.is_empty() {
            result.push('_');
        }
        result.push(if letter == '-' { '_' } else { letter.to_ascii_uppercase() });
    }
    result
}

/// Returns a text as a sentence: with a capital letter and a full stop.
pub(super) fn sentence(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut letters = text.chars();
    let Some(first) = letters.next() else { return text };
    let end = if text.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{}{}{end}", first.to_uppercase(), letters.as_str())
}

/// Returns a sentence that may follow a colon.
pub(super) fn lowered(sentence: &str) -> String {
    let mut letters = sentence.chars();
    let first = letters.next();
    let is_word = !letters.as_str().starts_with(char::is_uppercase);
    match first {
        Some(first) if is_word => first.to_lowercase().chain(letters).collect(),
        _ => sentence.to_owned(),
    }
}

/// Returns the lines of a comment, each with what begins it.
pub(super) fn comment(start: &str, text: &str) -> String {
    wrapped(start, text).iter().map(|line| format!("{line}\n")).collect()
}

/// Returns a comment in `/**` and `*/`.
pub(super) fn block(indent: &str, text: &str) -> String {
    let text = text.replace("*/", "* /");
    let line = format!("{indent}/** {text} */");
    if text.is_empty() {
        String::new()
    } else if line.chars().count() <= WIDTH && !text.contains('\n') {
        line + "\n"
    } else {
        let start = format!("{indent} * ");
        let lines: String = text
            .lines()
            .map(|part| match part.is_empty() {
                true => format!("{indent} *\n"),
                false => comment(&start, part),
            })
            .collect();
        format!("{indent}/**\n{lines}{indent} */\n")
    }
}

/// Returns a text for documentation in markup, with these tags where Markdown has backticks.
pub(super) fn markup(doc: &str, open: &str, close: &str) -> String {
    let doc = doc.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let mut tags = [open, close].into_iter().cycle();
    let mut parts = doc.split('`');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        text.extend(tags.next());
        text += part;
    }
    text
}

/// Breaks a text between words.
pub(super) fn wrapped(start: &str, text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if fits(&format!("{line} {word}")) => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(format!("{start}{word}")),
        }
    }
    lines
}

/// Returns whether a line is short enough.
pub(super) fn fits(line: &str) -> bool {
    line.chars().count() <= WIDTH
}
