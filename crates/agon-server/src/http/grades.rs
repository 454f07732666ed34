//! Grades: the published ranking of authors as CSV, for a teacher's table.

use std::collections::{BTreeMap, BTreeSet};

use agon_core::text::{csv_line, number::plural};
use agon_ladder::api::{BotState, LeaderboardRow, Role};
use axum::{
    extract::{Path, State},
    http::header,
    response::{IntoResponse, Response},
};

use super::{reply::Shown, views, visitor::Visitor};
use crate::{
    app::App,
    board::BoardBot,
    ranking::{self, Ranked},
    store::{bots::DISABLED, people::Person},
};

/// The published ranking of authors, for a teacher's table. Authors without a bot are in it, too.
pub(super) async fn grades(
    State(app): State<App>,
    Path(slug): Path<String>,
    visitor: Visitor,
) -> Shown<Response> {
    visitor.must_be(Role::Organiser)?;
    let arena = views::arena(&app, &slug)?;
    let board = arena.board();
    let published = board.listed.iter();
    let row = |ranked| Some((ranked, views::row(&board, ranked, &visitor)?));
    let published: Vec<(&Ranked, LeaderboardRow)> = published.filter_map(row).collect();
    let listed: BTreeSet<i64> = published.iter().map(|(ranked, _)| ranked.bot).collect();
    let bosses = published.iter().filter(|(_, row)| row.bot.boss);
    let bosses: Vec<f64> = bosses.filter_map(|(_, row)| Some(row.rating?.elo)).collect();
    // Spreadsheets see by the first character that it is UTF-8.
    let mut text = "\u{feff}rank,author,bot,version,rating,matches,faults,bosses_beaten,bosses,\
                    lower_end,best_rank,worst_rank,state,name\n"
        .to_owned();
    let people = app.store.people().await?;
    // The name for signing in, which may come from a class list.
    let name_of = |bot: &BoardBot| {
        let owner = people.iter().find(|person| Some(person.id) == bot.bot.owner);
        owner.map(|owner| owner.name.clone()).unwrap_or_default()
    };
    let in_all = bosses.len().to_string();
    let state = |bot: &BoardBot, owed: u64| state_in_words(views::bot_state(bot), owed);
    let line = |rank: Option<usize>, ranked: &Ranked, row: &LeaderboardRow| {
        // What decides ranks decides this, too.
        let is_beaten = |boss: &&f64| rank.is_some() && ranked.place.value > **boss;
        let beaten = bosses.iter().filter(is_beaten).count();
        let rounded = |number: Option<f64>| number.map(|number| format!("{number:.0}"));
        let ranks = row.ranks.filter(|_| rank.is_some());
        let bot = board.bots.get(&ranked.bot);
        csv_line([
            rank.map(|rank| rank.to_string()).unwrap_or_default(),
            row.bot.author.clone().unwrap_or_default(),
            row.bot.name.clone(),
            row.bot.version.unwrap_or(0).to_string(),
            rounded(row.rating.map(|rating| rating.elo)).unwrap_or_default(),
            row.matches.to_string(),
            row.faults.to_string(),
            beaten.to_string(),
            in_all.clone(),
            rounded(row.rating.and_then(|rating| rating.low)).unwrap_or_default(),
            ranks.map(|ranks| ranks.best.to_string()).unwrap_or_default(),
            ranks.map(|ranks| ranks.worst.to_string()).unwrap_or_default(),
            bot.map(|bot| state(bot, row.owed)).unwrap_or_default(),
            bot.map(name_of).unwrap_or_default(),
        ])
    };
    let authors: Vec<_> = published.iter().filter(|(_, row)| !row.bot.boss).collect();
    for (ranked, row) in &authors {
        // Bots with the same rating share a rank here, too.
        // Those without a rank come behind all others.
        let better = authors.iter().take_while(|(_, other)| other.rank != row.rank).count();
        text.push_str(&line(row.rank.map(|_| 1 + better), ranked, row));
    }
    // Who does not play is in no table, but its results are known.
    let is_absent = |bot: &BoardBot| bot.bot.owner.is_some() && !listed.contains(&bot.bot.id);
    let absent = |id: i64| {
        let (bot, version) = board.version(id)?;
        (is_absent(bot) && bot.bot.active == Some(id)).then_some(version)
    };
    let ranks = arena.settings().ranks();
    let of_absent =
        |ranked: Ranked| Some((ranked.bot, (ranked, views::row(&board, &ranked, &visitor)?)));
    let table = board.published.iter();
    let absent: BTreeMap<i64, (Ranked, LeaderboardRow)> = table
        .flat_map(|(_, table)| ranking::listed(table, absent, ranks))
        .filter_map(of_absent)
        .collect();
    let without_rank = |author: &str, bot: &str, version: &str, state: &str, name: &str| {
        csv_line(["", author, bot, version, "", "", "", "", &in_all, "", "", "", state, name])
    };
    for (id, bot) in board.bots.iter().filter(|(_, bot)| is_absent(bot)) {
        text.push_str(&match absent.get(id) {
            Some((ranked, row)) => line(None, ranked, row),
            None => {
                let version = bot.bot.active.and_then(|id| board.versions.get(&id));
                let version = version.map(|version| version.number.to_string()).unwrap_or_default();
                let (state, name) = (state(bot, bot.owed), name_of(bot));
                without_rank(&bot.author, &bot.bot.name, &version, &state, &name)
            }
        });
    }
    let is_without = |person: &&Person| {
        person.role == Role::Author
            && person.disabled.is_none()
            && board.own_bot(person.id).is_none()
    };
    let season = arena.settings().final_of.and_then(|of| app.arena_of(of.season));
    let season = season.map(|season| season.board());
    for person in people.iter().filter(is_without) {
        let (bot, state) = match season.as_ref().and_then(|season| season.own_bot(person.id)) {
            Some(bot) if views::bot_state(bot).0 == BotState::Playing => {
                (bot.bot.name.as_str(), "did not take part".to_owned())
            }
            Some(bot) => (bot.bot.name.as_str(), format!("did not take part: {}", state(bot, 0))),
            None => ("", "no bot".to_owned()),
        };
        text.push_str(&without_rank(&person.shown, bot, "", &state, &person.name));
    }
    let headers = [
        (header::CONTENT_TYPE, "text/csv; charset=utf-8".to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{slug}.csv\"")),
    ];
    Ok((headers, text).into_response())
}

fn state_in_words((state, reason): (BotState, Option<String>), owed: u64) -> String {
    let reason = reason.unwrap_or_default();
    match state {
        BotState::Playing if owed > 0 => format!("no rank: {}", plural(owed, "more match")),
        BotState::Playing => "plays".to_owned(),
        BotState::NoVersion => "no version is ready".to_owned(),
        BotState::Paused if reason == DISABLED => "account disabled".to_owned(),
        BotState::Paused => format!("paused: {reason}"),
        BotState::Disqualified => format!("disqualified: {reason}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grades_say_why_a_bot_that_plays_has_no_rank() {
        let state = |owed| state_in_words((BotState::Playing, None), owed);
        assert_eq!((state(0).as_str(), state(4).as_str()), ("plays", "no rank: 4 more matches"));
        let paused = |why: &str| state_in_words((BotState::Paused, Some(why.to_owned())), 4);
        assert_eq!(paused("a rest"), "paused: a rest");
        assert_eq!(paused(DISABLED), "account disabled");
    }
}
