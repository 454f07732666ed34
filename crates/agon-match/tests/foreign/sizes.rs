//! Files with parts that are as large as a reader accepts, or larger.

use agon_core::{Fault, Game, Seed};
use agon_games::any::AnyGame;
use agon_games::rezzo::{Rezzo, Rules};
use agon_match::replay::OpenError;

use super::*;
use crate::support::{fault, stream, varint};

/// Opens a file with this header.
fn with_header(edit: impl Fn(String) -> String) -> Result<Replay, OpenError> {
    let mut blocks = small();
    blocks[0] = edited(&blocks[0], edit);
    Replay::open(whole_file_of(&blocks))
}

fn replaced(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "{text}");
    text.replace(from, to)
}

#[test]
fn rules_and_players_have_a_largest_size() {
    let many = |part: &str| format!("[{}0]", part.repeat((16 << 20) / part.len()));
    for (from, what) in [("\"rules\":", "rules"), ("\"players\":", "players")] {
        let error = with_header(|text| {
            let text = replaced(&text, from, &format!("{from}{},\"old_{what}\":", many("0,")));
            assert!(text.len() > 16 << 20);
            text
        });
        let error = error.unwrap_err().to_string();
        let expected = format!(
            "the replay's header cannot be read: {what}: 16777219 bytes are more than 16777216"
        );
        assert!(error.starts_with(&expected), "{error}");
    }
}

/// Text that is nested too deep for a tree of values, and would be too large as one, opens.
///
/// It is refused when the game reads it.
#[test]
fn rules_and_start_stay_text_until_they_are_read() {
    let deep = format!("{}{}", "[".repeat(1_000), "]".repeat(1_000));
    let replay =
        with_header(|text| replaced(&text, "\"start\":null", &format!("\"start\":{deep}")))
            .unwrap();
    assert_eq!(replay.header().start.as_ref().unwrap().get(), deep);
    let error = replay.start(toys()).unwrap_err();
    let error = error.to_string();
    assert!(error.starts_with("the header's start position cannot be read: "), "{error}");
    let large = format!("[{}0]", "0,".repeat(16 << 20));
    let replay =
        with_header(|text| replaced(&text, "\"start\":null", &format!("\"start\":{large}")))
            .unwrap();
    assert!(replay.start(toys()).is_err());
}

/// A hand-drawn map with the most cells that the rules allow.
///
/// The match continues from a later state.
#[test]
fn the_largest_rules_are_read() {
    let mut map = vec![" ".repeat(4096); 1024];
    map[0].replace_range(..5, "0   1");
    let rules = Rules { map, ..Rules::default() };
    let mut game = AnyGame::of(Rezzo::new(&rules, 2, Seed(1)).unwrap());
    let mut rest = game.kind().no_answers();
    rest.reset(game.decisions().len());
    game.step(&rest);
    let writer = Writer::new(Vec::new(), &game, &bots(2)).unwrap();
    let replay = open(&writer.finish(&game, End::Limit, &[]).unwrap());
    assert!(replay.header().start.is_some() && replay.header().rules.get().len() > 4 << 20);
    assert_eq!(replay.start(game.kind()).unwrap(), game);
    assert!(replay.verify(game.kind()).is_proven());
}

#[test]
fn faults_have_a_largest_size_together() {
    let blank = |mebibytes: usize| (4, stream_of(&vec![b' '; mebibytes << 20]));
    let mut blocks = small();
    let at = place(&blocks, 4);
    blocks.insert(at, blank(129));
    let before = open(&whole_file_of(&small())).faults().unwrap();
    assert_eq!(open(&whole_file_of(&blocks)).faults().unwrap(), before);
    blocks.insert(at, blank(127));
    let damage = open(&whole_file_of(&blocks)).faults().unwrap_err();
    assert_eq!(damage.problem, Problem::Malformed("a stream claims more bytes than it may have"));
}

#[test]
fn a_writer_leaves_out_faults_that_no_reader_takes() {
    let game = toy(2, 2, 300, 1);
    let mut writer = Writer::new(Vec::new(), &game, &bots(2)).unwrap();
    let long = Fault { detail: "x".repeat(129 << 20), ..fault(0) };
    for fault in [&fault(0), &long, &long, &fault(1)] {
        writer.fault(fault).unwrap();
    }
    let replay = open(&writer.finish(&game, End::Limit, &[]).unwrap());
    let steps: Vec<_> = replay.faults().unwrap().iter().map(|f| (f.step, f.detail.len())).collect();
    assert_eq!(steps, [(0, 15), (0, 129 << 20), (1, 15)]);
    assert!(replay.verify(toys()).is_proven());
}

#[test]
fn results_and_diagnoses_have_a_largest_size() {
    let good = small();
    for (kind, most) in [(5, 16 << 20), (7, 64 << 20)] {
        let at = place(&good, kind);
        for (length, proven) in [(most, true), (most + 1, false)] {
            let mut blocks = good.clone();
            blocks[at] = edited(&good[at], |text| text.clone() + &" ".repeat(length - text.len()));
            let replay = open(&whole_file_of(&blocks));
            let told = replay.verify(toys());
            assert_eq!(told.is_proven(), proven, "{told}");
        }
    }
}

#[test]
fn counts_take_ten_bytes_a_step_at_most() {
    let good = small();
    let at = place(&good, 2);
    let input = &mut good[at].1.as_slice();
    let _ = varint(input);
    let steps = varint(input);
    let _ = varint(input);
    let hashes = usize::from(input[0]) * steps as usize;
    let mut rest = &input[1 + hashes + 8..];
    let head = good[at].1[..good[at].1.len() - rest.len()].to_vec();
    let counts = stream(&mut rest);
    for (length, expected) in [
        (10 * steps as usize, "a block has more answers than its steps"),
        (10 * steps as usize + 1, "a stream claims more bytes than it may have"),
    ] {
        let mut long = counts.clone();
        long.resize(length, 0);
        let mut blocks = good.clone();
        blocks[at].1 = [head.clone(), stream_of(&long), rest.to_vec()].concat();
        let told = verdict(&whole_file_of(&blocks));
        assert!(told.contains(expected), "{told}");
    }
}
