//! Replays that carry the rules of their game: the page plays them again in a worker.

use std::{fs, process::Command, sync::Mutex};

use agon_core::{BotInfo, Seed};
use agon_games::any::{GameKind, kind_of};
use agon_games::cluster::Cluster;
use agon_games::file::{Archive, Caller, FileKind, Guest};
use agon_match::replay::{End, Writer};
use agon_testkit::browser::Browser;
use serde_json::{Value, json};

use super::{SAVE, Served, verified};
use crate::game_file::new_game;
use crate::support::TestDir;

#[test]
fn a_replay_that_carries_its_rules_is_verified_in_the_page() {
    agon_testkit::slow!();
    let dir = TestDir::new();
    let Some(()) = new_game(&dir, str::to_owned) else { return };
    dir.ok("play ./coins builtin:random builtin:random --seed 3 --replay coins.agon");
    let expected =
        |state: &Value| json!({ "steps": state["shown"]["steps"], "done": true, "problem": null });
    let browser = Browser::start();
    let served = Served::watch(&dir, "coins.agon");
    browser.open(&served.address());
    let state = browser.wait("verified", verified);
    assert_eq!(state["verified"], expected(&state));
    assert!(state["shown"]["steps"].as_u64() > Some(20), "{state}");
    let saved: Vec<u8> = serde_json::from_value(browser.run(SAVE, json!([]))).unwrap();
    assert!(saved == fs::read(dir.path("coins.agon")).unwrap());
    browser.picture("carried");
    assert_eq!(browser.message(), None);
    assert_eq!(served.interrupt(), Some(130));

    dir.ok("web export site");
    let page =
        format!("http://127.0.0.1:{}/some/where/", agon_testkit::http::serve(&dir.path("site")));
    fs::copy(dir.path("coins.agon"), dir.path("site/coins.agon")).unwrap();
    browser.open(&format!("{page}?replay=coins.agon"));
    let state = browser.wait("verified", verified);
    assert_eq!(state["verified"], expected(&state));
    fs::write(dir.path("site/endless.agon"), endless(&dir)).unwrap();
    browser.open(&format!("{page}?replay=endless.agon"));
    agon_testkit::eventually("a message", || {
        browser.message().filter(|message| message.contains("take too long"))
    });
    assert_eq!(browser.log(), Vec::<String>::new());
}

struct Here(Mutex<Guest>);

impl Caller for Here {
    fn call(&self, request: &[u8], _: usize) -> Result<Vec<u8>, String> {
        Ok(self.0.lock().unwrap().call(request))
    }
}

/// A replay whose rules, as the file has them, do not end.
fn endless(dir: &TestDir) -> Vec<u8> {
    dir.write(
        "endless.c",
        "#define EXPORT(name) __attribute__((export_name(#name))) unsigned name\n\
        EXPORT(agon_abi)(void) { return 1001; }\n\
        static long long room[1 << 20];\n\
        EXPORT(agon_room)(unsigned size) { return (unsigned)room; }\n\
        EXPORT(agon_decide)(unsigned a, unsigned b, unsigned c, unsigned d)\n\
        { for (volatile int i = 0;; i++) {} }\n",
    );
    let mut clang = Command::new("clang");
    clang.args("--target=wasm32 -nostdlib -Wl,--no-entry -o endless.wasm endless.c".split(' '));
    assert!(clang.current_dir(dir.path("")).status().unwrap().success());
    let manifest = "name = \"endless\"\nsummary = \"It does not end.\"\nplayers = [2, 2]\n";
    let module = dir.bytes("endless.wasm");
    let archive = Archive { manifest: manifest.to_owned(), page: "# endless\n".to_owned(), module };
    let guest = Box::new(Here(Mutex::new(Guest::new(kind_of::<Cluster>()))));
    let manifest = archive.read_manifest().unwrap();
    let kind = FileKind::new(&archive, archive.pack().unwrap(), manifest, guest).unwrap();
    let mut game = kind.start(&json!({}), 2, Seed(1)).unwrap();
    let players = ["one", "two"].map(|name| BotInfo::new(name, "builtin"));
    let mut writer = Writer::new(Vec::new(), &game, &players).unwrap();
    let answers = game.scripted_answers(Seed(1), 0);
    game.step(&answers);
    writer.step(&answers, &game).unwrap();
    writer.finish(&game, End::Limit, &[]).unwrap()
}
