//! Checks a bot's replies in a recorded conversation: `replies GAME ARENA.jsonl`, with the bot's
//! lines on standard input. There must be one line for each question, with its step and as many
//! answers as decisions, and the game must accept them. The checks of the starter kits run it.

use std::io::{self, BufRead, BufReader};
use std::{env, error::Error, fs::File};

use agon_games::{GameId, jsonl::JsonGame, jsonl::message::Answers, with_game};
use serde::Deserialize;
use serde_json::Value;

type Failure = Box<dyn Error>;

/// What the check wants to know of a message of the arena.
#[derive(Deserialize)]
struct Message {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    step: u64,
    #[serde(default)]
    decisions: Vec<Value>,
}

fn main() -> Result<(), Failure> {
    let args: Vec<String> = env::args().skip(1).collect();
    let [game, arena] = args.as_slice() else {
        return Err("usage: replies GAME ARENA.jsonl < BOT.jsonl".into());
    };
    let game: GameId = game.parse()?;
    let mut questions = Vec::new();
    for line in BufReader::new(File::open(arena)?).lines() {
        let message: Message = serde_json::from_str(&line?)?;
        if message.kind == "decide" {
            questions.push(message);
        }
    }
    let replies = io::stdin().lines().collect::<Result<Vec<_>, _>>()?;
    if replies.len() != questions.len() {
        return Err(format!("{} lines for {} questions", replies.len(), questions.len()).into());
    }
    for (number, (question, reply)) in questions.iter().zip(&replies).enumerate() {
        let checked = with_game!(game, G => check::<G>(question, reply));
        checked.map_err(|error| format!("line {}: {error}\n{reply}", number + 1))?;
    }
    Ok(())
}

fn check<G: JsonGame>(question: &Message, reply: &str) -> Result<(), Failure> {
    let Answers::<G::Reply> { step, answers } = serde_json::from_str(reply)?;
    if step != question.step {
        return Err(format!("the step is {step}, but {} was asked", question.step).into());
    }
    if answers.len() != question.decisions.len() {
        return Err(
            format!("{} answers to {} decisions", answers.len(), question.decisions.len()).into()
        );
    }
    // What no answer can be made of is an answer that breaks the rules; it comes back different.
    for reply in answers {
        let written = serde_json::to_value(&reply)?;
        let accepted =
            G::reply_for(G::answer_from(reply)).ok_or("the game accepts no such reply")?;
        if serde_json::to_value(&accepted)? != written {
            return Err(format!("the game takes {written} for something else").into());
        }
    }
    Ok(())
}
