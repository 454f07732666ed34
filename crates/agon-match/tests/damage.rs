//! Tests that damaged, truncated, forged and hostile files are reported and never cause a panic.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use agon_core::Seed;
use agon_match::replay::{
    DifferenceKind, End, OpenError, Problem, ReadError, Replay, Verdict, Writer,
};
use proptest::prelude::*;

use crate::support::{
    Block, adding, blocks, bots, edited, file_of, open, record, stream, toy, toys, varint,
};

/// Returns a small file with every kind of block, among them three blocks of steps.
fn small() -> Vec<u8> {
    record(toy(2, 2, 300, 1), 1, 1_000, 60)
}

/// Reads everything, and returns whether it is proven.
fn read_all(file: &[u8]) -> Option<bool> {
    let replay = Replay::open(file).ok()?;
    for step in 0..=replay.steps().min(400) {
        let _ = replay.seek(toys(), step);
    }
    let _ = (replay.faults(), replay.diagnosis());
    Some(replay.verify(toys()).is_proven())
}

#[test]
fn every_changed_byte_is_reported() {
    let good = small();
    for at in 0..good.len() {
        for flip in [0x01, 0x80, 0xFF] {
            let mut file = good.clone();
            file[at] ^= flip;
            let Ok(replay) = Replay::open(file) else { continue };
            assert!(!replay.verify(toys()).is_proven(), "byte {at} was changed and nobody noticed");
        }
    }
}

#[test]
fn a_diagnosis_may_be_missing_or_damaged() {
    let with = blocks(&small());
    let at = with.iter().position(|(kind, _)| *kind == 7).expect("there is a diagnosis");
    // An older version wrote no diagnosis.
    let without: Vec<Block> = with.iter().filter(|(kind, _)| *kind != 7).cloned().collect();
    let replay = open(&file_of(&without));
    assert_eq!((replay.diagnosis(), replay.steps()), (Ok(None), 300));
    let mut damaged = with.clone();
    damaged[at] = edited(&with[at], |text| text.replace("\"player\"", "\"players\""));
    let replay = open(&file_of(&damaged));
    let damage = replay.diagnosis().unwrap_err();
    assert_eq!(damage.problem, Problem::Malformed("the diagnosis cannot be read"));
    // Everything else is there.
    assert!(replay.result().is_some() && !replay.faults().unwrap().is_empty());
    assert_eq!(replay.seek(toys(), 300).unwrap(), open(&small()).seek(toys(), 300).unwrap());
}

#[test]
fn every_truncation_leaves_a_readable_prefix() {
    let good = small();
    let body = file_of(&blocks(&good)).len();
    let original = open(&good);
    for length in 0..good.len() {
        let Ok(replay) = Replay::open(&good[..length]) else { continue };
        if length >= body {
            let damage = replay.damage().expect("the index is missing");
            assert_eq!((damage.problem, damage.good_steps), (Problem::Index, replay.steps()));
            assert_eq!(replay.result(), original.result());
            continue;
        }
        let damage = replay.damage().expect("the result is missing");
        assert!(matches!(damage.problem, Problem::Truncated | Problem::Unfinished), "{damage}");
        assert_eq!((damage.good_steps, replay.result()), (replay.steps(), None));
        let last = replay.seek(toys(), replay.steps());
        let whole = original.seek(toys(), replay.steps());
        assert_eq!(last.unwrap(), whole.unwrap());
        match replay.verify(toys()) {
            Verdict::Unproven { good_steps, reason: ReadError::Damaged(found), .. } => {
                assert_eq!((good_steps, found), (replay.steps(), damage));
            }
            other => panic!("{other}"),
        }
    }
}

#[test]
fn a_killed_recorder_leaves_what_was_played() {
    let mut game = toy(2, 2, 5_000, 1);
    let mut writer = Writer::new(Vec::new(), &game, &bots(2)).unwrap();
    for step in 0..3_000 {
        let answers = game.scripted_answers(Seed(1), step);
        game.step(&answers);
        writer.step(&answers, &game).unwrap();
    }
    let whole = writer.finish(&game, End::Interrupted, &[]).unwrap();
    let replay = open(&whole[..whole.len() * 9 / 10]);
    assert!(replay.steps() > 2_000, "{} of 3000 steps", replay.steps());
    assert!(replay.seek(toys(), replay.steps()).is_ok());
}

