//! What pages and the API show of finals, and what authors add to their draws.

use agon_ladder::api;
use agon_ladder::ledger::{Entry, LINKS, from_hex};
use agon_ladder_pages::model::{ArenaLink, Final, FinalOf, FinalState};
use agon_match::spec::Digest;

use super::reply::{Shown, failure};
use crate::{
    app::App,
    arena_handle::ArenaHandle,
    finals::promise::minutes,
    store::{
        arenas::Arena,
        finals::{self, FinalDraw},
        ledger, now,
        people::Person,
    },
};

/// Returns the final of an arena with its draw, if it has one.
async fn drawn(app: &App, of: &Arena) -> Shown<Option<FinalDraw>> {
    Ok(match of.settings.finals {
        Some(_) => app.store.final_draw(of.id).await?,
        None => None,
    })
}

fn pledge(drawn: &FinalDraw) -> String {
    let secret = from_hex(&drawn.secret).unwrap_or_default();
    Digest::of(&secret).to_string()
}

fn link(app: &App, arena: i64) -> Option<ArenaLink> {
    let arena = app.arena_of(arena)?.get();
    Some(ArenaLink { slug: arena.slug.clone(), title: arena.title.clone() })
}

/// Returns what the rules say of an arena's final.
pub(super) async fn of_page(app: &App, of: &Arena) -> Shown<Option<Final>> {
    let Some(drawn) = drawn(app, of).await? else { return Ok(None) };
    let Some(settings) = of.settings.finals else { return Ok(None) };
    let state = match (drawn.played_in, &drawn.draw) {
        (Some(arena), _) => link(app, arena).map(FinalState::Played).unwrap_or_default(),
        (None, Some(draw)) => FinalState::Drawing((100 * draw.links.len() / LINKS) as u32),
        (None, None) => FinalState::Promised,
    };
    Ok(Some(Final {
        state,
        games: settings.games,
        most: settings.most,
        minutes: minutes(settings.steps),
        pledge: pledge(&drawn),
    }))
}

/// Returns the arena in which the final of an arena is played, and that of whose season it is the
/// final.
pub(super) async fn related(
    app: &App,
    of: &Arena,
) -> Shown<(Option<ArenaLink>, Option<ArenaLink>)> {
    let played_in = drawn(app, of).await?.and_then(|drawn| drawn.played_in);
    let season = of.settings.final_of.and_then(|of| link(app, of.season));
    Ok((played_in.and_then(|arena| link(app, arena)), season))
}

/// Returns of which season an arena is the final.
pub(super) async fn season_of(app: &App, of: &Arena) -> Shown<Option<FinalOf>> {
    let Some(final_of) = of.settings.final_of else { return Ok(None) };
    let draw = app.store.final_draw(final_of.season).await?.and_then(|drawn| drawn.draw);
    let seed = draw.and_then(|draw| draw.seed().ok());
    let season = app.arena_of(final_of.season).and_then(|season| season.settings().finals);
    Ok(Some(FinalOf {
        minutes: season.map_or(0, |finals| minutes(finals.steps)),
        season: link(app, final_of.season).unwrap_or_default(),
        matches: final_of.matches,
        seed: seed.map(|seed| seed.to_string()).unwrap_or_default(),
    }))
}

/// Returns the final of an arena for the API.
pub(super) async fn of_api(app: &App, of: &Arena) -> Shown<Option<api::Final>> {
    let Some(drawn) = drawn(app, of).await? else { return Ok(None) };
    let Some(settings) = of.settings.finals else { return Ok(None) };
    Ok(Some(api::Final {
        state: match (drawn.played_in, &drawn.draw) {
            (Some(_), _) => api::FinalState::Played,
            (None, Some(_)) => api::FinalState::Drawing,
            (None, None) => api::FinalState::Promised,
        },
        games: settings.games,
        most: settings.most,
        steps: settings.steps,
        pledge: pledge(&drawn),
        takes_nonces: drawn.draw.is_none() && !is_open(app, of).await?,
        played_in: drawn.played_in.and_then(|arena| link(app, arena)).map(|arena| arena.slug),
    }))
}

/// Returns the name of the arena whose final an arena is.
pub(super) fn season_slug(app: &App, of: &Arena) -> Option<String> {
    of.settings.final_of.and_then(|of| link(app, of.season)).map(|arena| arena.slug)
}

/// Returns whether anybody can still hand in: also an author with a later deadline.
async fn is_open(app: &App, of: &Arena) -> Shown<bool> {
    let season = &of.settings.season;
    let last = app.store.last_extension(of.id).await?;
    let deadline = season.deadline.map(|deadline| last.unwrap_or(0).max(deadline));
    // Nobody can once matches have ended.
    Ok(!season.is_over(now()) && deadline.is_none_or(|deadline| now() < deadline))
}

/// Keeps the nonce of an author's version that plays.
pub(super) async fn reveal(
    app: &App,
    arena: &ArenaHandle,
    person: &Person,
    nonce: &str,
) -> Shown<()> {
    // Nobody fixes the draw meanwhile: a nonce that the log has after it would be a contradiction.
    let _draw = app.drawing.lock().await;
    let of = arena.get();
    let refused = |title: &str, advice: &str| Err(failure(409, title, advice));
    let Some(drawn) = drawn(app, &of).await? else {
        return refused("This arena has no final", "There is nothing that it would be for.");
    };
    if is_open(app, &of).await? {
        return refused("It is too early", "Reveal it after the deadline: others still hand in.");
    }
    if drawn.draw.is_some() {
        return refused("It is too late", "The seed of the final is already being computed.");
    }
    let bot = app.store.own_bot(arena.id(), person.id).await?;
    let version = bot.and_then(|bot| bot.active);
    let pledged = match version {
        Some(version) => app.store.nonce(version).await?.map(|pledged| (version, pledged)),
        None => None,
    };
    let Some((version, (pledge, revealed))) = pledged else {
        return refused(
            "Your version that plays has no nonce",
            "It was handed in without one, or you have no bot here.",
        );
    };
    let fits = from_hex(nonce).is_some_and(|bytes| Digest::of(&bytes) == pledge);
    if !fits {
        let advice = "It must be the number whose digest came with the version that plays.";
        return Err(failure(422, "This is another nonce", advice));
    }
    // The same request may come twice.
    if revealed.is_some() {
        return Ok(());
    }
    let entry = Entry::Nonce { version: version.cast_unsigned(), nonce: nonce.to_owned() };
    let statements = vec![finals::reveal_nonce(version, nonce), ledger::append(&entry)];
    Ok(app.store.write(statements).await?)
}
