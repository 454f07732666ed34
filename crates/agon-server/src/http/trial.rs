//! Trial matches of what is in the editor.

use agon_ladder::api::{BotRef, Fault, FaultCount, Seat};
use agon_match::replay::Replay;

use super::entry::{Sent, Wanted, enter, kits, read};
use super::hand_in::{self, latest, unasked};
use super::matches::{ReplayQuery, replay_file};
use super::parts::lists::{faults, seats};
use super::prelude::*;
use crate::arenas::boss_names;
use crate::tries::{self, TrialResult, TrialState};

pub(super) async fn begin(
    Get { app, path: slug, visitor, .. }: Get<String>,
    upload: Upload,
) -> Page {
    let person = visitor.must_be(Role::Author)?;
    let arena = views::arena(&app, &slug)?;
    let fields = &upload.fields;
    let language = fields.get("language").to_owned();
    let sent = match fields.get("way") {
        "files" => Sent::Files(upload.files),
        _ => Sent::Code { language: language.clone(), code: fields.get("code").to_owned() },
    };
    let done = read(&app, &arena, sent).await?;
    let done =
        done.map_err(|error| failure(Unprocessable, "This cannot be tried", error.to_string()))?;
    let opponents = boss_names(arena.settings().game);
    let wanted = fields.get("opponent");
    let opponent = opponents.iter().find(|name| *name == wanted).unwrap_or(&opponents[0]).clone();
    let message = fields.get("message").to_owned();
    let id = app.tries.add(arena, person.id, done, language, message, opponent);
    let id = id.map_err(|error| {
        failure(RateLimited, "There is something to wait for", as_sentence(&error.to_string()))
    })?;
    Ok(to(&format!("/arenas/{slug}/tries/{id}")))
}

/// Finds a trial match of this person.
fn find(app: &App, visitor: &Visitor, slug: &str, id: i64) -> Shown<tries::Trial> {
    let person = visitor.must_be(Role::Author)?;
    let trial = app.tries.get(id).filter(|trial| {
        trial.arena.get().slug == slug
            && (trial.owner == person.id || person.role >= Role::Organiser)
    });
    trial.ok_or_else(|| {
        let advice = "They are kept for an hour; play another one.";
        failure(ProblemCode::NotFound, "There is no such trial match", advice)
    })
}

/// Shows a trial match. Everything is in `#live`: the script shows it below the editor, too.
pub(super) async fn page(Get { app, path: (slug, id), visitor, .. }: Get<(String, i64)>) -> Page {
    let trial = find(&app, &visitor, &slug, id)?;
    // Organisers see the trial matches of others.
    let owner = app.store.person_of(trial.owner).await?;
    let extension = app.store.extension(trial.arena.id(), trial.owner).await?;
    let name = owner.map(|owner| owner.shown).unwrap_or_default();
    let own = app.store.own_bot(trial.arena.id(), trial.owner).await?;
    let game = trial.arena.settings().game;
    let kits = kits(&app, &trial.arena);
    let latest = latest(&app, own.as_ref(), game, kits).await?;
    let replaces = latest.and_then(|latest| latest.not_opened(&trial.language));
    let can_hand_in = trial.arena.settings().season.is_open(now(), extension);
    let head = views::head(&trial.arena, &trial.arena.board(), &visitor);
    let is_live = !matches!(trial.state, TrialState::Over(_) | TrialState::Failed(..));
    let result = match &trial.state {
        TrialState::Over(result) => Some(result),
        _ => None,
    };
    let seated = result.map(|result| seats_of(result, &name)).unwrap_or_default();
    let failed = match &trial.state {
        TrialState::Failed(_, output) if !output.is_empty() => Some(output),
        _ => None,
    };
    let back = format!("{}?try={id}", head.below("hand-in"));
    let main = html! {
        h1 { "Trial match" }
        p { a href=(back) { "← Back to the editor" } }
        div #live data-live=(is_live) data-announce=(announcement(&trial.state)) {
            (state(&app, &trial, id, is_live))
            @if let Some(result) = result {
                @let players = result.outcome.result.standing.players.iter();
                @let scores: Vec<String> = players.map(|it| it.score.to_string()).collect();
                (seats(&slug, &seated, &scores))
                @let replay = format!("/arenas/{slug}/tries/{id}/replay.agon");
                (viewer("Viewer: the trial match", game, &replay, None))
            }
            @if can_hand_in {
                @let action = head.below(&format!("tries/{id}/hand-in"));
                (form::form(&visitor, &action, html! {
                    @let is_first = head.arena.own_bot.is_none();
                    (hand_in::fields("trial", is_first, &name, &trial.message, ""))
                    (form::replaces("trial", replaces.as_deref()))
                    button.primary type="submit" { "Hand in this bot" }
                }))
            }
            @if let Some(result) = result {
                // The author's bot has the first seat.
                @let own = result.outcome.result.faults.iter();
                @let own = own.filter(|fault| fault.player.index() == 0);
                @let own: Vec<Fault> = own.map(|fault| views::fault(fault, true)).collect();
                @if !own.is_empty() { (section("faults", "Faults", faults(&seated, &own, 0))) }
                @let stderr = views::stderr(&result.stderr);
                @if !stderr.is_empty() {
                    (section("stderr", "stderr of your bot", log("", &stderr)))
                }
            }
            @if let Some(output) = failed {
                (section("build", "Build", log("what the build wrote", output)))
            }
        }
    };
    Ok(arena_page(&visitor, &head, Tab::HandIn, "Trial match", main))
}

