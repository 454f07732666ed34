//! Fuzz targets for every parser of foreign bytes. Each is a function, which says what the target
//! does with an input, and panics if something is wrong.
//!
//! `cargo xtask fuzz` runs them under libFuzzer. Tests run them on their seeds as well.

mod ladder_log;

pub use ladder_log::ladder_log;

use std::path::{Component, Path};
use std::sync::LazyLock;
use std::{cell::RefCell, fs, io::Write};

use agon_arena::Bundle;
use agon_bots::BotSpec;
use agon_bots::http::{BODY, Reader};
use agon_contest::journal;
use agon_core::text::{EscapeWriter, check_name, escape_bytes, is_hidden, shown_name};
use agon_core::{Codec, Game, Seed, runs_by_player};
use agon_games::any::{AnyGame, GameKind};
use agon_games::battlesnake::recording;
use agon_games::file::{Archive, Caller, FileKind};
use agon_games::{GameId, binfection, cellhack, cluster, jsonl::JsonGame, rezzo, with_game};
use agon_ladder::archive::{MAX_BYTES, MAX_FILES, is_archive, unpack};
use agon_match::spec::{MatchOutcome, MatchSpec};
use agon_match::{replay::Replay, scenario};
use agon_remote::fleet::message::{
    Ending, WorkerMessage, read, read_batch, read_results, write_results,
};
use agon_show::vnc::{ClientMessage, Encoder, Encodings, Keyboard, Pointer};
use agon_view::paint::{Area, Frame, Rgb};
use agon_view::{Button, Input};
use serde_json::json;
use tempfile::TempDir;

/// A target: what it does with an input.
pub type Target = fn(&[u8]);

/// All targets with their names.
pub const ALL: &[(&str, Target)] = &[
    ("answer", answer),
    ("archive", archive),
    ("batch_answers", batch_answers),
    ("bot_folder", bot_folder),
    ("bot_spec", bot_spec),
    ("bundle", bundle),
    ("game_module", game_module),
    ("game_text", game_text),
    ("http_response", http_response),
    ("journal", journal),
    ("jsonl_reply", jsonl_reply),
    ("ladder_log", ladder_log),
    ("match_outcome", match_outcome),
    ("match_spec", match_spec),
    ("position", position),
    ("queue_message", queue_message),
    ("replay", replay),
    ("result_files", result_files),
    ("scenario", scenario),
    ("settings", settings),
    ("text", text),
    ("vnc_client", vnc_client),
];

/// Encoded answers of all games: what is read, writes back to the same value.
pub fn answer(data: &[u8]) {
    let Some((id, mut input)) = choose_game(data) else { return };
    with_game!(id, G => {
        let mut length = input.len();
        while let Ok(answer) = <G as Game>::Answer::decode(&mut input) {
            let mut bytes = Vec::new();
            answer.encode(&mut bytes);
            let again = <G as Game>::Answer::decode(&mut bytes.as_slice());
            assert_eq!(again.as_ref(), Ok(&answer));
            // A game may have an answer that takes no byte.
            if input.is_empty() || input.len() == length {
                break;
            }
            length = input.len();
        }
    });
}

/// Archives that authors upload: whatever they hold, the files stay below their folder and within
/// the limits.
pub fn archive(data: &[u8]) {
    if !is_archive(data) {
        return;
    }
    let Ok(files) = unpack(data) else { return };
    let bytes: usize = files.iter().map(|(_, file)| file.contents.len()).sum();
    assert!(bytes as u64 <= MAX_BYTES && files.len() <= MAX_FILES);
    for (path, _) in files.iter() {
        let is_safe = path.split('/').all(|name| !matches!(name, "" | "." | ".."));
        assert!(is_safe && !path.contains('\\'), "{path}");
    }
}

/// Answers of all games as flat memory: any bytes are read, and what is wrong with them is
/// reported.
pub fn batch_answers(data: &[u8]) {
    let Some((id, input)) = choose_game(data) else { return };
    let mut game = begin(id.kind());
    play_some(&mut game);
    let mut answers = id.kind().no_answers();
    for (_, range) in runs_by_player(game.decisions()) {
        let decisions = &game.decisions()[range];
        answers.reset(decisions.len());
        let mut last = None;
        game.read_batch(decisions, input, answers.as_mut(), &mut |i, _| {
            assert!(last < Some(i) && i < decisions.len(), "in order, each once");
            last = Some(i);
        });
    }
}

