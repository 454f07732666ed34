//! A line of JSON per batch in both directions.

use agon_core::{Blob, Decision, Game};
use serde::Serialize;
use serde_json::Value;

use crate::amoebas::{Amoebas, Answer, View};

/// The question to one species.
#[derive(Debug, Serialize)]
struct Question<'a> {
    view_distance: i32,
    species: u16,
    amoebas: Vec<Amoeba<'a>>,
}

#[derive(Debug, Serialize)]
struct Amoeba<'a> {
    energy: u32,
    health: u32,
    data: Option<&'a Blob>,
    function: Option<&'a Blob>,
    fuel: Vec<u32>,
    others: Vec<Other<'a>>,
}

#[derive(Debug, Serialize)]
struct Other<'a> {
    dx: i32,
    dy: i32,
    species: u16,
    energy: u32,
    health: u32,
    data: Option<&'a Blob>,
}

/// The question about `decisions`, which belong to one player, as a line without its end.
///
/// # Panics
/// If `decisions` is empty or one of them is not wanted now.
pub fn question(game: &Amoebas, decisions: &[Decision]) -> String {
    let views = decisions.iter().map(|&decision| game.view(decision));
    let question = Question {
        view_distance: game.rules().view_distance as i32,
        species: decisions[0].player.0,
        amoebas: views.map(|view| amoeba(&view)).collect(),
    };
    serde_json::to_string(&question).expect("numbers and strings are always JSON")
}

fn amoeba<'a>(view: &View<'a>) -> Amoeba<'a> {
    let reach = view.view_distance();
    let window = || (-reach..=reach).flat_map(|dy| (-reach..=reach).map(move |dx| (dx, dy)));
    let others = window().filter(|&at| at != (0, 0)).filter_map(|(dx, dy)| {
        let other = view.cell(dx, dy)?.occupant()?;
        Some(Other {
            dx,
            dy,
            species: other.species().0,
            energy: other.energy(),
            health: other.health(),
            data: other.data(),
        })
    });
    Amoeba {
        energy: view.energy(),
        health: view.health(),
        data: view.data(),
        function: view.function(),
        fuel: window().filter_map(|(dx, dy)| view.cell(dx, dy)).map(|cell| cell.fuel()).collect(),
        others: others.collect(),
    }
}

/// The answers in a line: an array with one answer per amoeba, in the order of the question.
///
/// An element that is no answer is an error of that amoeba alone.
///
/// # Errors
/// If the line is not such an array of `count` elements.
pub fn answers(line: &str, count: usize) -> Result<Vec<Result<Answer, String>>, String> {
    let values: Vec<Value> = serde_json::from_str(line)
        .map_err(|error| format!("expected a JSON array of {count} answers in one line: {error}"))?;
    if values.len() != count {
        return Err(format!("expected {count} answers, one per amoeba, but got {}", values.len()));
    }
    Ok(values.into_iter().map(answer).collect())
}

/// A single answer.
///
/// # Errors
/// If it is none; the text says what was wrong.
pub fn answer(value: Value) -> Result<Answer, String> {
    serde_json::from_value(value).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use agon_core::Seed;
    use proptest::prelude::*;

    use super::*;
    use crate::amoebas::{Dir, Rules};

    #[test]
    fn the_question_of_the_page() {
        let rules = Rules { world_size: 9, view_distance: 1, ..Rules::default() };
        let position = r#"{"players":2,"amoebas":[
            {"x":0,"y":0,"species":1,"energy":57,"health":10,"data":"scout"},
            {"x":8,"y":0,"species":0,"energy":3,"health":6,"data":"home","acted":true}]}"#;
        let game = Amoebas::from_position(&rules, Seed(1), serde_json::from_str(position).unwrap()).unwrap();
        assert_eq!(
            question(&game, game.decisions()),
            r#"{"view_distance":1,"species":1,"amoebas":[{"energy":57,"health":10,"data":"scout","function":null,"#
                .to_owned()
                + r#""fuel":[100,100,100,100,100,100,100,100,100],"#
                + r#""others":[{"dx":-1,"dy":0,"species":0,"energy":3,"health":6,"data":"home"}]}]}"#
        );
    }

    #[test]
    fn a_bad_answer_costs_one_amoeba_and_a_bad_line_all() {
        let line = r#"[{"cmd":"move","dir":3},{"cmd":"hit","dir":9},{"cmd":"sleep"}]"#;
        let read = answers(line, 3).unwrap();
        assert_eq!(read[0], Ok(Answer::step(Dir::E)));
        assert!(read[1].as_ref().unwrap_err().contains("direction 9"));
        assert!(read[2].as_ref().unwrap_err().contains("unknown variant `sleep`"));
        assert_eq!(answers(line, 2).unwrap_err(), "expected 2 answers, one per amoeba, but got 3");
        assert!(answers("rest", 1).unwrap_err().starts_with("expected a JSON array of 1 answers"));
    }

    proptest! {
        #[test]
        fn any_line_is_read_or_refused(line: String) {
            let _ = answers(&line, 1);
        }
    }
}
