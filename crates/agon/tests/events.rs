//! Each line that `agon --json` prints is as `docs/schemas/events.schema.json` says.

use std::{collections::BTreeSet, fs};

use jsonschema::Validator;
use serde_json::{Value, json};

use crate::support::{TestDir, root};

/// Kinds of events that no command below prints, and why.
const NOT_TRIED: &[(&str, &str)] =
    &[("void", "the machine has to stand still; agon-contest validates one")];

/// Commands with their exit codes, in order: later ones read files of earlier ones.
const COMMANDS: &[(i32, &str)] = &[
    (0, "games"),
    (0, "bots"),
    (0, "new --list"),
    (0, "new cluster c my_bot"),
    (0, "play cluster FAILING builtin:random --set side=5 --replay fault.agon --gif fault.gif"),
    (0, "play cluster builtin:greedy builtin:random --seed 3 --set side=5 --replay m.agon"),
    (0, "play cluster --preset short --seed 3"),
    (0, "replay info fault.agon"),
    (0, "replay info fault.agon --bot fox"),
    (0, "replay info m.agon --bot greedy"),
    (0, "replay export m.agon --png pictures --to 2"),
    (0, "replay verify m.agon"),
    (0, "replay ask m.agon --step 2 --bot builtin:greedy"),
    (0, "replay ask m.agon --step 2 --bot builtin:greedy --against builtin:random"),
    (1, "replay ask m.agon --step 2 --bot FAILING"),
    (0, "compare builtin:searcher?width=8 builtin:random --game cluster --set side=5"),
    (1, "compare builtin:random builtin:greedy --normalized --game cluster --set side=5 --max 4"),
    (1, "compare FAILING builtin:random --game cluster --set side=5 --max 4"),
    (
        1,
        "compare builtin:random builtin:random --game cluster --set side=5 --max 4 \
         --against builtin:greedy --replays replays --out results",
    ),
    (
        0,
        "tune --game amoebas builtin:mindless-divider --set world_size=16 --set rounds=60 \
         --param probability=0..40 --start probability=1 --matches 20 --out tuned",
    ),
    (
        0,
        "tune --game amoebas builtin:mindless-divider --set world_size=16 --set rounds=60 \
         --param probability=0..40 --start probability=1 --matches 20 --out others \
         --against builtin:mindless-divider",
    ),
    (0, "check cluster builtin:greedy --games 1 --set side=5"),
    (1, "check cluster FAILING --games 1 --set side=5"),
    (1, "check cluster ./no-such-bot"),
    (0, "game check cluster --rounds 10"),
];

/// A bot that fails at once.
const FAILING: &str = "\"fox=sh -c 'exit 1'\"";

/// A kind of event with the form of its data; some kinds have several.
struct Form {
    name: String,
    validator: Validator,
}

fn schema() -> Value {
    let path = root().join("docs/schemas/events.schema.json");
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// The forms of the schema, which accept no other keys than those that it names.
fn forms() -> Vec<Form> {
    let mut schema = schema();
    close(&mut schema);
    let mut forms = Vec::new();
    for event in schema["oneOf"].as_array().unwrap() {
        let properties = &event["properties"];
        let kind = properties["type"]["const"].as_str().unwrap();
        let data = name_of(&properties["data"]);
        let names: Vec<&str> = match schema["$defs"][data]["anyOf"].as_array() {
            Some(several) => several.iter().map(name_of).collect(),
            None => vec![data],
        };
        for name in &names {
            let one = json!({
                "type": "object", "required": ["type", "data"], "additionalProperties": false,
                "properties": {
                    "type": { "const": kind }, "data": { "$ref": format!("#/$defs/{name}") }
                },
                "$defs": schema["$defs"]
            });
            let several = if names.len() > 1 { format!(" {name}") } else { String::new() };
            forms.push(Form {
                name: format!("{kind}{several}"),
                validator: jsonschema::validator_for(&one).unwrap(),
            });
        }
    }
    forms
}

/// The definition that a schema refers to.
fn name_of(schema: &Value) -> &str {
    schema["$ref"].as_str().unwrap().strip_prefix("#/$defs/").unwrap()
}

/// Forbids keys that the schema does not name. It allows them, as later versions may have more.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(keys) => {
            keys.values_mut().for_each(close);
            if keys.get("properties").is_some_and(Value::is_object) && keys.contains_key("required")
            {
                keys.insert("additionalProperties".to_owned(), false.into());
            }
        }
        Value::Array(all) => all.iter_mut().for_each(close),
        _ => {}
    }
}

#[test]
fn lines_of_all_commands_are_as_the_schema_says() {
    let dir = TestDir::new();
    let whole = jsonschema::validator_for(&schema()).unwrap();
    let forms = forms();
    let mut seen = BTreeSet::new();
    // The machine may lack a part of the sandbox.
    let doctor = [(None, "doctor")].into_iter();
    let others = COMMANDS.iter().map(|&(code, command)| (Some(code), command));
    for (code, command) in doctor.chain(others) {
        let done = dir.run(&format!("{} --json", command.replace("FAILING", FAILING)));
        assert!(code.is_none() || done.code == code, "{command}: {}", done.all());
        assert!(!done.out.is_empty(), "{command}: {}", done.err);
        for line in done.lines() {
            let problems: Vec<String> =
                whole.iter_errors(&line).map(|problem| problem.to_string()).collect();
            assert!(problems.is_empty(), "{command}: {problems:?} in {line}");
            let own: Vec<&str> = forms
                .iter()
                .filter(|form| form.validator.is_valid(&line))
                .map(|form| form.name.as_str())
                .collect();
            assert_eq!(own.len(), 1, "{command}: {own:?} describe {line}");
            seen.insert(own[0].to_owned());
        }
    }
    let not_tried: BTreeSet<String> =
        NOT_TRIED.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(seen.intersection(&not_tried).next(), None, "it is tried");
    let all: BTreeSet<String> = forms.into_iter().map(|form| form.name).collect();
    assert_eq!(&seen | &not_tried, all);
}
