//! Rules in a process of their own play many steps at once: the verdict is that of single steps.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use agon_core::{BotInfo, Seed};
use agon_games::any::{AnyGame, GameKind, kind_of};
use agon_games::cluster::Cluster;
use agon_games::file::message::{Op, Reader};
use agon_games::file::{Archive, Caller, FileKind, Guest};
use agon_match::replay::{End, Replay, Verdict, Writer};
use serde_json::json;

/// Rules in this process, whose hash is wrong after one of the steps.
struct Here {
    guest: Mutex<Guest>,
    wrong: usize,
    steps: AtomicUsize,
}

impl Caller for Here {
    fn call(&self, request: &[u8], _: usize) -> Result<Vec<u8>, String> {
        let mut reply = self.guest.lock().unwrap().call(request);
        let is_step = Reader(request).u32().unwrap() == Op::Step as u32;
        REQUESTS.fetch_add(is_step.into(), Relaxed);
        if is_step && self.steps.fetch_add(1, Relaxed) == self.wrong {
            // It stands first, and again behind the position.
            reply[1] ^= 1;
            let length = u32::from_le_bytes(reply[9..13].try_into().unwrap()) as usize;
            reply[13 + length] ^= 1;
        }
        Ok(reply)
    }
}

/// How many requests to play steps there were.
static REQUESTS: AtomicUsize = AtomicUsize::new(0);

fn kind(wrong: usize) -> &'static FileKind {
    let manifest = "name = \"same\"\nsummary = \"Cluster.\"\nplayers = [1, 2]\n".to_owned();
    let archive = Archive { manifest, page: String::new(), module: Vec::new() };
    let guest = Mutex::new(Guest::new(kind_of::<Cluster>()));
    let here = Box::new(Here { guest, wrong, steps: AtomicUsize::new(0) });
    let manifest = archive.read_manifest().unwrap();
    FileKind::new(&archive, archive.pack().unwrap(), manifest, here).unwrap()
}

/// The replay of a match whose recorded hash is wrong after a step, and the length of the match.
fn replay(wrong: usize) -> (Replay, u64) {
    let mut game: AnyGame = kind(wrong).start(&json!({}), 2, Seed(3)).unwrap();
    let bots = ["one", "two"].map(|name| BotInfo::new(name, "builtin"));
    let mut writer = Writer::new(Vec::new(), &game, &bots).unwrap();
    let mut steps = 0;
    while !game.is_over() {
        let answers = game.scripted_answers(Seed(3), steps);
        game.step(&answers);
        writer.step(&answers, &game).unwrap();
        steps += 1;
    }
    let file = writer.finish(&game, End::Over, &[]).unwrap();
    (Replay::open(file).unwrap(), steps)
}

#[test]
fn a_verdict_is_the_one_of_single_steps() {
    let (good, steps) = replay(usize::MAX);
    let honest = kind(usize::MAX);
    REQUESTS.store(0, Relaxed);
    assert!(good.verify(honest).is_proven() && steps > 20);
    assert_eq!(REQUESTS.load(Relaxed), 1);
    for wrong in [0, 1, 7, steps as usize - 2] {
        let (replay, _) = replay(wrong);
        let mut cursor = replay.cursor(honest).unwrap();
        let plain = loop {
            match cursor.advance() {
                Ok(more) => assert!(more),
                Err(error) => break error.to_string(),
            }
        };
        let Verdict::Unproven { good_steps, reason, .. } = replay.verify(honest) else {
            panic!("step {wrong}");
        };
        assert_eq!((good_steps, reason.to_string()), (wrong as u64, plain));
    }
}