#[test]
fn damage_names_offset_and_last_good_step() {
    let mut file = small();
    let second = blocks(&file).iter().position(|(kind, _)| *kind == 2).unwrap() + 2;
    let offset = file_of(&blocks(&file)[..second]).len();
    file[offset + 20] ^= 1;
    let verdict = open(&file).verify(toys()).to_string();
    let expected = format!(
        "not proven: damaged at byte {offset}: the checksum does not fit; good for 128 steps; \
         the first 128 of 300 steps follow the rules, nothing after them counts"
    );
    assert_eq!(verdict, expected);
    assert!(open(&file).seek(toys(), 128).is_ok());
    assert!(open(&file).seek(toys(), 129).is_err());
}

#[test]
fn other_files_are_told_apart() {
    let error = |file: &[u8]| Replay::open(file).unwrap_err().to_string();
    assert_eq!(
        error(b"GIF89a"),
        "this is no replay of Agon (the first bytes are not those of one)"
    );
    let mut later = small();
    later[8] = 9;
    assert_eq!(error(&later), "this replay has format version 9; this Agon reads version 1");
    assert!(matches!(Replay::open(&small()[..9]), Err(OpenError::Header(Problem::Truncated))));
}

/// Returns a file like the small one, with a changed header.
fn with_header(from: &str, to: &str) -> Replay {
    let mut blocks = blocks(&small());
    blocks[0] = edited(&blocks[0], |text| {
        assert!(text.contains(from), "{text}");
        text.replace(from, to)
    });
    open(&file_of(&blocks))
}

#[test]
fn other_rules_and_games_are_refused_by_name() {
    let error = |from, to| with_header(from, to).verify(toys()).to_string();
    let other_rules = error("\"rules_version\":1", "\"rules_version\":2");
    let expected = "not proven: this replay was played under rules version 2 of toy; this Agon \
        plays version 1, so it cannot show it; use an Agon whose `agon --version` names toy 2";
    assert_eq!(other_rules, expected);
    assert_eq!(error("\"toy\"", "\"chess\""), "not proven: this is a replay of chess, not of toy");
    let unknown = error("\"turns\"", "\"rounds\"");
    assert!(
        unknown.contains("the header's rules cannot be read: unknown field `rounds`"),
        "{unknown}"
    );
    let setup = error("\"turns\":300", "\"turns\":0");
    assert!(setup.contains("the match cannot be set up: turns: 0 is not between"), "{setup}");
    assert!(
        error("\"seed\":\"1\",", "\"seed\":\"2\",").contains("step 0"),
        "another seed gives other states"
    );
}

#[test]
fn a_forged_state_is_found() {
    let mut game = toy(2, 5, 200, 1);
    let mut writer = Writer::new(Vec::new(), &game, &bots(2)).unwrap();
    for step in 0..200 {
        let answers = game.scripted_answers(Seed(1), step);
        game.step(&answers);
        let told = if step == 77 { adding([4; 10]) } else { answers };
        writer.step(&told, &game).unwrap();
    }
    let replay = open(&writer.finish(&game, End::Over, &[]).unwrap());
    match replay.verify(toys()) {
        Verdict::Unproven {
            good_steps: 77,
            steps: 200,
            reason: ReadError::Differs(difference),
        } => {
            assert_eq!(difference.step, 77);
            assert!(
                matches!(difference.kind, DifferenceKind::Hash { bytes: 5, .. }),
                "{difference}"
            );
        }
        other => panic!("{other}"),
    }
    assert!(replay.seek(toys(), 77).is_ok());
    assert!(matches!(replay.seek(toys(), 78), Err(ReadError::Differs(_))));
}

#[test]
fn a_wrong_number_of_answers_is_found() {
    let mut game = toy(2, 5, 200, 1);
    let mut writer = Writer::new(Vec::new(), &game, &bots(2)).unwrap();
    game.step(&adding([1; 10]));
    writer.step(&adding([1; 9]), &game).unwrap();
    let replay = open(&writer.finish(&game, End::Limit, &[]).unwrap());
    let expected = "not proven: step 0: the game asks for 10 decisions, the replay has 9 answers";
    assert_eq!(replay.verify(toys()).to_string(), expected);
}

#[test]
fn a_forged_result_is_found() {
    let mut blocks = blocks(&small());
    let last = blocks.len() - 1;
    let changes = [
        ("\"place\":1", "standing"),
        ("\"end\":\"over\"", "reason for the end"),
        ("\"steps\":300", "number of steps"),
    ];
    for (part, what) in changes {
        let good = blocks[last].clone();
        blocks[last] = edited(&good, |text| {
            assert!(text.contains(part), "{text}");
            let forged = part.replace('1', "2").replace("over", "limit").replace('3', "4");
            text.replace(part, &forged)
        });
        let verdict = open(&file_of(&blocks)).verify(toys()).to_string();
        assert!(
            verdict.contains(&format!("the recorded result has another {what}; all 300 steps")),
            "{verdict}"
        );
        blocks[last] = good;
    }
}