thread_local! {
    /// A folder with some files.
    static FOLDER: RefCell<TempDir> = RefCell::new(folder());
}

fn folder() -> TempDir {
    let folder = TempDir::new().expect("there is room for a folder");
    let path = |name: &str| folder.path().join(name);
    fs::create_dir_all(path("data/deep")).expect("the folder is new");
    for name in ["bot.py", "a.log", "data/x.json", "data/deep/y.log"] {
        fs::write(path(name), name).expect("the folder is new");
    }
    folder
}

/// The manifest and the `.agonignore` of a bot that is a folder, as strangers hand them in.
pub fn bot_folder(data: &[u8]) {
    let text = text_of(data);
    let (manifest, ignored) = text.split_once("\n---\n").unwrap_or((text, ""));
    FOLDER.with_borrow(|folder| {
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text);
        write("agon.toml", manifest).expect("the folder is ours");
        write(".agonignore", ignored).expect("the folder is ours");
        let text = folder.path().to_str().expect("the name is plain");
        let spec: BotSpec = text.parse().expect("a folder is a bot");
        match spec.info() {
            // The same files have the same digest.
            Ok(info) => assert_eq!(spec.info().expect("nothing has changed"), info),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    });
}

/// What people type to name a bot: printing and reading again gives the same bot.
pub fn bot_spec(data: &[u8]) {
    let text = text_of(data);
    if let Ok(spec) = text.parse::<BotSpec>() {
        let printed = spec.to_string();
        let again: BotSpec = printed.parse().expect("a printed bot can be read");
        assert_eq!(again.kind(), spec.kind());
    }
}

/// Bundles of bots' files: they come back from their bytes and from a folder, and write nothing
/// outside of it.
pub fn bundle(data: &[u8]) {
    let Ok(bundle) = Bundle::from_bytes(data) else { return };
    let bytes = bundle.to_bytes();
    // Only one spelling is shortest.
    assert!(bytes.len() <= data.len());
    assert_eq!(Bundle::from_bytes(&bytes).expect("own bundles can be read"), bundle);
    for path in bundle.paths() {
        let mut parts = Path::new(path).components();
        assert!(parts.all(|part| matches!(part, Component::Normal(_))), "{path:?}");
    }

    let outer = tempfile::tempdir().expect("there is a temporary folder");
    let folder = outer.path().join("bot");
    fs::create_dir(&folder).expect("a temporary folder can be written to");
    // A path may be too long for the system, and a file stand where a folder should be.
    if bundle.unpack(&folder).is_ok() {
        assert_eq!(Bundle::pack(&folder).expect("own files can be packed"), bundle);
    }
    let beside = fs::read_dir(outer.path()).expect("a temporary folder can be read");
    assert_eq!(beside.count(), 1, "nothing is written outside of the folder");
}

/// Replies of the rules of a game from a file, and archives of such games.
pub fn game_module(data: &[u8]) {
    thread_local! {
        static REPLIES: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    }
    struct Replies;
    impl Caller for Replies {
        fn call(&self, request: &[u8], _: usize) -> Result<Vec<u8>, String> {
            match request.first() {
                // What it says of itself is asked once, not by each input.
                Some(0) => Ok(b"\0{}".to_vec()),
                Some(1) => Ok(b"\0\x02\0\0\0\x03\0\0\0\"A\"\x03\0\0\0\"B\"".to_vec()),
                _ => REPLIES.with_borrow_mut(|left| {
                    let length = left.pop().ok_or("no more replies")?;
                    Ok(left.split_off(left.len().saturating_sub(length.into())))
                }),
            }
        }
    }
    static KIND: LazyLock<&FileKind> = LazyLock::new(|| {
        let text = json!({ "name": "fuzz", "summary": "", "players": [1, 4] });
        let archive = Archive { manifest: String::new(), page: String::new(), module: Vec::new() };
        let manifest = serde_json::from_value(text).expect("it is a manifest");
        FileKind::new(&archive, Vec::new(), manifest, Box::new(Replies)).expect("it fits")
    });
    let _ = Archive::from_bytes(data).map(|archive| archive.digest());
    REPLIES.set(data.to_vec());
    let Ok(mut game) = KIND.start(&json!({}), 2, Seed(1)) else { return };
    for step in 0..4 {
        game.standing();
        game.scene();
        game.position_json();
        for &decision in game.decisions() {
            let _ = game.observation_json(decision);
        }
        if game.is_over() || game.failure().is_some() {
            break;
        }
        let answers = game.scripted_answers(Seed(1), step);
        game.step(&answers);
    }
}

