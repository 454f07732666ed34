//! Matches, and what organisers do with them.

use agon_ladder::api::{Match, MatchCheck, MatchLog, MatchSummary, ReasonRequest};

use super::{call::Download, prelude::*};
use crate::http::matches::{self, ALL, find, have_played, replay_bytes};
use crate::store::match_filter::MatchFilter;

/// Which page of which matches.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct MatchesQuery {
    /// Only matches of this bot: its name in addresses.
    #[serde(default)]
    bot: String,
    /// Only matches of this version of the bot.
    #[schemars(range(min = 0, max = 4_294_967_295_u32))]
    version: Option<u32>,
    /// Only matches with a fault: with `bot`, those in which this bot committed one.
    #[serde(default)]
    faults: bool,
    /// The `next` of the page before.
    #[serde(default)]
    cursor: String,
    /// How many matches the page has at most.
    #[serde(default = "usual")]
    #[schemars(range(min = 1, max = 200))]
    limit: u32,
}

pub(super) async fn list(call: Call<ArenaPath, MatchesQuery>) -> Shown<Json<List<MatchSummary>>> {
    let Call { app, path, query, .. } = call;
    let limit = limit(query.limit)?;
    let arena = views::arena(&app, &path.arena)?;
    let last = place("matches", &query.cursor, |text| text.parse::<u64>().ok())?;
    let before = last.unwrap_or(ALL).min(ALL);
    let most = limit as u32 + 1;
    let versions = match (query.bot.as_str(), query.version) {
        ("", Some(_)) => return Err(wrong("`version` needs `bot`.")),
        ("", None) => None,
        (bot, version) => {
            let bot = views::stored(&app, &arena, bot).await?;
            let mut versions = app.store.versions(bot.id).await?;
            if let Some(number) = version {
                versions.retain(|version| version.number == number);
                if versions.is_empty() {
                    return Err(not_found("version"));
                }
            }
            Some(have_played(&versions))
        }
    };
    let filter = MatchFilter { versions, with_faults: query.faults, ..MatchFilter::default() };
    let mut matches = app.store.matches(arena.id(), &filter, before, most).await?;
    let next = cut("matches", &mut matches, limit, |seated| seated.of.number.to_string());
    let board = arena.board();
    let items = matches.iter().map(|seated| views::match_summary(&board, seated)).collect();
    Ok(Json(List { items, next }))
}

pub(super) async fn get(call: Call<MatchPath>) -> Shown<Json<Match>> {
    let Call { app, visitor, path, .. } = call;
    let (arena, seated) = find(&app, &path.arena, path.number).await?;
    Ok(Json(views::whole_match(&arena, &seated, &visitor)))
}

pub(super) async fn replay(call: Call<MatchPath>) -> Shown<Download> {
    let Call { app, visitor, path, .. } = call;
    let (arena, seated) = find(&app, &path.arena, path.number).await?;
    let bytes = replay_bytes(&app, &arena, &seated, &visitor).await?;
    let name = format!("{}-{}.agon", arena.get().slug, path.number);
    Ok(Download { bytes, name, media_type: BYTES })
}

pub(super) async fn logs(call: Call<MatchPath>) -> Shown<Json<List<MatchLog>>> {
    let Call { app, visitor, path, .. } = call;
    let (arena, seated) = find(&app, &path.arena, path.number).await?;
    let board = arena.board();
    let may_see = views::may_see(&board, &seated, &visitor);
    let seats = seated.seats.iter().filter(|seat| may_see[seat.seat]);
    let log = |seat: &crate::store::matches::Seat| {
        let text = views::stderr(seat.stderr.as_deref()?);
        let bot = views::played(&board, seat.version);
        Some(MatchLog { seat: seat.seat as u32, bot, text })
    };
    Ok(Json(List { items: seats.filter_map(log).collect(), next: None }))
}

pub(super) async fn annul(call: Posted<MatchPath, ReasonRequest, true>) -> Shown<Json<Match>> {
    let Call { app, visitor, path, body: JsonBody(body), .. } = call;
    set_annulled(&app, &visitor, &path, Some(reason(&body)?)).await
}

pub(super) async fn restore(call: Call<MatchPath>) -> Shown<Json<Match>> {
    set_annulled(&call.app, &call.visitor, &call.path, None).await
}

async fn set_annulled(
    app: &App,
    visitor: &Visitor,
    path: &MatchPath,
    reason: Option<&str>,
) -> Shown<Json<Match>> {
    matches::set_annulled(app, visitor, &path.arena, path.number, reason).await?;
    let (arena, seated) = find(app, &path.arena, path.number).await?;
    Ok(Json(views::whole_match(&arena, &seated, visitor)))
}

pub(super) async fn check(call: Call<MatchPath>) -> Shown<Json<MatchCheck>> {
    let Call { app, visitor, path, .. } = call;
    let problem = matches::check(&app, &visitor, &path.arena, path.number).await?;
    Ok(Json(MatchCheck { proven: problem.is_none(), problem }))
}
