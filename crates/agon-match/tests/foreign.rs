//! Replay files that Agon's writer did not make, but a person or another program.
//!
//! Whatever they claim, they are proven only if they follow the format, and a reader never takes
//! more memory than for a good replay.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod sizes;

use agon_match::replay::{End, OpenError, Problem, Replay, Writer};

use crate::support::{
    Block, Entry, adding, blocks, bots, edited, entries, file_of, open, put_varint, record, stream,
    stream_of, toy, toys, varint, whole_file_of, with_index,
};

/// Makes a small match with every kind of block except key frames.
fn small() -> Vec<Block> {
    blocks(&record(toy(2, 2, 300, 1), 1, 1_000, 60))
}

/// Makes a match with several key frames.
fn with_keys() -> Vec<Block> {
    let blocks = blocks(&record(toy(8, 100, 3_000, 3), 4, 4_000, 0));
    assert!(places(&blocks, 3).len() >= 5, "too few key frames");
    blocks
}

/// Returns the places of the blocks of a kind.
fn places(blocks: &[Block], kind: u8) -> Vec<usize> {
    (0..blocks.len()).filter(|&i| blocks[i].0 == kind).collect()
}

fn place(blocks: &[Block], kind: u8) -> usize {
    places(blocks, kind)[0]
}

/// Text that commands a terminal, reorders its surroundings, or is invisible.
const EVIL: &str = "\u{1b}]0;pwned\u{7}\u{9b}2J\u{202e}\u{2066}\u{200b}";

/// The same in its shown form.
const SHOWN: &str = "\\u001b]0;pwned\\u0007\\u009b2J\\u202e\\u2066\\u200b";

/// Makes the small match with another header.
fn with_other_header(edit: impl Fn(&mut serde_json::Value)) -> Vec<u8> {
    let mut blocks = small();
    blocks[0] = edited(&blocks[0], |text| {
        let mut header = serde_json::from_str(&text).unwrap();
        edit(&mut header);
        header.to_string()
    });
    whole_file_of(&blocks)
}

#[test]
fn texts_of_others_are_read_as_they_can_be_shown() {
    let file = with_other_header(|header| {
        header["agon"] = EVIL.into();
        for key in ["name", "spec", "kind", "digest"] {
            header["players"][0][key] = format!("{EVIL}\n").into();
        }
    });
    let replay = open(&file);
    let header = replay.header();
    let line = format!("{SHOWN}\\n");
    let bot = &header.players[0];
    assert_eq!(header.agon, SHOWN);
    let texts = [&bot.name, &bot.spec, &bot.kind, bot.digest.as_ref().unwrap()];
    assert_eq!(texts.map(String::as_str), [line.as_str(); 4]);
    assert!(replay.verify(toys()).is_proven());

    let mut blocks = small();
    for kind in [4, 5, 7] {
        for at in places(&blocks, kind) {
            let evil = serde_json::to_string(EVIL).unwrap();
            let evil = &evil[1..evil.len() - 1];
            blocks[at] = edited(&blocks[at], |text| {
                text.replace("\"detail\":\"", &format!("\"detail\":\"{evil}"))
                    .replace("\"stderr_tail\":\"", &format!("\"stderr_tail\":\"{evil}"))
                    .replace("\"text\":\"", &format!("\"text\":\"{evil}"))
                    .replace("\"reason\":\"", &format!("\"reason\":\"{evil}"))
            });
        }
    }
    let replay = open(&whole_file_of(&blocks));
    let faults = replay.faults().unwrap();
    assert!(
        faults[0].detail.starts_with(SHOWN) && faults[0].evidence.stderr_tail.starts_with(SHOWN)
    );
    let diagnosis = replay.diagnosis().unwrap().unwrap();
    assert!(diagnosis.bots[0].stderr.turns().all(|turn| turn.text.starts_with(SHOWN)));
    let outcome = replay.result().unwrap().standing.outcome.as_ref().unwrap();
    assert!(outcome.reason.starts_with(SHOWN), "{outcome:?}");
}

#[test]
fn rules_are_shown_on_one_line() {
    let mut blocks = small();
    blocks[0] = edited(&blocks[0], |text| text.replacen("\"rules\":{", "\"rules\":{\n\r\t", 1));
    let replay = open(&whole_file_of(&blocks));
    assert!(replay.header().rules.get().starts_with("{   \""), "{}", replay.header().rules);
    assert!(replay.verify(toys()).is_proven());
}

#[test]
fn there_are_no_more_players_than_numbers_and_names_are_short() {
    let players = |count: usize, name: &str| {
        with_other_header(|header| {
            let bot = header["players"][0].clone();
            header["players"] = vec![bot; count].into();
            header["players"][count - 1]["name"] = name.into();
        })
    };
    assert_eq!(open(&players(65_535, "x")).header().players.len(), 65_535);
    assert_eq!(open(&players(3, &"x".repeat(256))).header().players[2].name.len(), 256);
    let error = |file: Vec<u8>| Replay::open(file).unwrap_err().to_string();
    let many = error(players(65_537, "x"));
    assert!(many.contains("players: 65537 are more than 65535"), "{many}");
    let long = error(players(3, &"x".repeat(257)));
    assert!(long.contains("players[2].name: 257 bytes are more than 256"), "{long}");
}