/// What bots write in the games' own protocols.
pub fn game_text(data: &[u8]) {
    let Some((&first, rest)) = data.split_first() else { return };
    match first % 3 {
        0 => {
            if let Ok(answer) = cluster::protocol::parse_answer(rest) {
                let text = answer.to_string();
                assert_eq!(cluster::protocol::parse_answer(text.as_bytes()), Ok(answer));
            }
        }
        1 => {
            let mut inbox = rezzo::protocol::Inbox::default();
            inbox.begin(0);
            rest.chunks(3).for_each(|part| inbox.feed(part));
            let _ = (inbox.has_answer(), inbox.answer(), inbox.dropped());
        }
        _ => {
            let rules = binfection::Rules {
                field_width: 9,
                field_height: 9,
                ..binfection::Rules::default()
            };
            let game = binfection::Binfection::new(&rules, 2, Seed(1)).expect("two bots fit");
            let view = game.view(game.decisions()[0]);
            let _ = binfection::protocol::parse_reply(rest, &view);
        }
    }
}

/// Responses of bots that are web servers: the limits hold, and the pieces in which one comes make
/// no difference.
pub fn http_response(data: &[u8]) {
    let whole = Reader::default().read(data, true).map_err(drop);
    let mut reader = Reader::default();
    let piece = 1 + data.len() / 500;
    let lengths = (0..data.len()).step_by(piece).chain([data.len()]);
    let read = |length| reader.read(&data[..length], length == data.len()).map_err(drop);
    let in_pieces = lengths.map(read).find(|read| *read != Ok(None));
    assert_eq!(in_pieces.unwrap_or(Ok(None)), whole);
    if let Ok(Some(response)) = whole {
        assert!(response.body.len() <= BODY && response.length <= data.len());
    }
}

/// Journals of tournaments: whatever is read is written again as it was, and what is torn off is
/// the end.
pub fn journal(data: &[u8]) {
    // Checksums cannot be found by trying: lines whose sum is `?` get the right one.
    let data = journal::with_sums(data);
    let Ok(contents) = journal::read(&data, Path::new("journal.jsonl")) else { return };
    let whole = contents.whole as usize;
    let torn = contents.torn.map_or(0, |torn| torn.bytes as usize);
    assert_eq!(whole + torn, data.len());
    let again = journal::read(&data[..whole], Path::new("journal.jsonl"))
        .expect("a beginning is a journal");
    assert_eq!((&again.records, again.torn), (&contents.records, None));
    if let Some(header) = &contents.header {
        let written = journal::write(header, &contents.records);
        let again =
            journal::read(&written, Path::new("journal.jsonl")).expect("own journals can be read");
        assert_eq!(again.records, contents.records);
    }
}

/// Replies of the JSON Lines protocol: any text is a reply or refused, and what is taken writes
/// back to the same.
#[allow(clippy::clone_on_copy, reason = "answers of other games are not Copy")]
pub fn jsonl_reply(data: &[u8]) {
    let Some((id, text)) = choose_game(data) else { return };
    with_game!(id, G => {
        let Ok(reply) = serde_json::from_slice::<<G as JsonGame>::Reply>(text) else { return };
        let answer = G::answer_from(reply);
        let reply = G::reply_for(answer.clone()).expect("what a bot said it can say again");
        let text = serde_json::to_vec(&reply).expect("replies can be written");
        let again = serde_json::from_slice(&text).expect("what was written can be read");
        assert_eq!(G::answer_from(again), answer);
    });
}

