//! Recorded conversations of a match in the JSON Lines protocol, with which authors test bots.

use agon_core::{GameExt, Player, Purpose, Seed};

use super::JsonGame;
use super::message::{Answers, Decide, End, Start, line};
use crate::Presets;

/// Who says a [`Line`].
pub const ARENA: &str = "arena";

/// Who says a [`Line`].
pub const BOT: &str = "bot";

/// The steps after which a conversation ends, even if the game goes on.
const MAX_STEPS: u64 = 1000;

/// A line of a conversation.
#[derive(Clone, Debug)]
pub struct Line {
    /// [`ARENA`] or [`BOT`].
    pub from: &'static str,
    /// The message, with its line break.
    pub text: String,
}

/// Returns what the arena and the bot say in a tiny match.
pub fn tiny<G: JsonGame + Presets>() -> [(&'static str, String); 2] {
    let rules: G::Rules = serde_json::from_str(G::TINY).expect("tests read these settings");
    let players = 2.clamp(G::META.min_players, G::META.max_players);
    let game = G::new(&rules, players, Seed::plain(3)).expect("tests play with these settings");
    of(game)
}

/// Returns what the arena and the bot say in a match.
pub fn of<G: JsonGame>(game: G) -> [(&'static str, String); 2] {
    by_speaker(&record(game, 1))
}

/// Returns the lines of each speaker.
pub fn by_speaker(talk: &[Line]) -> [(&'static str, String); 2] {
    [ARENA, BOT].map(|who| {
        let own = talk.iter().filter(|line| line.from == who);
        (who, own.map(|line| line.text.as_str()).collect())
    })
}

/// Plays a match, and returns what is said between the arena and player 0. All players do something
/// allowed, drawn by chance.
///
/// # Panics
/// If an answer that bots can give cannot be written.
pub fn record<G: JsonGame>(mut game: G, script: u64) -> Vec<Line> {
    let names: Vec<String> = (0..game.players())
        .map(|player| match player {
            0 => "rosa".to_owned(),
            1 => "emil".to_owned(),
            more => format!("bot {more}"),
        })
        .collect();
    let said =
        |from, line: Vec<u8>| Line { from, text: String::from_utf8(line).expect("JSON is UTF-8") };
    let mut talk = vec![said(ARENA, line(&Start::new(&game, Player(0), &names)))];
    for step in 0..MAX_STEPS {
        let asked: Vec<_> =
            game.decisions().iter().copied().filter(|d| d.player == Player(0)).collect();
        let answers = allowed_answers(&game, script, step);
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