#[test]
fn a_result_has_no_more_rows_than_players() {
    let mut blocks = small();
    let at = place(&blocks, 5);
    blocks[at] = edited(&blocks[at], |text| {
        let mut ending: serde_json::Value = serde_json::from_str(&text).unwrap();
        let row = ending["standing"]["players"][0].clone();
        ending["standing"]["players"] = vec![row; 65_537].into();
        ending.to_string()
    });
    let replay = open(&whole_file_of(&blocks));
    assert!(replay.result().is_none());
    assert_eq!(damage(&whole_file_of(&blocks)), Problem::Malformed("the result cannot be read"));
}

#[test]
fn a_file_without_end_that_is_no_replay_is_not_read() {
    let file = tempfile::NamedTempFile::new().unwrap();
    // Far more than the memory, without using the disk.
    file.as_file().set_len(1 << 42).unwrap();
    assert!(matches!(Replay::open_file(file.path()), Err(OpenError::NotAReplay)));
}

/// Returns the problem of a file, in the words of its verification.
fn verdict(file: &[u8]) -> String {
    open(file).verify(toys()).to_string()
}

/// Returns the problem of a file that must open, but with damage.
fn damage(file: &[u8]) -> Problem {
    let replay = open(file);
    assert!(!replay.verify(toys()).is_proven(), "a damaged file is not proven");
    replay.damage().expect("opening it shows the damage").problem
}

#[test]
fn files_made_by_hand_are_what_the_writer_makes() {
    for blocks in [small(), with_keys()] {
        assert!(open(&whole_file_of(&blocks)).verify(toys()).is_proven());
    }
}

#[test]
fn an_index_lists_each_block_once() {
    let blocks = with_keys();
    let good = entries(&blocks);
    let key = place(&blocks, 3);
    let index = |change: &dyn Fn(&mut Vec<Entry>)| {
        let mut entries = good.clone();
        change(&mut entries);
        damage(&with_index(file_of(&blocks), &entries))
    };
    // An entry of length zero leaves the next block in its place, so that it is read again
    // and again.
    for (length, times) in [(0, 300), (12, 3)] {
        let again = index(&|entries| {
            entries.splice(key..key, std::iter::repeat_n((3, length, None), times));
            entries[key + times].1 -= times * length;
        });
        assert_eq!(again, Problem::Index);
    }
    assert_eq!(
        index(&|entries| {
            entries.remove(key);
        }),
        Problem::Index
    );
    assert_eq!(index(&|entries| entries.swap(key, key + 1)), Problem::Index);
    // Two entries that divide the bytes of their blocks differently.
    let shifted = |entries: &mut Vec<Entry>| {
        (entries[key].1, entries[key + 1].1) = (20, good[key].1 + good[key + 1].1 - 20)
    };
    assert_eq!(index(&shifted), Problem::Index);
    let claims = |entries: &mut Vec<Entry>| entries[1].2 = Some((1 << 63, 1 << 63));
    assert_eq!(index(&claims), Problem::Index);
    let steps = open(&with_index(file_of(&blocks), &good)).steps();
    let claimed = open(&{
        let mut entries = good.clone();
        claims(&mut entries);
        with_index(file_of(&blocks), &entries)
    });
    assert_eq!(claimed.steps(), steps, "the blocks tell how many steps there are, not the index");
}

#[test]
fn bytes_that_no_block_holds_are_found() {
    let blocks = small();
    let mut body = file_of(&blocks);
    body.extend(b"hidden".repeat(1_000));
    let mut entries = entries(&blocks);
    entries.last_mut().unwrap().1 += 6_000;
    assert_eq!(damage(&with_index(body, &entries)), Problem::Index);
}

#[test]
fn a_second_header_result_or_diagnosis_is_found() {
    let good = small();
    let doubled = |kind: u8, at: usize| {
        let mut blocks = good.clone();
        blocks.insert(at, (kind, b"nobody reads this".to_vec()));
        damage(&whole_file_of(&blocks))
    };
    let diagnosis = place(&good, 7);
    let result = place(&good, 5);
    assert_eq!(doubled(1, 1), Problem::Malformed("there is a second header"));
    assert_eq!(doubled(5, result + 1), Problem::Index);
    let between = Problem::Malformed("a block comes between the diagnosis and the result");
    assert_eq!(doubled(7, diagnosis + 1), between);
    assert_eq!(doubled(4, diagnosis + 1), between);
}

#[test]
fn a_state_has_one_key_frame() {
    let mut blocks = with_keys();
    let key = place(&blocks, 3);
    blocks.insert(key, blocks[key].clone());
    assert_eq!(
        damage(&whole_file_of(&blocks)),
        Problem::Malformed("there is a second key frame of a state")
    );
}