/// Match outcomes: what is read is written and read again as the same, and has a headline.
pub fn match_outcome(data: &[u8]) {
    let Ok(outcome) = serde_json::from_slice::<MatchOutcome>(data) else { return };
    if outcome.check().is_err() {
        return;
    }
    let text = serde_json::to_vec(&outcome).expect("outcomes can be written");
    let again: MatchOutcome = serde_json::from_slice(&text).expect("own outcomes can be read");
    assert_eq!(again, outcome);
    assert!(!outcome.result.headline().is_empty());
    let named = outcome.result.faults.iter().map(|fault| outcome.result.name(fault.player));
    named.for_each(drop);
}

/// Match specs: what is read is written and read again as the same, and a match can be set up with
/// it or is refused.
pub fn match_spec(data: &[u8]) {
    let Ok(spec) = serde_json::from_slice::<MatchSpec>(data) else { return };
    if spec.check().is_err() {
        return;
    }
    let text = serde_json::to_vec(&spec).expect("what was read has no bot of this machine");
    let again: MatchSpec = serde_json::from_slice(&text).expect("own specs can be read");
    assert_eq!(again, spec);
    let paths = &spec.settings.sandbox;
    let is_portable = paths.read.is_empty() && paths.write.is_empty();
    assert_eq!(spec.check_portable().is_ok(), is_portable);
    if let Ok(mut game) = spec.game.kind().start(&spec.rules, spec.seats.len(), spec.seed) {
        play_some(&mut game);
    }
}

/// Positions of all games: what is accepted can be played, and is the position that it was.
pub fn position(data: &[u8]) {
    let Some((id, input)) = choose_game(data) else { return };
    with_game!(id, G => {
        type Read<G> = (<G as Game>::Rules, <G as Game>::Position);
        let Ok((rules, position)) = postcard::from_bytes::<Read<G>>(input) else {
            return;
        };
        if let Ok(game) = G::from_position(&rules, Seed(1), position) {
            let again = G::from_position(&rules, Seed(1), game.position()).expect("own positions \
                are fine");
            assert!(again == game && again.state_hash() == game.state_hash(), "the position is the \
                same");
            play_some(&mut AnyGame::of(game));
        }
    });
}

/// Messages of workers and coordinators, as any server may deliver them: nothing of them is
/// believed, and what is read is written again as it was.
pub fn queue_message(data: &[u8]) {
    if let Ok(batch) = read_batch(data) {
        let text = serde_json::to_vec(&batch).expect("a batch can be written");
        assert_eq!(read_batch(&text).expect("it was read before"), batch);
        // Every seat that a match names is there.
        for seat in batch.jobs.iter().flat_map(|job| &job.seats) {
            assert!((*seat as usize) < batch.seats.len());
        }
    }
    if let Ok((results, replays)) = read_results(data) {
        assert_eq!(results.results.len(), replays.len());
        for (result, replay) in results.results.iter().zip(&replays) {
            let length = match &result.ending {
                Ending::Played { replay, .. } => *replay as usize,
                _ => 0,
            };
            assert_eq!(replay.as_ref().map_or(0, Vec::len), length);
        }
        let kept: Vec<Vec<u8>> = replays.into_iter().flatten().collect();
        let again = write_results(&results, &kept);
        assert_eq!(read_results(&again).expect("it was read before").0, results);
    }
    if let Ok(worker) = read::<WorkerMessage>(data) {
        let text = serde_json::to_vec(&worker).expect("a worker can be written");
        assert_eq!(read::<WorkerMessage>(&text), Ok(worker));
    }
}

/// Replay files: damaged ones are reported, and what is proven is just what the format says.
pub fn replay(data: &[u8]) {
    let Ok(replay) = Replay::open(data) else { return };
    let _ = (replay.result(), replay.faults(), replay.diagnosis());
    let is_whole = is_whole(data).is_some();
    if let Ok(public) = replay.redacted(|_| false) {
        let public = Replay::open(public).expect("a copy is a replay");
        assert_eq!(public.steps(), replay.steps(), "a copy has all steps");
        assert_eq!(public.diagnosis(), Ok(None), "nobody's output is in it");
    }
    assert!(is_whole || replay.damage().is_some(), "what is no whole file is damaged");
    if let Ok(id) = replay.header().game.parse::<GameId>() {
        let _ = replay.seek(id.kind(), replay.steps() / 2);
        if let Ok(start) = replay.start(id.kind()) {
            let names = replay.header().players.len();
            assert_eq!(start.players(), names, "every player has a name");
        }
        assert!(is_whole || !replay.verify(id.kind()).is_proven(), "only whole files are proven");
    }
}

