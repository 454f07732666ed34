//! `/arenas/{arena}/agents.txt`: everything for taking part, for programs that read.

use agon_kits::Kit;
use agon_ladder_pages::guide::{ArenaGuide, Kit as GuideKit, Limits, Setting, Starter};
use axum::{
    extract::{Path, State},
    http::header,
    response::{IntoResponse, Response},
};

use super::{entry::kits, reply::Shown, views, visitor::Visitor};
use crate::{app::App, arena_handle::ArenaHandle, store::arenas::ArenaSettings};

/// The folder of the new bot in commands.
const FOLDER: &str = "fox";

pub(super) async fn page(
    State(app): State<App>,
    Path(slug): Path<String>,
    visitor: Visitor,
) -> Shown<Response> {
    let arena = views::arena(&app, &slug)?;
    let text = guide(&app, &arena, &visitor).text();
    Ok(([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response())
}

fn guide(app: &App, arena: &ArenaHandle, visitor: &Visitor) -> ArenaGuide {
    let of = arena.get();
    let settings = &of.settings;
    let (season, meta) = (&settings.season, settings.game.meta());
    let at = |at: Option<i64>| at.map(|at| views::zoned(at, &of).to_string());
    let kits = kits(app, arena);
    ArenaGuide {
        site: app.site.title.clone(),
        base: visitor.base.clone(),
        slug: of.slug.clone(),
        title: of.title.clone(),
        about: settings.about.clone(),
        phase: views::phase(&of).words().to_owned(),
        game: meta.id.to_owned(),
        rules_version: settings.rules_version,
        summary: meta.summary.to_owned(),
        page: meta.page.to_owned(),
        settings: settings_of(settings),
        limits: limits(settings),
        begin: at(season.begin),
        deadline: at(season.deadline),
        freeze: at(season.freeze),
        sources: views::sources(settings.sources).to_owned(),
        ranks: views::ranks(settings.ranks()),
        bosses: settings.bosses.iter().map(|boss| boss.name.clone()).collect(),
        starter: starter(&kits, settings),
        kits: kits.iter().map(|kit| kit_of(kit, settings)).collect(),
    }
}

fn settings_of(settings: &ArenaSettings) -> Vec<Setting> {
    let shown = views::settings(settings).into_iter();
    shown.map(|(name, value, meaning)| Setting { name, value, meaning }).collect()
}

fn limits(settings: &ArenaSettings) -> Limits {
    let memory = settings.matches.sandbox.memory.map(u64::from);
    Limits {
        time_ms: views::time_of_answer(settings),
        strikes: settings.matches.time.strikes.map(|strikes| strikes.get().into()),
        memory_mib: memory.unwrap_or(agon_bots::sandbox::MEMORY.into()),
        players: settings.players as u64,
        turns: settings.max_turns,
        turn: views::turn_name(settings.game).to_owned(),
        daily: settings.daily.into(),
        files: agon_archive::MAX_FILES as u64,
        bytes: agon_archive::MAX_BYTES,
    }
}

fn kit_of(kit: &Kit, settings: &ArenaSettings) -> GuideKit {
    GuideKit {
        id: kit.id.to_owned(),
        language: kit.manifest.language.clone(),
        build: kit.manifest.in_game(settings.game).build.unwrap_or_default(),
        files: kit.files(settings.game, FOLDER).into_keys().collect(),
    }
}

/// Returns a bot in the language that most people know; in the first one if it is not allowed.
fn starter(kits: &[Kit], settings: &ArenaSettings) -> Option<Starter> {
    let kit = kits.iter().find(|kit| kit.id == "python").or(kits.first())?;
    let file = kit.main_file(settings.game)?;
    let code = kit.files(settings.game, FOLDER).remove(&file)?;
    Some(Starter { kit: kit.id.to_owned(), file, code })
}