/// Makes a key frame with extra bytes after its position and after its stream.
fn padded_key((kind, payload): &Block, in_position: usize, behind: usize) -> Block {
    let mut input = payload.as_slice();
    varint(&mut input);
    let head = payload[..payload.len() - input.len() + 8].to_vec();
    let mut position = stream(&mut &input[8..]);
    position.resize(position.len() + in_position, 0);
    (*kind, [head, stream_of(&position), vec![0; behind]].concat())
}

#[test]
fn a_key_frame_holds_a_position_and_nothing_else() {
    let good = with_keys();
    let key = place(&good, 3);
    let step = varint(&mut good[key].1.as_slice());
    for (in_position, behind) in [(1, 0), (50 << 20, 0), (0, 1)] {
        let mut blocks = good.clone();
        blocks[key] = padded_key(&good[key], in_position, behind);
        let file = whole_file_of(&blocks);
        let told = verdict(&file);
        assert!(
            told.contains("a position cannot be read") || told.contains("a key frame is too long"),
            "{told}"
        );
        let cursor = open(&file).cursor_at(toys(), step).unwrap();
        assert_eq!(cursor.step(), 0, "a bad key frame is not used");
    }
    let mut blocks = good.clone();
    blocks[key] = padded_key(&good[key], 0, 0);
    assert!(open(&whole_file_of(&blocks)).verify(toys()).is_proven());
}

#[test]
fn a_seek_gives_up_after_a_few_bad_key_frames() {
    let mut blocks = with_keys();
    let keys = places(&blocks, 3);
    let good = blocks.clone();
    let step = |key: usize| varint(&mut good[key].1.as_slice());
    let [.., third, second, last] = keys[..] else { panic!("too few key frames") };
    let before = step(third);
    let at = step(last);
    let begin =
        |blocks: &[Block]| open(&whole_file_of(blocks)).cursor_at(toys(), at).unwrap().step();
    assert_eq!(begin(&blocks), at);
    for (key, then) in [(last, step(second)), (second, before), (third, 0)] {
        blocks[key] = padded_key(&blocks[key], 1, 0);
        assert_eq!(begin(&blocks), then);
    }
}

#[test]
fn nothing_follows_the_contents_of_a_block() {
    let good = small();
    let problem = Problem::Malformed("bytes follow a block's contents");
    for (kind, _) in good.iter().filter(|(kind, _)| [4, 5, 7].contains(kind)) {
        let mut blocks = good.clone();
        blocks[place(&good, *kind)].1.push(0);
        let told = verdict(&whole_file_of(&blocks));
        assert!(told.contains(&problem.to_string()), "kind {kind}: {told}");
    }
    let mut blocks = good;
    blocks[0].1.push(0);
    let error = Replay::open(file_of(&blocks)).unwrap_err();
    assert!(matches!(error, OpenError::Header(found) if found == problem), "{error}");
}

#[test]
fn a_block_has_as_many_answers_as_it_says() {
    let good = small();
    let at = place(&good, 2);
    let input = &mut good[at].1.as_slice();
    let first = varint(input);
    let steps = varint(input);
    let decisions = varint(input);
    for (claimed, expected) in [
        (decisions + 1, "a block has fewer answers than it says"),
        (decisions - 1, "a block has more answers than it says"),
        (u64::MAX, "a block has fewer answers than it says"),
    ] {
        let mut payload = Vec::new();
        [first, steps, claimed].into_iter().for_each(|number| put_varint(&mut payload, number));
        payload.extend_from_slice(input);
        let mut blocks = good.clone();
        blocks[at].1 = payload;
        let whole = open(&whole_file_of(&good)).decisions();
        let all = (whole - decisions).saturating_add(claimed);
        let result = place(&good, 5);
        // The result is changed in the same way.
        blocks[result] = edited(&good[result], |text| {
            text.replace(&format!("\"decisions\":{whole}"), &format!("\"decisions\":{all}"))
        });
        let file = whole_file_of(&blocks);
        assert_eq!(open(&file).decisions(), all);
        assert!(verdict(&file).contains(expected), "{}", verdict(&file));
    }
}

#[test]
fn the_start_is_of_as_many_players_as_the_header_names() {
    let mut game = toy(2, 3, 20, 7);
    game.step(&adding([2; 6]));
    for (players, proven) in [(0, false), (1, false), (2, true), (6, false)] {
        let writer = Writer::new(Vec::new(), &game, &bots(players)).unwrap();
        let replay = open(&writer.finish(&game, End::Limit, &[]).unwrap());
        let told = replay.verify(toys()).to_string();
        assert_eq!(replay.verify(toys()).is_proven(), proven, "{told}");
        let expected =
            format!("the header names {players} players, but the start position is one of 2");
        assert_eq!(told.contains(&expected), !proven, "{told}");
        assert_eq!(replay.cursor_at(toys(), 0).is_ok(), proven);
    }
}
