//! A log whose server has changed a match, and computed everything again that follows from it.

use std::{
    fs,
    path::Path,
    sync::{Arc, atomic::AtomicBool},
};

use agon_arena::{BotEntry, Hosts, MatchSetup, ReplayTarget};
use agon_bots::HostOptions;
use agon_games::cluster::{Cluster, Rules};
use agon_ladder::ledger::{
    Books, Entry, Folder, MatchRecord, ShownMatch, Signer, Source, open, record_digest,
    tree::{Frontier, TilePath, WIDTH, bundle, unbundle},
};
use agon_match::MatchOptions;
use agon_match::replay::Replay;
use agon_match::spec::Digest;

/// Has another bot play in a seat of a match of cluster, and changes the copy of the log so that
/// it is whole again. `key` is the server's own.
pub(crate) fn forge(copy: &Path, key: &str, arena: u64, number: u64, player: usize) {
    let source = Folder(copy.to_owned());
    let path = format!("log/replays/{arena}/{number}.agon");
    let replay = played_otherwise(&Replay::open(source.get(&path).unwrap()).unwrap(), player);
    let record = record_of(&replay, number);
    fs::write(copy.join(&path), replay.redacted(|_| false).unwrap()).unwrap();
    let path = copy.join(format!("log/results/{arena}/{number}.json"));
    let mut shown: ShownMatch = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    shown.places.clone_from(&record.places);
    shown.state_hash.clone_from(&record.state_hash);
    fs::write(path, serde_json::to_vec(&shown).unwrap()).unwrap();

    let mut books = Books::default();
    let mut texts = Vec::new();
    for (at, mut entry) in (0..).zip(entries(&source)) {
        if let Entry::Results { arena: of, matches } = &mut entry
            && *of == arena
        {
            let old = matches.iter_mut().filter(|old| old.number == number);
            old.for_each(|old| *old = record.clone());
        }
        books.add(at, &entry, |_| {}).unwrap();
        if let Entry::Table { arena, digest, .. } = &mut entry {
            let table = books.arenas[arena].table(*arena).unwrap().unwrap().text();
            *digest = Digest::of(table.as_bytes());
            fs::write(copy.join(format!("log/tables/{arena}.json")), table).unwrap();
        }
        texts.push(entry.text());
    }
    write_log(copy, &Signer::parse(key).unwrap(), &texts);
}

/// Plays a match again with the same seed, in which a built-in bot sits in a seat.
fn played_otherwise(old: &Replay, player: usize) -> Replay {
    let header = old.header();
    let rules: Rules = serde_json::from_str(header.rules.get()).unwrap();
    let bot = |(seat, info): (usize, &agon_core::BotInfo)| {
        let builtin = if seat == player { "builtin:searcher" } else { "builtin:greedy" };
        let entry = BotEntry::of(builtin.parse().unwrap()).unwrap();
        Arc::new(entry.named(&info.name))
    };
    let bots: Vec<Arc<BotEntry>> = header.players.iter().enumerate().map(bot).collect();
    let setup = MatchSetup::<Cluster> {
        rules: &rules,
        seed: header.seed,
        bots: &bots,
        host: &HostOptions::default(),
        options: MatchOptions::default(),
        attempts: 1,
        replay: ReplayTarget::Memory,
        stop: &AtomicBool::new(false),
    };
    let played = setup.play(&mut Hosts, &mut ()).unwrap();
    Replay::open(played.replay.unwrap()).unwrap()
}

fn record_of(replay: &Replay, number: u64) -> MatchRecord {
    let result = replay.result().unwrap();
    MatchRecord {
        number,
        places: result.standing.players.iter().map(|player| player.place).collect(),
        steps: result.steps,
        state_hash: format!("{:#018x}", result.state_hash),
        record: record_digest(replay).unwrap(),
    }
}

fn entries(source: &Folder) -> Vec<Entry> {
    let note = String::from_utf8(source.get("log/checkpoint").unwrap()).unwrap();
    let key = String::from_utf8(source.get("log/key").unwrap()).unwrap();
    let size = open(&note, key.trim()).unwrap().size;
    let tile = |number: u64| {
        let bytes = source.get(&tile_path(number, size)).unwrap();
        let entry = |text: &[u8]| Entry::parse(std::str::from_utf8(text).unwrap()).unwrap();
        unbundle(&bytes).unwrap().into_iter().map(entry).collect::<Vec<_>>()
    };
    (0..size.div_ceil(WIDTH)).flat_map(tile).collect()
}

fn write_log(copy: &Path, signer: &Signer, texts: &[String]) {
    let size = texts.len() as u64;
    let mut frontier = Frontier::default();
    texts.iter().for_each(|text| frontier.add(text.as_bytes()));
    for (number, texts) in (0..).zip(texts.chunks(usize::try_from(WIDTH).unwrap())) {
        let bytes = bundle(texts.iter().map(|text| text.as_bytes()));
        fs::write(copy.join(tile_path(number, size)), bytes).unwrap();
    }
    let note = signer.checkpoint(size, frontier.root());
    fs::write(copy.join("log/checkpoint"), note).unwrap();
}

fn tile_path(number: u64, size: u64) -> String {
    let width = WIDTH.min(size - number * WIDTH);
    format!("log/tile/{}", TilePath { level: None, number, width }.text())
}