/// Walks through a file as `docs/replay-format.md` describes it: one header, steps, key frames and
/// faults, at most one diagnosis, one result, one index, which the footer names, and nothing
/// between or behind them.
fn is_whole(file: &[u8]) -> Option<()> {
    let body = file.strip_suffix(b"AGON-END")?;
    let (body, index_at) = body.split_last_chunk::<8>()?;
    let mut at = 9;
    let mut kinds = Vec::new();
    while at < body.len() {
        let head = body.get(at..at + 13)?;
        let length = u32::from_le_bytes([head[1], head[2], head[3], head[4]]) as usize;
        kinds.push((head[0], at as u64));
        at += 13 + length;
    }
    let [(1, _), middle @ .., (5, _), (6, index)] = kinds.as_slice() else { return None };
    let middle = match middle {
        [middle @ .., (7, _)] => middle,
        middle => middle,
    };
    let in_order = middle.iter().all(|(kind, _)| (2..=4).contains(kind));
    (at == body.len() && *index == u64::from_le_bytes(*index_at) && in_order).then_some(())
}

/// Files of other programs: cellhack and binfection result files, rezzo maps, binfection settings,
/// recorded games of battlesnake.
pub fn result_files(data: &[u8]) {
    let Some((&first, rest)) = data.split_first() else { return };
    let text = || String::from_utf8_lossy(rest);
    match first % 5 {
        0 => drop(cellhack::result_file::read(rest)),
        1 => {
            if let Ok(file) = binfection::ResultFile::from_json(rest) {
                let again = binfection::ResultFile::from_json(file.to_json().as_bytes());
                assert_eq!(again.expect("own files can be read"), file);
            }
        }
        2 => {
            if let Ok(world) = rezzo::World::from_rows(text().lines().collect::<Vec<_>>()) {
                let again = rezzo::World::from_rows(world.to_rows());
                assert_eq!(again.expect("own maps can be read").to_rows(), world.to_rows());
            }
        }
        3 => drop(binfection::IniFile::parse(&text())),
        _ => {
            if let Ok(recording) = recording::read(rest) {
                let mut game = recording.game;
                recording.answers.iter().for_each(|answers| game.step(answers));
            }
        }
    }
}

/// Scenarios: whatever is read is played or refused.
pub fn scenario(data: &[u8]) {
    let _ = scenario::write_states(text_of(data), false, &mut std::io::sink());
}

/// Settings of all games: with whatever is accepted a match can begin.
pub fn settings(data: &[u8]) {
    let Some((id, input)) = choose_game(data) else { return };
    with_game!(id, G => {
        let read = postcard::from_bytes::<(<G as Game>::Rules, u8)>(input);
        let Ok((rules, players)) = read else { return };
        if let Ok(game) = G::new(&rules, usize::from(players), Seed(1)) {
            play_some(&mut AnyGame::of(game));
        }
    });
}

/// Text of others on its way out: whatever it is, and in whatever pieces it comes, nothing in it
/// hides.
pub fn text(data: &[u8]) {
    // The first bytes say how long the pieces are.
    let Some((length, bytes)) = data.split_first_chunk() else { return };
    let length = usize::from_le_bytes(*length);
    let shown = escape_bytes(bytes, &['\n', '\t']);
    assert!(!shown.contains(|c| is_hidden(c) && !"\n\t".contains(c)));
    let mut writer = EscapeWriter::new(Vec::new());
    for piece in bytes.chunks(1 + length % 7) {
        writer.write_all(piece).expect("memory takes all");
    }
    assert_eq!(writer.finish().expect("memory takes all"), shown.as_bytes());
    if let Ok(text) = std::str::from_utf8(bytes) {
        assert_eq!(check_name(&shown_name(text)), Ok(()));
    }
}

