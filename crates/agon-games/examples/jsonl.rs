//! Writes the generated files of the JSON Lines protocol: JSON Schemas, recorded conversations, and
//! the transcripts in `docs/protocol.md`. `cargo xtask generate` runs it.

use std::{fs, io, path::PathBuf};

use agon_core::Seed;
use agon_games::jsonl::conversation::Line;
use agon_games::jsonl::{JsonGame, conversation, schema};
use agon_games::{GameId, Presets, Sample, with_game};

fn main() -> io::Result<()> {
    for (path, content) in files()? {
        let path = root().join(path);
        fs::create_dir_all(path.parent().expect("files lie in folders"))?;
        fs::write(path, content)?;
    }
    Ok(())
}

/// The project's folder.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All generated files: paths from the project's folder, and contents.
pub fn files() -> io::Result<Vec<(String, String)>> {
    let mut page = fs::read_to_string(root().join(PAGE))?;
    let mut files = Vec::new();
    for id in GameId::OWN {
        let Some(sample) = with_game!(id, G => G::SAMPLE) else { continue };
        let (schema, talk) = with_game!(id, G => (schema::<G>(), converse::<G>(sample)));
        files.push((
            format!("docs/schemas/{id}.schema.json"),
            serde_json::to_string_pretty(&schema)? + "\n",
        ));
        for (who, text) in conversation::by_speaker(&talk) {
            files.push((format!("starter-kits/golden/{id}.{who}.jsonl"), text));
        }
        page = with_transcript(&page, id, &talk).map_err(io::Error::other)?;
    }
    files.push((PAGE.to_owned(), page));
    Ok(files)
}

const PAGE: &str = "docs/protocol.md";
/// What is said in a sample between the arena and player 0.
fn converse<G: JsonGame>(sample: Sample) -> Vec<Line> {
    // Conversations stay as they were recorded.
    let seed = Seed::plain(3);
    let rules: G::Rules = serde_json::from_str(sample.rules).expect("samples have sound settings");
    let game = match sample.position {
        None => G::new(&rules, 2, seed),
        Some(text) => G::from_position(
            &rules,
            seed,
            serde_json::from_str(text).expect("samples have sound positions"),
        ),
    }
    .expect("samples are matches");
    conversation::record(game, sample.script)
}

/// The page with the game's transcript between its two marks.
fn with_transcript(page: &str, id: GameId, talk: &[Line]) -> Result<String, String> {
    let (begin, end) = (format!("<!-- {id}: begin -->\n"), format!("<!-- {id}: end -->\n"));
    let missing = |mark: &str| format!("{PAGE} lacks the line {}", mark.trim());
    let (before, rest) = page.split_once(&begin).ok_or_else(|| missing(&begin))?;
    let (_, after) = rest.split_once(&end).ok_or_else(|| missing(&end))?;
    let lines = talk.iter().map(|line| {
        let mark = if line.from == conversation::BOT { "> " } else { "" };
        format!("{mark}{}", line.text)
    });
    Ok(format!("{before}{begin}```text\n{}```\n{end}{after}", lines.collect::<String>()))
}
