//! `agon help plan`: the format of a tournament's plan, from its page in `docs/`.

use crate::output::wrapped;

/// The page on tournaments.
const PAGE: &str = include_str!("../../../../docs/tournaments.md");

/// The sections that describe plans.
const SECTIONS: [&str; 2] = ["The plan", "Formats"];

/// The width of lines.
const WIDTH: usize = 96;

/// Returns the format of a plan as plain text.
pub(super) fn plan_text() -> String {
    let mut text = String::new();
    for name in SECTIONS {
        let section = section(PAGE, name).expect("a test looks for the sections");
        text += &format!("{name}\n\n{}\n", plain(section));
    }
    text + "`agon tournament FILE.toml` plays a plan. In Agon's source and packages,\n\
        docs/tournaments.md says more, and examples/tournaments has plans to begin with.\n"
}

/// Returns what stands between a heading and the next one.
fn section<'p>(page: &'p str, name: &str) -> Option<&'p str> {
    let start = page.find(&format!("\n## {name}\n"))?;
    let rest = page[start + 1..].split_once('\n')?.1;
    Some(rest.split("\n## ").next().unwrap_or(rest).split("\n### ").next().unwrap_or(rest).trim())
}

/// Returns Markdown without its marks, in lines that fit a terminal.
fn plain(markdown: &str) -> String {
    let mut text = String::new();
    let mut is_code = false;
    let mut heads = Vec::new();
    let mut lines = markdown.lines().peekable();
    while let Some(line) = lines.next() {
        if line.starts_with("```") {
            is_code = !is_code;
        } else if is_code {
            text += &format!("  {line}\n").replace("  \n", "\n");
        } else if line.starts_with('|') {
            // The line below the names of columns has no text.
            match lines.next_if(|next| next.starts_with("| ---")) {
                Some(_) => heads = cells(line),
                None => text += &row(line, &heads),
            }
        } else {
            for line in wrapped(&unmarked(line), WIDTH) {
                text += &format!("{line}\n");
            }
            if line.is_empty() {
                text += "\n";
            }
        }
    }
    text
}

/// Returns the texts of a row of a table.
fn cells(line: &str) -> Vec<String> {
    line.trim().trim_matches('|').split(" | ").map(|cell| unmarked(cell.trim())).collect()
}

/// Returns a row of a table: its first column, and the others below it.
///
/// The second column explains the first one; the names of later ones stand before their texts.
fn row(line: &str, heads: &[String]) -> String {
    let mut text = String::new();
    for (at, cell) in cells(line).into_iter().enumerate().filter(|(_, cell)| !cell.is_empty()) {
        let told = match (at, heads.get(at)) {
            (0, _) => {
                text += &format!("  {cell}\n");
                continue;
            }
            (1, _) | (_, None) => cell,
            (_, Some(head)) => format!("{head}: {cell}"),
        };
        for line in wrapped(&told, WIDTH - 6) {
            text += &format!("      {line}\n");
        }
    }
    text
}

/// Returns a text without emphasis, marks of code and addresses of links.
fn unmarked(text: &str) -> String {
    let text = text.replace("**", "").replace('`', "");
    let mut plain = String::new();
    let mut rest = text.as_str();
    while let Some((before, after)) = rest.split_once("](") {
        let Some((name_start, (_, behind))) = before.rfind('[').zip(after.split_once(')')) else {
            break;
        };
        plain += &before[..name_start];
        plain += &before[name_start + 1..];
        rest = behind;
    }
    plain + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_format_of_plans_is_all_there() {
        let text = plan_text();
        for part in ["game = \"cluster\"", "\n  mirrored\n", "\n  [sandbox]\n", "\n  swiss\n"] {
            assert!(text.contains(part), "{part} is missing: {text}");
        }
        for mark in ["](", "**", "```", "| "] {
            assert!(!text.contains(mark), "{mark} is left: {text}");
        }
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    }

    #[test]
    fn marks_go_and_texts_stay() {
        assert_eq!(unmarked("a **b** [c d](e#f) `g` [h"), "a b c d g [h");
        assert_eq!(unmarked("[a](b"), "[a](b");
        let table = "| key | what | else |\n| --- | --- | --- |\n| `a` | x or y | 3 |\n\
                     | `b` | z | |\n\nend";
        let told = "  a\n      x or y\n      else: 3\n  b\n      z\n\nend\n";
        assert_eq!(plain(table), told);
        assert_eq!(section("# A\n\n## B\n\ntext\n\n## C\n", "B"), Some("text"));
        assert_eq!(section("# A\n", "B"), None);
    }
}
