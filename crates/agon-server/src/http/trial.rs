//! Trial matches of what is in the editor.

use agon_kits::Kit;
use agon_ladder_pages::{
    model::{BotRef, Fault, FaultCount, Log, MatchSeat, Trial, TrialState as PageState},
    pages,
};
use agon_replay::Replay;
use axum::{
    extract::{Path, State},
    response::Response,
};
use tokio::task::spawn_blocking;

use super::{
    entry::{enter, kits, read},
    form::{Fields, Upload},
    hand_in::unasked,
    latest_code::latest,
    matches::attachment,
    reply::{Shown, failure, html, not_found, to},
    views,
    visitor::Visitor,
};
use crate::{
    app::App,
    arenas::boss_names,
    store::{arenas::Arrival, now, people::Role},
    tries::{self, TrialResult, TrialState},
};

pub(super) async fn begin(
    State(app): State<App>,
    Path(slug): Path<String>,
    visitor: Visitor,
    upload: Upload,
) -> Shown<Response> {
    let person = visitor.must_be(Role::Author)?;
    let arena = views::arena(&app, &slug)?;
    let (reading, sent, of) = (arena.clone(), upload.clone(), app.clone());
    let done =
        spawn_blocking(move || read(&of, &reading, &sent)).await.map_err(anyhow::Error::from)?;
    let done = done.map_err(|error| failure(422, "This cannot be tried", error.to_string()))?;
    let fields = &upload.fields;
    let opponents = boss_names(arena.settings().game);
    let wanted = fields.get("opponent");
    let opponent = opponents.iter().find(|name| *name == wanted).unwrap_or(&opponents[0]);
    let id = app.tries().add(
        arena,
        person.id,
        done,
        fields.get("language").to_owned(),
        fields.get("message").to_owned(),
        opponent.clone(),
    );
    let id = id.map_err(|error| {
        failure(429, "There is something to wait for", super::words::sentence(&error.to_string()))
    })?;
    Ok(to(&format!("/arenas/{slug}/tries/{id}")))
}

/// Finds a trial match of this person.
fn find(app: &App, visitor: &Visitor, slug: &str, id: i64) -> Shown<tries::Trial> {
    let person = visitor.must_be(Role::Author)?;
    let trial = app.tries().get(id).filter(|trial| {
        trial.arena.get().slug == slug
            && (trial.owner == person.id || person.role >= Role::Organiser)
    });
    trial.ok_or_else(|| {
        failure(404, "There is no such trial match", "They are kept for an hour; play another one.")
    })
}

pub(super) async fn page(
    State(app): State<App>,
    Path((slug, id)): Path<(String, i64)>,
    visitor: Visitor,
) -> Shown<Response> {
    let trial = find(&app, &visitor, &slug, id)?;
    let board = trial.arena.board();
    // Organisers see the trial matches of others.
    let owner = app.store.person_of(trial.owner).await?;
    let extension = app.store.extension(trial.arena.id(), trial.owner).await?;
    let name = owner.map(|owner| owner.shown).unwrap_or_default();
    let own = app.store.own_bot(trial.arena.id(), trial.owner).await?;
    let (game, kits) = (trial.arena.settings().game, kits(&app, &trial.arena));
    let latest = latest(&app, own.as_ref(), game, kits).await?;
    let mut model = Trial {
        arena: views::head(&trial.arena, &board, &visitor),
        id: id.to_string(),
        language: language_name(&trial.language),
        name: name.clone(),
        message: trial.message.clone(),
        replaces: latest.and_then(|latest| latest.not_opened(&trial.language)),
        can_hand_in: trial.arena.settings().season.is_open(now(), extension),
        ..Trial::default()
    };
    match &trial.state {
        TrialState::Waiting => model.state = PageState::Queued(app.tries().before(id) as u64),
        TrialState::Building => model.state = PageState::Building,
        TrialState::Playing => model.state = PageState::Playing,
        TrialState::Failed(why, output) => {
            model.state = PageState::Failed(super::words::sentence(why));
            model.build = (!output.is_empty()).then(|| Log {
                title: "what the build wrote".to_owned(),
                text: output.clone(),
                ..Log::default()
            });
        }
        TrialState::Over(result) => fill(&mut model, result, &name, &slug, id),
    }
    Ok(html(pages::trial(&visitor.context(), &model)))
}

/// Returns the name of a language for people.
fn language_name(id: &str) -> String {
    Kit::find(id).map_or_else(|_| id.to_owned(), |kit| kit.manifest.language)
}

fn fill(model: &mut Trial, result: &TrialResult, author: &str, slug: &str, id: i64) {
    let TrialResult { outcome, stderr, .. } = result;
    let of = &outcome.result;
    model.state = PageState::Over;
    model.progress = (of.turns, of.turns);
    for (seat, player) in of.players.iter().enumerate() {
        let standing = &of.standing.players[seat];
        let faults = player.faults.iter().map(|(kind, count)| FaultCount {
            kind: kind.words().to_owned(),
            count: *count,
            example: None,
        });
        let author = (seat == 0).then(|| author.to_owned());
        let name = player.bot.name.clone();
        model.seats.push(MatchSeat {
            bot: BotRef { name, author, boss: seat > 0, ..BotRef::default() },
            place: standing.place,
            score: standing.score.to_string(),
            faults: faults.collect(),
            thinking: player.totals.as_ref().and_then(|totals| totals.cpu_us),
            slowest: None,
            change: None,
            own: seat == 0,
        });
    }
    let own = of.faults.iter().filter(|fault| fault.player.index() == 0);
    model.faults = own
        .map(|fault| Fault {
            turn: fault.step,
            seat: 0,
            kind: fault.kind.words().to_owned(),
            detail: fault.detail.clone(),
            evidence: views::evidence(fault),
        })
        .collect();
    let text = views::stderr(stderr);
    model.stderr = (!text.is_empty()).then(|| Log { text, ..Log::default() });
    model.replay = format!("/arenas/{slug}/tries/{id}/replay.agon");
}

pub(super) async fn replay(
    State(app): State<App>,
    Path((slug, id)): Path<(String, i64)>,
    visitor: Visitor,
) -> Shown<Response> {
    let trial = find(&app, &visitor, &slug, id)?;
    let TrialState::Over(result) = &trial.state else { return Err(not_found("replay")) };
    // A replay that cannot be read would be a mistake of this program.
    Replay::open(result.replay.clone()).map_err(anyhow::Error::from)?;
    Ok(attachment(result.replay.clone(), &format!("{slug}-trial.agon")))
}

pub(super) async fn hand_in(
    State(app): State<App>,
    Path((slug, id)): Path<(String, i64)>,
    visitor: Visitor,
    fields: Fields,
) -> Shown<Response> {
    let person = visitor.must_be(Role::Author)?;
    let trial = find(&app, &visitor, &slug, id)?;
    let asks = unasked(&app, &trial.arena, person.id, &fields, &trial.language).await?;
    if let Some(asks) = asks {
        return Err(failure(409, "This would replace another version", asks));
    }
    match enter(&app, &trial.arena, person, &trial.bot, &fields, Arrival::now()).await? {
        Ok(place) => Ok(to(&place)),
        Err(why) => {
            app.metrics.hand_in(false);
            Err(failure(409, "This bot cannot be handed in", why.to_string()))
        }
    }
}