fn announcement(state: &TrialState) -> &'static str {
    match state {
        TrialState::Waiting => "The trial match waits",
        TrialState::Building => "The bot is being built",
        TrialState::Playing => "The trial match is being played",
        TrialState::Over(_) => "The trial match is over",
        TrialState::Failed(..) => "The trial match could not be played",
    }
}

fn state(app: &App, trial: &tries::Trial, id: i64, is_live: bool) -> Markup {
    // The author's bot has the first seat.
    let has_faults = |result: &TrialResult| {
        result.outcome.result.faults.iter().any(|fault| fault.player.index() == 0)
    };
    let kind = match &trial.state {
        TrialState::Failed(..) => "problem",
        TrialState::Over(result) if has_faults(result) => "warning",
        TrialState::Over(_) => "done",
        _ => "plain",
    };
    let language = Kit::find(&trial.language);
    let language = language.map_or_else(|_| trial.language.clone(), |kit| kit.manifest.language);
    html! {
        div class={ "notice state " (kind) } {
            p {
                strong { (announcement(&trial.state)) ". " }
                @match &trial.state {
                    TrialState::Waiting => {
                        (grouped(app.tries.before(id) as u64)) " are before it."
                    }
                    TrialState::Building | TrialState::Playing => {}
                    TrialState::Over(_) if kind == "done" => { "Your bot made no fault." }
                    TrialState::Over(_) => { "There were faults; they are listed below." }
                    TrialState::Failed(why, _) => { (sentence(&as_sentence(why))) }
                }
                @if !language.is_empty() { " " (badge::plain(&language)) }
            }
            @if is_live { p.reload { a href="" { "Reload" } " to see what is new." } }
        }
    }
}

/// Returns the seats of a trial match that is over.
fn seats_of(result: &TrialResult, author: &str) -> Vec<Seat> {
    let of = &result.outcome.result;
    let mut seats = Vec::new();
    for (seat, player) in of.players.iter().enumerate() {
        let faults = player.faults.iter().map(|(kind, count)| FaultCount {
            kind: kind.words().to_owned(),
            count: *count,
            example: None,
        });
        let bot = BotRef {
            name: player.bot.name.clone(),
            author: (seat == 0).then(|| author.to_owned()),
            boss: seat > 0,
            ..BotRef::default()
        };
        seats.push(Seat {
            seat: seat as u32,
            bot: Some(bot),
            own: seat == 0,
            place: Some(of.standing.players[seat].place),
            faults: faults.collect(),
            cpu_us: player.totals.as_ref().and_then(|totals| totals.cpu_us),
            ..Seat::default()
        });
    }
    seats
}

pub(super) async fn replay(get: Get<(String, i64), ReplayQuery>) -> Page {
    let Get { app, path: (slug, id), query, visitor } = get;
    let trial = find(&app, &visitor, &slug, id)?;
    let TrialState::Over(result) = &trial.state else { return Err(not_found("replay")) };
    // A replay that cannot be read would be a mistake of this program.
    Replay::open(result.replay.clone()).map_err(anyhow::Error::from)?;
    replay_file(&app, &format!("{slug}-trial"), result.replay.clone(), &query).await
}

pub(super) async fn hand_in(post: Post<(String, i64)>) -> Page {
    let Post { app, path: (slug, id), visitor, fields, .. } = post;
    let person = visitor.must_be(Role::Author)?;
    let trial = find(&app, &visitor, &slug, id)?;
    let asks = unasked(&app, &trial.arena, person.id, &fields, &trial.language).await?;
    if let Some(asks) = asks {
        return Err(failure(Conflict, "This would replace another version", asks));
    }
    let name = fields.get("name");
    let message = fields.get("message");
    let wanted = Wanted { name, message, nonce: None };
    match enter(&app, &trial.arena, person, &trial.bot, &wanted, Arrival::now()).await {
        Ok(place) => Ok(to(&place)),
        Err(refusal) if refusal.is_refusal() => {
            app.metrics.hand_in(false);
            Err(failure(Conflict, "This bot cannot be handed in", refusal.advice))
        }
        Err(failure) => Err(failure),
    }
}