/// What VNC clients send: any bytes are messages or refused, and no message makes the server fail.
pub fn vnc_client(data: &[u8]) {
    let mut frame = Frame::new(80, 50);
    frame.fill(Area { x: 9, y: 5, width: 30, height: 30 }, Rgb(200, 100, 50));
    let mut rest = data;
    let mut encoder = Encoder::default();
    let mut encodings = Encodings::default();
    let mut keyboard = Keyboard::default();
    let mut pointer = Pointer::default();
    let mut pressed = 0i32;
    while let Ok(Some(message)) = ClientMessage::read(&mut rest) {
        match message {
            ClientMessage::Format(format) => {
                let again = agon_show::vnc::PixelFormat::from_bytes(format.to_bytes());
                assert_eq!(again.ok(), Some(format));
                encoder.set_format(format);
            }
            ClientMessage::Encodings(new) => encodings = new,
            ClientMessage::Request { area, .. } => {
                let area = area.intersection(frame.area());
                if !area.is_empty() {
                    let mut message = vec![];
                    encoder.rectangle(&frame, area, encodings.best, &mut message);
                    assert!(message.len() > 12);
                }
            }
            ClientMessage::Key { keysym, is_down } => {
                keyboard.key(keysym, is_down);
            }
            ClientMessage::Pointer { buttons, x, y } => {
                for input in pointer.event(buttons, x, y) {
                    match input {
                        Input::Press(Button::Left) => pressed += 1,
                        Input::Release(Button::Left) => pressed -= 1,
                        _ => {}
                    }
                }
                assert_eq!(pressed, i32::from(buttons & 1), "a button is down or up");
            }
            ClientMessage::CutText | ClientMessage::Size { .. } => {}
        }
    }
}

/// The game that the first byte chooses, and the other bytes.
fn choose_game(data: &[u8]) -> Option<(GameId, &[u8])> {
    let (&first, rest) = data.split_first()?;
    Some((GameId::OWN[usize::from(first) % GameId::OWN.len()], rest))
}

/// Plays some scripted steps, with the default answer now and then.
fn play_some(game: &mut AnyGame) {
    for step in 0..4 {
        if game.is_over() {
            assert!(game.standing().outcome.is_some(), "a game that is over has an outcome");
            return;
        }
        let mut answers = game.scripted_answers(Seed(1), step);
        if step == 2 {
            answers.reset(answers.len());
        }
        game.step(&answers);
    }
}

/// Sets up a small match of as near to two players as the game allows.
///
/// # Panics
/// If the settings do not fit.
pub fn begin(kind: &dyn GameKind) -> AnyGame {
    let rules = serde_json::from_str(kind.trials().tiny).expect("the settings are JSON");
    let players = 2.clamp(kind.meta().min_players, kind.meta().max_players);
    kind.start(&rules, players, Seed(1)).expect("the settings fit")
}

/// Returns the bytes before the first one that is no text.
fn text_of(data: &[u8]) -> &str {
    match std::str::from_utf8(data) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&data[..error.valid_up_to()]).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use agon_core::Purpose;

    use super::*;

    /// How many changed copies of each seed are tried.
    const CHANGED: u64 = 60;

    /// Changes some bytes, or cuts the end off.
    fn change(seed: &[u8], number: u64) -> Vec<u8> {
        let mut rng = Seed(number).stream(Purpose::Sample, 0);
        let mut bytes = seed.to_vec();
        for _ in 0..=rng.below(3) {
            if bytes.is_empty() {
                break;
            }
            let at = rng.index(bytes.len());
            match rng.below(4) {
                0 => bytes.truncate(at),
                1 => bytes[at] ^= 1 << rng.below(8),
                2 => bytes[at] = rng.below(256) as u8,
                _ => drop(bytes.remove(at)),
            }
        }
        bytes
    }

    #[test]
    fn targets_find_nothing_in_their_seeds_and_in_changed_ones() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        let programs = fs::read_dir(folder.join("fuzz_targets")).expect("the programs").count();
        assert_eq!(ALL.len(), programs, "each target is in the list");
        let seeds = folder.join("seeds");
        for (name, run) in ALL {
            let files = fs::read_dir(seeds.join(name)).expect("each target has seeds");
            let mut count = 0;
            for file in files {
                let seed = fs::read(file.expect("a seed").path()).expect("a seed");
                run(&seed);
                (0..CHANGED).for_each(|number| run(&change(&seed, number)));
                count += 1;
            }
            assert!(count > 0, "{name} has no seed");
        }
    }
}
