//! Completes the page of a game: a match that plays in the page, and first bots.

use anyhow::{Context, Result, bail};

use crate::{agon::Agon, files, markdown};

/// A language of the first bots.
struct Language {
    /// Its name for `agon new`.
    id: &'static str,
    title: &'static str,
    /// Its name for the highlighter.
    fence: &'static str,
    /// The file that authors change.
    file: &'static str,
}

const LANGUAGES: [Language; 5] = [
    Language { id: "python", title: "Python", fence: "python", file: "bot.py" },
    Language { id: "c", title: "C", fence: "c", file: "bot.c" },
    Language { id: "rust", title: "Rust", fence: "rust,ignore", file: "src/lib.rs" },
    Language { id: "javascript", title: "JavaScript", fence: "javascript", file: "bot.js" },
    Language { id: "java", title: "Java", fence: "java", file: "Bot.java" },
];

/// Adds the match before the first section, and the bots at the end.
pub(crate) fn complete(text: &str, game: &str, seed: u32, agon: &Agon) -> Result<String> {
    let (intro, rest) = text.split_at(markdown::first_section(text));
    let played = played(game, seed);
    let bots = bots(game, agon)?;
    Ok(format!("{}\n\n{played}\n{}\n\n{bots}", intro.trim_end(), rest.trim_end()))
}

fn played(game: &str, seed: u32) -> String {
    let viewer = format!("../viewer/index.html?replay=replays/{game}.agon");
    format!(
        "## A match to watch

<iframe class=\"match\" title=\"A recorded match of {game}\" src=\"{viewer}\"></iframe>

Built-in bots played this match with the preset `default`. Space plays and pauses, the arrow keys
step, `?` lists all keys. You can also [watch it on a page of its own]({viewer}), or
[download the replay](../viewer/replays/{game}.agon). This command plays the same match:

```sh
agon play {game} --seed {seed} --replay {game}.agon
```

**Is the frame empty?** Browsers load no viewer for a page that you opened as a file. Run
`python3 -m http.server 8000` in the folder of this site, and open
`http://localhost:8000/games/{game}.html`.
"
    )
}

fn bots(game: &str, agon: &Agon) -> Result<String> {
    let scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
    let mut page = format!(
        "## A first bot

`agon new {game} LANGUAGE` writes a bot that makes random legal moves. This is the file that you
change; the other files of the folder speak with Agon. `agon new --list` shows all languages.

<div class=\"tabs\">
"
    );
    for language in &LANGUAGES {
        let folder = scratch.path().join(language.id);
        agon.new_bot(game, language.id, &folder)?;
        let code = files::read(&folder.join(language.file))?;
        page.push_str(&tab(game, language, &code)?);
    }
    page.push_str("\n</div>\n");
    Ok(page)
}

fn tab(game: &str, language: &Language, code: &str) -> Result<String> {
    if code.contains("\n```") {
        bail!("the first bot in {} for {game} has a code fence in it", language.title);
    }
    let Language { id, title, fence, file } = language;
    Ok(format!(
        "\n<section data-title=\"{title}\">\n\n### {title}\n\n`agon new {game} {id}` writes \
         `{file}`:\n\n```{fence}\n{}\n```\n\n</section>\n",
        code.trim_end()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_match_has_a_frame_and_a_way_without_a_server() {
        let text = played("dice", 7);
        assert!(text.contains("src=\"../viewer/index.html?replay=replays/dice.agon\""), "{text}");
        assert!(text.contains("agon play dice --seed 7 --replay dice.agon"), "{text}");
        assert!(text.contains("python3 -m http.server"), "{text}");
    }

    #[test]
    fn a_tab_is_readable_without_a_script() {
        let text = tab("dice", &LANGUAGES[0], "print(1)\n").unwrap();
        assert!(text.contains("\n### Python\n") && text.contains("```python\nprint(1)\n```\n"));
        assert!(tab("dice", &LANGUAGES[0], "\"\"\"\n```\n\"\"\"").is_err());
    }
}
