//! `/arenas/{arena}/agents.txt`: everything for taking part, for programs that read.

use agon_console::kits::Kit;
use agon_ladder::guide::{ArenaGuide, Kit as GuideKit, Starter};
use axum::{
    extract::{Path, State},
    http::header,
    response::{IntoResponse, Response},
};

use super::{entry::kits, reply::Shown, rules::arena_of, views, visitor::Visitor};
use crate::{app::App, store::arenas::ArenaSettings};

/// The folder of the new bot in commands.
const FOLDER: &str = "fox";

pub(super) async fn page(
    State(app): State<App>,
    Path(slug): Path<String>,
    visitor: Visitor,
) -> Shown<Response> {
    let arena = views::arena(&app, &slug)?;
    let settings = arena.settings();
    let (meta, kits) = (settings.game.meta(), kits(&app, &arena));
    let memory = settings.matches.sandbox.memory.map(u64::from);
    let guide = ArenaGuide {
        arena: arena_of(&app, &arena, &visitor).await?,
        site: app.site.title.clone(),
        base: visitor.base.clone(),
        page: meta.page.to_owned(),
        offset: settings.season.offset,
        time_ms: views::time_of_answer(&settings),
        memory_mib: memory.unwrap_or(agon_bots::sandbox::MEMORY.into()),
        turn: views::turn_name(settings.game).to_owned(),
        starter: starter(&kits, &settings),
        kits: kits.iter().map(|kit| kit_of(kit, &settings)).collect(),
    };
    Ok(([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], guide.text()).into_response())
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
