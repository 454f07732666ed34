//! Tests of modules that answer whole batches, in several games.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

use crate::common::{Workshop, clang, fixture, options, spec};
use agon_bots::{HostOptions, HostedGame, open};
use agon_core::{Fault, Seed};
use agon_games::rezzo::{self, Rezzo};
use agon_match::{Match, MatchOptions};

/// Returns the final state of a match, and its faults.
fn play<G: HostedGame>(
    bots: [&str; 2],
    rules: &G::Rules,
    steps: u64,
    options: &HostOptions,
) -> (u64, Vec<Fault>) {
    let seats =
        bots.map(|text| (spec(text).info().unwrap(), open::<G>(&spec(text), options).unwrap()));
    let limits = MatchOptions { max_steps: Some(steps), ..MatchOptions::default() };
    let game = G::new(rules, 2, Seed(4)).unwrap();
    let result = Match::new(game, seats.into(), limits).unwrap().run(&mut ());
    let result = result.unwrap().result;
    assert!(result.steps >= steps / 2, "{} steps", result.steps);
    (result.state_hash, result.faults)
}

#[test]
fn assemblyscript_plays_rezzo() {
    let module = fixture("prowler.wasm");
    let run =
        |other: &str| play::<Rezzo>([&module, other], &rezzo::Rules::default(), 300, &options());
    let (state, faults) = run("builtin:wanderer");
    assert!(faults.iter().all(|fault| fault.kind == agon_core::FaultKind::Illegal), "{faults:#?}");
    assert_eq!((state, faults), run("builtin:wanderer"));
    assert_ne!(state, run(&module).0);
}

#[test]
fn c_plays_games_without_functions_of_their_own() {
    if clang().is_none() {
        return;
    }
    let workshop = Workshop::new();
    let source = "#include \"agon/rezzo.h\"\nuint32_t agon_abi(void) { return AGON_ABI; \
        }\nuint32_t agon_decide(const void *question, uint32_t length, void *answers, uint32_t \
        room) {\nconst rezzo_question *seen = rezzo_question_at(question, 0);\nrezzo_answer \
        *answer = answers;\nanswer->action = seen->cells[11][6] == REZZO_BLANK ? REZZO_ADVANCE : \
        REZZO_LEFT;\nreturn sizeof *answer; }";
    let bot = workshop.file("bot.c", source);
    let options = HostOptions { c_as_wasm: true, ..workshop.options() };
    let (_, faults) =
        play::<Rezzo>([&bot, "builtin:wanderer"], &rezzo::Rules::default(), 300, &options);
    assert_eq!(faults, []);

    let nothing = workshop.file("nothing.c", "int x;");
    let error = open::<Rezzo>(&spec(&nothing), &options).err().unwrap().to_string();
    assert!(
        error.ends_with("nothing.c` cannot be loaded: it exports no function `agon_abi`"),
        "{error}"
    );
}
