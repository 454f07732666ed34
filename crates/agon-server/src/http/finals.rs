//! What pages and the API show of finals, and what authors add to their draws.

use agon_ladder::api::{Final, FinalState};
use agon_ladder::ledger::{Entry, LINKS, from_hex};
use agon_match::spec::Digest;

use super::prelude::*;
use crate::finals::minutes;
use crate::store::finals::FinalDraw;
use crate::store::{finals, ledger};

/// Explains the ranking of a final.
pub(super) const RANKING: [&str; 3] = [
    "Everybody meets everybody equally often, and each pair or group sits equally often on each \
     seat. A seed decides which match comes when.",
    "Live ratings change with each match. After the last one, the published ratings are the \
     result: they explain all matches at once, with 95 % intervals. The range of ranks says which \
     ranks the results allow. An open end, as in ≥ 1800, means that no result bounds the rating on \
     that side. Bots with the same rating share a rank.",
    "In a match with more than two bots, each pair counts as a result. The server plays a match \
     again if it stood still itself. Only the rules of the game punish faults: a bot that keeps \
     failing plays on, and loses.",
];

/// Returns the final of an arena with its draw, if it has one.
async fn drawn(app: &App, of: &Arena) -> Shown<Option<FinalDraw>> {
    Ok(match of.settings.finals {
        Some(_) => app.store.final_draw(of.id).await?,
        None => None,
    })
}

/// Returns the final of an arena.
pub(super) async fn of(app: &App, of: &Arena) -> Shown<Option<Final>> {
    let Some(drawn) = drawn(app, of).await? else { return Ok(None) };
    let Some(settings) = of.settings.finals else { return Ok(None) };
    let secret = from_hex(&drawn.secret).unwrap_or_default();
    Ok(Some(Final {
        state: match (drawn.played_in, &drawn.draw) {
            (Some(_), _) => FinalState::Played,
            (None, Some(_)) => FinalState::Drawing,
            (None, None) => FinalState::Promised,
        },
        games: settings.games,
        most: settings.most,
        steps: settings.steps,
        pledge: Digest::of(&secret).to_string(),
        takes_nonces: drawn.draw.is_none() && !is_open(app, of).await?,
        played_in: drawn.played_in.and_then(|arena| slug_of(app, arena)),
    }))
}

fn slug_of(app: &App, arena: i64) -> Option<String> {
    Some(app.arena_of(arena)?.get().slug.clone())
}

/// Returns the arena in which the final of an arena is played, and that of whose season it is the
/// final.
pub(super) async fn related(
    app: &App,
    of: &Arena,
) -> Shown<(Option<ArenaHandle>, Option<ArenaHandle>)> {
    let played_in = drawn(app, of).await?.and_then(|drawn| drawn.played_in);
    let season = of.settings.final_of.and_then(|of| app.arena_of(of.season));
    Ok((played_in.and_then(|arena| app.arena_of(arena)), season))
}

/// Writes a link to an arena.
pub(super) fn to(arena: &ArenaHandle) -> Markup {
    let of = arena.get();
    html! { a href=(link::arena(&of.slug)) { (names::shown(&of.title, "the arena")) } }
}

/// Writes what the rules say of the final of an arena, and of the season whose final it is.
pub(super) async fn rules(app: &App, of: &Arena, own: Option<&Final>) -> Shown<Markup> {
    let season = of.settings.final_of.and_then(|of| app.arena_of(of.season));
    let (matches, seed) = match of.settings.final_of {
        Some(of) => {
            let draw = app.store.final_draw(of.season).await?.and_then(|drawn| drawn.draw);
            (of.matches, draw.and_then(|draw| draw.seed().ok()))
        }
        None => (0, None),
    };
    let drawn = drawn(app, of).await?;
    Ok(html! {
        @if let Some(season) = &season {
            @let seed = seed.map(|seed| seed.to_string()).unwrap_or_default();
            (section("final-of", "A final", html! {
                @let minutes = season.settings().finals.map_or(0, |finals| minutes(finals.steps));
                p {
                    "This is the final of " (to(season)) ": "
                    (counted(matches, "match", "matches")) " of versions that cannot change any \
                     more. Its matches and their seeds follow from the seed " code { (seed) }
                    @if minutes == 0 {
                        ". The organisers chose not to wait for it, so the people who run the \
                         server could try other versions before the deadline. "
                    } @else {
                        ", which nobody could choose. "
                    }
                    code { "agon ladder verify" } " checks all of it."
                }
            }))
        }
        @if let (Some(own), Some(drawn)) = (own, &drawn) {
            (section("final", "Final", html! {
                @let minutes = minutes(own.steps);
                @let percent = drawn.draw.as_ref().map_or(0, |draw| 100 * draw.links.len() / LINKS);
                p {
                    @match drawn.played_in.and_then(|arena| app.arena_of(arena)) {
                        Some(arena) => { "The final is played: " (to(&arena)) "." }
                        None if own.state == FinalState::Drawing => {
                            "All versions are fixed. The seed of the final is being computed: "
                            b { (percent) " %" } "."
                        }
                        None => {
                            "At the freeze all versions are fixed. Then the best "
                            (counted(own.most.into(), "bot", "bots"))
                            " of authors and all of Agon's own play a final: everybody meets \
                             everybody, in " (counted(own.games.into(), "match", "matches"))
                            " for each pair or group. Bots with a rank come first, then those that \
                             have played. One that has not played takes only a place that is left."
                        }
                    }
                }
                details {
                    summary { "Why nobody can choose its seed" }
                    p {
                        "The seed decides who has which seat when. It is made of a secret of this \
                         server, of all versions that take part, and of a secret number of each \
                         author who handed in with " code { "agon submit" } ". All of them are \
                         fixed before they are known: the public log has their digests. The digest \
                         of the server's secret is"
                    }
                    p { code.digest { (own.pledge) } }
                    p {
                        "From these the seed is computed by hashing "
                        @if minutes == 0 {
                            "a short time only. The organisers chose not to wait, so the people \
                             who run the server could try several versions of a bot before the \
                             deadline."
                        } @else {
                            "for about " (counted(minutes, "minute", "minutes")) ", one hash after \
                             the other. Each try with another version would take as long."
                        }
                    }
                    p {
                        "What remains possible: an author can withhold the secret number after the \
                         deadline. Who also knows the server's secret has the choice between two \
                         seeds in that way. The log shows who withheld it."
                    }
                }
            }))
        }
    })
}

/// Returns the name of the arena whose final an arena is.
pub(super) fn season_slug(app: &App, of: &Arena) -> Option<String> {
    of.settings.final_of.and_then(|of| slug_of(app, of.season))
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
    let refused = |title: &str, advice: &str| Err(failure(Conflict, title, advice));
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
        return Err(failure(Unprocessable, "This is another nonce", advice));
    }
    // The same request may come twice.
    if revealed.is_some() {
        return Ok(());
    }
    let entry = Entry::Nonce { version: version.cast_unsigned(), nonce: nonce.to_owned() };
    let statements = vec![finals::reveal_nonce(version, nonce), ledger::append(&entry)];
    Ok(app.store.write(statements).await?)
}
