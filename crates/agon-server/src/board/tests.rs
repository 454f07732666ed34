//! What luck is worth: with SQLite, and with PostgreSQL if the variable for it is there.

use agon_games::GameId;
use agon_match::spec::Digest;
use agon_rating::Skill;

use super::Board;
use crate::{
    arenas,
    database::Statement,
    store::{
        Store,
        arenas::{Arena, RankedBy, Ranks},
        bots::{self, Bot},
        counts,
        tests::{ARENA, store},
        versions::{self, PlayState, State, Version},
    },
};

/// A boss, and bots of two authors.
const BOSS: i64 = 1;
const STEADY: i64 = 2;
const LUCKY: i64 = 3;

/// The version of the second author that was lucky, and all of them: each has the same files.
const BEST: i64 = 106;
const SAME: [(i64, i64); 14] = [
    (100, 3),
    (101, 1),
    (102, 4),
    (103, 2),
    (104, 5),
    (105, 3),
    (BEST, 6),
    (107, 2),
    (108, 3),
    (109, 4),
    (110, 1),
    (111, 3),
    (112, 5),
    (113, 2),
];

fn bot(id: i64, active: i64) -> Statement {
    Bot {
        id,
        arena: ARENA,
        slug: id.to_string(),
        name: id.to_string(),
        active: Some(active),
        ..Bot::default()
    }
    .insert()
}

fn version(id: i64, bot: i64, number: u32) -> Statement {
    let Skill { mu, sigma } = Skill::default();
    Version {
        id,
        bot,
        number,
        state: State::Ready,
        source: Some(Digest::of(&bot.to_le_bytes())),
        ready: Some(0),
        play: PlayState { mu, sigma, ..PlayState::default() },
        ..Version::default()
    }
    .insert()
}

/// Has a version win so many of its matches against the boss.
fn play(version: i64, wins: i64, matches: i64) -> Vec<Statement> {
    let result = |wins| if wins { [2, 1] } else { [1, 2] };
    let mut all = Vec::new();
    for number in 0..matches {
        all.extend(counts::count(ARENA, &[BOSS, version], &result(number < wins), 1));
        let Skill { mu, sigma } = Skill::default();
        let play = PlayState { mu, sigma, matches: number as u64 + 1, ..PlayState::default() };
        all.push(versions::keep(version, &play));
    }
    all
}

/// The ranks of the two authors' bots, and what the second one owes.
async fn ranks(store: &Store, ranks: Ranks) -> (Option<u64>, Option<u64>, u64) {
    let mut arena = Arena { id: ARENA, ..arenas::first(GameId::ALL[0]) };
    arena.settings.ranks = Some(ranks);
    let board = Board::read(store, &arena, &Board::default()).await.unwrap();
    let lucky = &board.bots[&LUCKY];
    (board.bots[&STEADY].rank, lucky.rank, lucky.owed)
}

#[tokio::test]
async fn the_luckiest_of_many_versions_is_not_before_one_that_has_proven_its_strength() {
    let (_folder, store) = store().await;
    let mut all = vec![bot(BOSS, BOSS), version(BOSS, BOSS, 1)];
    all.extend([bot(STEADY, STEADY), version(STEADY, STEADY, 1), bot(LUCKY, 113)]);
    all.extend(play(STEADY, 100, 167));
    for (number, (id, wins)) in (1..).zip(SAME) {
        all.push(version(id, LUCKY, number));
        all.extend(play(id, wins, 6));
    }
    store.write(all).await.unwrap();
    // The author has the lucky one play.
    let plain = Ranks { by: RankedBy::Rating, least: 0 };
    store.write(vec![bots::set_active(LUCKY, Some(BEST))]).await.unwrap();
    assert_eq!(ranks(&store, plain).await, (Some(2), Some(1), 0), "this is luck");
    let least = Ranks::default().least;
    assert_eq!(ranks(&store, Ranks::default()).await, (Some(1), None, 4));
    store.write(vec![versions::owe(BEST, least)]).await.unwrap();
    assert_eq!(ranks(&store, Ranks::default()).await, (Some(1), None, 10));
    let fifty = Ranks { by: RankedBy::Rating, least: 50 };
    assert_eq!(ranks(&store, fifty).await, (Some(1), None, 44));
    // Matches that it owes are of the strength that it has, and then it has a rank again.
    let Skill { mu, sigma } = Skill::default();
    for (number, is_won) in (7_u64..).zip([true, false, false, true, false, true, false, false]) {
        let places = if is_won { [2, 1] } else { [1, 2] };
        let mut played = counts::count(ARENA, &[BOSS, BEST], &places, 1);
        let play = PlayState { mu, sigma, matches: number, ..PlayState::default() };
        played.push(versions::keep(BEST, &play));
        store.write(played).await.unwrap();
    }
    assert_eq!(ranks(&store, Ranks::default()).await, (Some(1), None, 2));
    let play = PlayState { mu, sigma, matches: 16, ..PlayState::default() };
    store.write(vec![versions::keep(BEST, &play), versions::keep(BEST, &play)]).await.unwrap();
    let (steady, lucky, owed) = ranks(&store, Ranks::default()).await;
    assert!(steady < lucky && lucky.is_some() && owed == 0, "{steady:?} {lucky:?} {owed}");
}

#[tokio::test]
async fn a_version_that_has_not_played_has_no_rating() {
    let (_folder, store) = store().await;
    let mut all = vec![bot(BOSS, BOSS), version(BOSS, BOSS, 1), bot(LUCKY, 101)];
    all.extend([version(100, LUCKY, 1), version(101, LUCKY, 2)]);
    all.extend(play(100, 20, 20));
    store.write(all).await.unwrap();
    let arena = Arena { id: ARENA, ..arenas::first(GameId::ALL[0]) };
    let board = Board::read(&store, &arena, &Board::default()).await.unwrap();
    assert!(board.rating(100).is_some() && board.rating(101).is_none());
    let last = board.playing.last().unwrap();
    assert_eq!((last.bot, last.rank, last.rating, last.owed), (LUCKY, None, None, 10));
    assert!(board.milestones(101).all(|(_, is_reached)| !is_reached));
}
