//! Tests that binfection's example bots play as their page says: a runner overwrites its file with
//! a reply.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::path::{Path, PathBuf};
use std::{fs, process::Command};

use agon_core::{Decision, Game, GameExt, Seed};
use agon_games::binfection::protocol::{empty_blob, parse_reply, write_question};
use agon_games::binfection::{Answer, Binfection, Rules};
use serde_json::Value;

struct Runner {
    program: PathBuf,
    file: PathBuf,
    blob: Value,
}

impl Runner {
    fn new(name: &str) -> Runner {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/bots/binfection");
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("binfection-{name}.json"));
        Runner { program: folder.join(format!("{name}.sh")), file, blob: empty_blob() }
    }

    fn decide(&mut self, game: &Binfection, decision: Decision, names: &[String]) -> Answer {
        let view = game.view(decision);
        fs::write(&self.file, write_question(&view, names, &self.blob)).unwrap();
        let ran = Command::new(&self.program).arg(&self.file).output().unwrap();
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
        let reply = parse_reply(&fs::read(&self.file).unwrap(), &view).unwrap();
        assert_eq!(reply.warnings, [""; 0]);
        self.blob = reply.blob;
        reply.answer
    }
}

#[test]
fn alice_and_bob_play() {
    agon_testkit::slow!();
    let rules = Rules { field_width: 9, field_height: 9, turns_limit: 14, ..Rules::default() };
    let names = ["alice", "bob"].map(str::to_owned);
    let mut runners = ["alice", "bob"].map(Runner::new);
    let mut game = Binfection::new(&rules, 2, Seed(4)).unwrap();
    let mut moves = [0; 2];
    while !game.is_over() {
        game.step_with(|game, decision| {
            let player = decision.player.index();
            let answer = runners[player].decide(game, decision, &names);
            moves[player] += answer.moves.len();
            answer
        });
    }
    assert!(moves.iter().all(|&moves| moves > 20), "{moves:?}");
    assert!(runners[1].blob["turns"].is_u64(), "bob remembers: {}", runners[1].blob);
    println!("{}", agon_games::binfection::render_text(&game, &names));
}