#[test]
fn a_bad_key_frame_is_found_but_does_not_stop_a_seek() {
    let good = record(toy(8, 100, 800, 3), 4, 2_000, 0);
    let mut blocks = blocks(&good);
    let key = blocks.iter().position(|(kind, _)| *kind == 3).expect("there is a key frame");
    let step = varint(&mut blocks[key].1.as_slice());
    let at = blocks[key].1.len() - 1;
    blocks[key].1[at] ^= 1;
    let replay = open(&file_of(&blocks));
    assert!(!replay.verify(toys()).is_proven());
    assert_eq!(replay.seek(toys(), step + 1).unwrap(), open(&good).seek(toys(), step + 1).unwrap());
}

#[test]
fn blocks_in_a_wrong_order_are_found() {
    let good = blocks(&small());
    let steps: Vec<usize> = (0..good.len()).filter(|&i| good[i].0 == 2).collect();
    let problem = |blocks: &[Block]| {
        open(&file_of(blocks)).damage().expect("it is damaged").problem.to_string()
    };
    let mut swapped = good.clone();
    swapped.swap(steps[0], steps[1]);
    assert_eq!(problem(&swapped), "steps are missing");
    let mut doubled = good.clone();
    doubled.insert(1, good[0].clone());
    assert_eq!(problem(&doubled), "there is a second header");
    let mut unknown = good.clone();
    unknown[1].0 = 77;
    assert_eq!(problem(&unknown), "there are no blocks of kind 77");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_bytes_behind_good_checksums_are_read_or_refused(
        block in 0usize..20,
        at: prop::sample::Index,
        bytes in prop::collection::vec(any::<u8>(), 0..12),
        cut: bool,
    ) {
        let mut blocks = blocks(&small());
        let index = block % blocks.len();
        let payload = &mut blocks[index].1;
        let at = at.index(payload.len());
        let end = (at + bytes.len()).min(payload.len());
        payload.splice(at..end, bytes);
        if cut {
            payload.truncate(at);
        }
        read_all(&file_of(&blocks));
    }

    #[test]
    fn any_text_in_the_header_is_read_or_refused(
        from in 0usize..200,
        text in "[0-9\\[\\]{}\":,a-z]{0,8}",
    ) {
        let mut blocks = blocks(&small());
        blocks[0] = edited(&blocks[0], |mut header| {
            let from = from.min(header.len());
            let to = (from + text.len()).min(header.len());
            header.replace_range(from..to, &text);
            header
        });
        // The header may now claim a long match: reading stops at the first state that differs.
        if let Ok(replay) = Replay::open(file_of(&blocks)) {
            let _ = replay.verify(toys());
        }
    }
}

/// Reads a block of steps independently, by its description on the page.
#[test]
fn the_page_describes_the_steps() {
    let game = toy(3, 10, 200, 1);
    let mut state = game.clone();
    let mut step = 0;
    for (_, payload) in blocks(&record(game, 6, 500, 0)).iter().filter(|(kind, _)| *kind == 2) {
        let input = &mut payload.as_slice();
        let first = varint(input);
        let steps = varint(input);
        let decisions = varint(input);
        let width = usize::from(input[0]);
        assert_eq!((first, width), (step, (decisions / steps / 2).clamp(1, 8) as usize));
        let (hashes, rest) = input[1..].split_at(width * steps as usize);
        let (last, mut rest) = rest.split_at(8);
        let counts = stream(&mut rest);
        let answers = stream(&mut rest);
        let mut counts = counts.as_slice();
        let mut answers = answers.as_slice();
        for hash in hashes.chunks(width) {
            let (now, later) = answers.split_at(varint(&mut counts) as usize);
            let now = adding(now.iter().copied());
            assert_eq!(now, state.scripted_answers(Seed(6), step));
            state.step(&now);
            assert_eq!(state.state_hash().to_le_bytes()[..width], *hash);
            answers = later;
            step += 1;
        }
        assert_eq!(last, state.state_hash().to_le_bytes());
        assert!(rest.is_empty() && counts.is_empty() && answers.is_empty());
    }
    assert_eq!(step, 200);
}
