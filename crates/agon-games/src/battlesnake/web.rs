//! The official API, as web servers speak it: what they are sent, and what they answer.

use std::{borrow::Cow, time::Duration};

use agon_core::{Game as _, Player, text::name::cut};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::view::SeenSnake;
use super::{Answer, Battlesnake, Point, View};

/// The most bytes of an error that are quoted.
const QUOTED: usize = 200;

/// What the official API tells of a match besides its state.
#[derive(Clone, Debug)]
pub struct WebMatch {
    /// Its name, the same for all its snakes.
    pub id: String,
    /// The names of the snakes.
    pub names: Vec<String>,
    /// The time for an answer.
    pub timeout: Duration,
}

#[derive(Serialize)]
struct Body<'a> {
    game: Value,
    turn: u64,
    board: WebBoard<'a>,
    you: WebSnake<'a>,
}

#[derive(Serialize)]
struct WebBoard<'a> {
    height: u32,
    width: u32,
    food: &'a [Point],
    hazards: &'a [Point],
    snakes: Vec<WebSnake<'a>>,
}

#[derive(Serialize)]
struct WebSnake<'a> {
    #[serde(flatten)]
    seen: &'a SeenSnake,
    /// Milliseconds, as text.
    latency: String,
    /// Always empty: snakes tell each other nothing outside of the game.
    shout: &'static str,
    squad: &'static str,
    customizations: Value,
}

impl WebMatch {
    /// Returns the body of a request about a state, for the server of a player, whose last answer
    /// took this long.
    pub fn body(&self, game: &Battlesnake, player: Player, latency: Duration) -> Vec<u8> {
        let mut view = View::new(game.state(), game.rules(), player);
        for snake in view.board.snakes.iter_mut().chain([&mut view.you]) {
            let name = snake.id.parse().ok().and_then(|number: usize| self.names.get(number));
            snake.name.clone_from(name.unwrap_or(&snake.id));
        }

        let ruleset = &view.game.ruleset;
        let mut settings = json!(ruleset.settings);
        // Of a game mode that is no longer played. Servers in some languages want it.
        settings["squad"] = json!({
            "allowBodyCollisions": false,
            "sharedElimination": false,
            "sharedHealth": false,
            "sharedLength": false,
        });
        let snake = |seen| WebSnake {
            seen,
            latency: if seen.id == view.you.id { millis(latency) } else { 0 }.to_string(),
            shout: "",
            squad: "",
            customizations: json!({"color": "#888888", "head": "default", "tail": "default"}),
        };
        let body = Body {
            game: json!({
                "id": self.id,
                "ruleset": {"name": ruleset.name, "version": "v1.0.0", "settings": settings},
                "map": view.game.map,
                "timeout": millis(self.timeout),
                "source": "custom",
            }),
            turn: view.turn,
            board: WebBoard {
                height: view.board.height,
                width: view.board.width,
                food: &view.board.food,
                hazards: &view.board.hazards,
                snakes: view.board.snakes.iter().map(snake).collect(),
            },
            you: snake(&view.you),
        };
        serde_json::to_vec(&body).expect("plain data is JSON")
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// The parts of answers that count.
#[derive(Deserialize)]
struct Reply<'a> {
    #[serde(borrow, default)]
    apiversion: Cow<'a, str>,
    #[serde(borrow, default, rename = "move")]
    direction: Cow<'a, str>,
}

impl Reply<'_> {
    fn read(body: &[u8]) -> Result<Reply<'_>, String> {
        // Otherwise a list of the values in order would pass for an object.
        if body.trim_ascii_start().first() != Some(&b'{') {
            return Err("it is no JSON object".to_owned());
        }
        serde_json::from_slice(body).map_err(|error| cut(&error.to_string(), QUOTED).to_owned())
    }
}

/// Checks the answer to `GET /`.
pub fn check_index(body: &[u8]) -> Result<(), String> {
    let why = match Reply::read(body) {
        Ok(reply) if reply.apiversion == "1" => return Ok(()),
        Ok(reply) => format!("`{}` is another version", cut(&reply.apiversion, QUOTED)),
        Err(error) => error,
    };
    Err(format!("`GET /` has to answer `{{\"apiversion\": \"1\"}}`: {why}"))
}

/// Reads the answer to `POST /move`.
pub fn parse_move(body: &[u8]) -> Result<Answer, String> {
    let why = match Reply::read(body) {
        Ok(reply) => match &*reply.direction {
            "up" => return Ok(Answer::Up),
            "down" => return Ok(Answer::Down),
            "left" => return Ok(Answer::Left),
            "right" => return Ok(Answer::Right),
            other => format!("`{}` is no direction", cut(other, QUOTED)),
        },
        Err(error) => error,
    };
    Err(format!("`POST /move` has to answer `{{\"move\": \"up\"}}`: {why}"))
}

#[cfg(test)]
mod tests {
    use agon_core::Seed;

    use super::super::Rules;
    use super::*;

    #[test]
    fn bodies_have_all_fields_of_the_official_api() {
        let game = Battlesnake::new(&Rules::default(), 2, Seed(1)).unwrap();
        let names = vec!["rosa".to_owned(), "tom".to_owned()];
        let web = WebMatch { id: "x".to_owned(), names, timeout: Duration::from_millis(500) };
        let body = web.body(&game, Player(1), Duration::from_micros(7_900));
        let body: Value = serde_json::from_slice(&body).unwrap();
        let snake = |number: usize, latency: &str| {
            let head = json!(game.state().snakes[number].head());
            json!({
                "id": number.to_string(), "name": web.names[number], "health": 100,
                "body": [head, head, head], "head": head, "length": 3, "latency": latency,
                "shout": "", "squad": "",
                "customizations": {"color": "#888888", "head": "default", "tail": "default"},
            })
        };
        assert_eq!((&body["turn"], &body["you"]), (&json!(0), &snake(1, "7")));
        assert_eq!(body["board"]["snakes"], json!([snake(0, "0"), snake(1, "7")]));
        assert_eq!((&body["board"]["width"], &body["game"]["timeout"]), (&json!(11), &json!(500)));
        let ruleset = &body["game"]["ruleset"];
        assert_eq!((&ruleset["name"], &body["game"]["id"]), (&json!("standard"), &json!("x")));
        assert_eq!(ruleset["settings"]["royale"]["shrinkEveryNTurns"], 25);
    }

    #[test]
    fn answers_are_directions_and_all_else_is_an_error() {
        assert_eq!(parse_move(br#"{"move": "left", "shout": "hi"}"#), Ok(Answer::Left));
        for bad in ["", "{}", "\"up\"", r#"{"move": "UP"}"#, r#"{"move": 1}"#] {
            assert!(parse_move(bad.as_bytes()).unwrap_err().contains("POST /move"), "{bad}");
        }
        for bad in [r#"{"move": "up"} x"#, r#"{"move": "up", "move": "up"}"#, "[\"1\", \"up\"]"] {
            assert!(parse_move(bad.as_bytes()).is_err(), "{bad}");
        }
        let long = format!(r#"{{"move": "{}"}}"#, "\u{e4}".repeat(9_000));
        assert!(parse_move(long.as_bytes()).unwrap_err().len() < 300);
        assert_eq!(check_index(br##"{"apiversion": "1", "color": "#123456", "x": [1]}"##), Ok(()));
        for bad in ["", "{}", r#"{"apiversion": "0"}"#, r#"{"apiversion": 1}"#, "<html>"] {
            assert!(check_index(bad.as_bytes()).unwrap_err().contains("GET /"), "{bad}");
        }
    }
}
