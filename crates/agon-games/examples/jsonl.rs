//! Writes the generated files of the JSON Lines protocol: JSON Schemas, recorded conversations, and
//! the transcripts in `docs/protocol.md`. `cargo xtask generate` runs it.

use std::{fs, io, path::PathBuf};

use agon_core::{GameExt, Player, Purpose, Seed};
use agon_games::{
    GameId, Presets, Sample,
    jsonl::{
        JsonGame,
        message::{Answers, Decide, End, Start, line},
        schema,
    },
    with_game,
};

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
    for id in GameId::ALL {
        let Some(sample) = with_game!(id, G => G::SAMPLE) else { continue };
        let (schema, talk) = with_game!(id, G => (schema::<G>(), converse::<G>(sample)));
        files.push((
            format!("docs/schemas/{id}.schema.json"),
            serde_json::to_string_pretty(&schema)? + "\n",
        ));
        let said_by =
            |who| talk.iter().filter(move |line| line.from == who).map(|line| line.text.as_str());
        files.push((format!("starter-kits/golden/{id}.arena.jsonl"), said_by(ARENA).collect()));
        files.push((format!("starter-kits/golden/{id}.bot.jsonl"), said_by(BOT).collect()));
        page = with_transcript(&page, id, &talk).map_err(io::Error::other)?;
    }
    files.push((PAGE.to_owned(), page));
    Ok(files)
}

const PAGE: &str = "docs/protocol.md";
const ARENA: &str = "arena";
const BOT: &str = "bot";

struct Line {
    from: &'static str,
    text: String,
}

/// What is said between the arena and player 0; all players do something allowed, drawn by chance.
fn converse<G: JsonGame>(sample: Sample) -> Vec<Line> {
    // Conversations stay as they were recorded.
    let seed = Seed::plain(3);
    let rules: G::Rules = serde_json::from_str(sample.rules).expect("samples have sound settings");
    let mut game = match sample.position {
        None => G::new(&rules, 2, seed),
        Some(text) => G::from_position(
            &rules,
            seed,
            serde_json::from_str(text).expect("samples have sound positions"),
        ),
    }
    .expect("samples are matches");
    let names = ["rosa".to_owned(), "emil".to_owned()];
    let said =
        |from, line: Vec<u8>| Line { from, text: String::from_utf8(line).expect("JSON is UTF-8") };
    let mut talk = vec![said(ARENA, line(&Start::new(&game, Player(0), &names)))];
    for step in 0.. {
        let asked: Vec<_> =
            game.decisions().iter().copied().filter(|d| d.player == Player(0)).collect();
        let answers = allowed_answers(&game, sample.script, step);
        if !asked.is_empty() {
            talk.push(said(ARENA, line(&Decide::new(&game, step, &asked))));
            // Player 0's decisions come first.
            let replies = answers[..asked.len()].iter().cloned();
            let answers =
                replies.map(|answer| G::reply_for(answer).expect("drawn so")).collect::<Vec<_>>();
            talk.push(said(BOT, line(&Answers { step, answers })));
        }
        game.step(&answers);
        if game.is_over() {
            break;
        }
    }
    talk.push(said(ARENA, line(&End { outcome: game.standing().outcome })));
    talk
}

/// Random answers that bots can write and that break no rule.
fn allowed_answers<G: JsonGame>(game: &G, script: u64, step: u64) -> Vec<G::Answer> {
    let mut rng = Seed::plain(script).stream(Purpose::Script, step);
    let mut draw = |&decision| loop {
        let answer = game.random_answer(decision, &mut rng);
        if G::reply_for(answer.clone()).is_some() && game.illegal(decision, &answer).is_none() {
            return answer;
        }
    };
    game.decisions().iter().map(&mut draw).collect()
}

/// The page with the game's transcript between its two marks.
fn with_transcript(page: &str, id: GameId, talk: &[Line]) -> Result<String, String> {
    let (begin, end) = (format!("<!-- {id}: begin -->\n"), format!("<!-- {id}: end -->\n"));
    let missing = |mark: &str| format!("{PAGE} lacks the line {}", mark.trim());
    let (before, rest) = page.split_once(&begin).ok_or_else(|| missing(&begin))?;
    let (_, after) = rest.split_once(&end).ok_or_else(|| missing(&end))?;
    let lines = talk.iter().map(|line| {
        let mark = if line.from == BOT { "> " } else { "" };
        format!("{mark}{}", line.text)
    });
    Ok(format!("{before}{begin}```text\n{}```\n{end}{after}", lines.collect::<String>()))
}
