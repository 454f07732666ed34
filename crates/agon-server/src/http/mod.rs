//! Requests and pages.
//!
//! | module | contents |
//! | --- | --- |
//! | `connections` | lets clients connect if their requests come soon; HTTPS |
//! | `visitor` | who sends a request |
//! | `form` | requests for pages, fields of forms, and files |
//! | `reply` | pages, and failures of a kind with a remedy |
//! | `guard` | what holds for all requests: headers, origins, failures as pages |
//! | `operation` | for programs that watch the server |
//! | `api` | the JSON API |
//! | `bot_changes`, `entry`, `credentials` | what pages and API both do |
//! | `views` | from records to the types of the API, which pages show, too |
//! | `parts` | what pages share: frames, forms, tables, names, times |
//! | `prelude` | what most modules of pages use |
//! | others | a module for each area of pages, also with what the API does there |

mod account;
mod admin;
mod api;
mod arena;
mod arena_form;
mod bot;
mod bot_changes;
mod connections;
mod credentials;
mod entry;
mod finals;
mod form;
mod guard;
mod hand_in;
mod ledger;
mod matches;
mod operation;
mod parts;
mod people;
mod prelude;
mod reply;
mod rules;
mod statics;
mod trial;
mod version;
mod views;
mod visitor;

use agon_ladder::archive::MAX_BYTES;
use axum::routing::{get, post};
use axum::{Router, extract::DefaultBodyLimit, middleware};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use crate::app::App;

pub(crate) use self::connections::acceptor;

/// The most bytes of a form without files.
const FORM: usize = 1 << 20;

/// The most bytes of an upload: what is packed may be a little larger than the files.
const UPLOAD: usize = MAX_BYTES as usize + (1 << 20);

/// Serves requests until the program ends.
pub(crate) async fn serve(app: App, listener: TcpListener, tls: Option<TlsAcceptor>) {
    connections::serve(&app.clone(), listener, tls, router(app)).await;
}

fn router(app: App) -> Router {
    let uploads = Router::new()
        .route("/arenas/{arena}/hand-in", get(hand_in::page).post(hand_in::hand_in))
        .route("/arenas/{arena}/try", post(trial::begin))
        .layer(DefaultBodyLimit::max(UPLOAD));
    let arenas = Router::new()
        .route("/arenas/{arena}", get(arena::leaderboard))
        .route("/arenas/{arena}/events", get(arena::events))
        .route("/arenas/{arena}/rules", get(rules::page))
        .route("/arenas/{arena}/agents.txt", get(rules::agents_page))
        .route("/arenas/{arena}/matrix", get(arena::matrix))
        .route("/arenas/{arena}/matches", get(matches::list))
        .route("/arenas/{arena}/matches/{number}", get(matches::page))
        .route("/arenas/{arena}/matches/{number}/replay.agon", get(matches::replay))
        .route("/arenas/{arena}/matches/{number}/annul", post(matches::post_annul))
        .route("/arenas/{arena}/matches/{number}/restore", post(matches::post_restore))
        .route("/arenas/{arena}/matches/{number}/check", post(matches::post_check))
        .route("/arenas/{arena}/bots/{bot}", get(bot::page))
        .route("/arenas/{arena}/bots/{bot}/activate", post(bot::activate))
        .route("/arenas/{arena}/bots/{bot}/rename", post(bot::rename))
        .route("/arenas/{arena}/bots/{bot}/compare", post(bot::compare))
        .route("/arenas/{arena}/bots/{bot}/{action}", post(bot::stop))
        .route("/arenas/{arena}/bots/{bot}/versions/{number}", get(version::page))
        .route("/arenas/{arena}/tries/{id}", get(trial::page))
        .route("/arenas/{arena}/tries/{id}/replay.agon", get(trial::replay))
        .route("/arenas/{arena}/tries/{id}/hand-in", post(trial::hand_in));
    let accounts = Router::new()
        .route("/people/{name}", get(people::page))
        .route("/games/{game}", get(rules::game_page))
        .route("/games/{game}/kits/{language}", get(rules::kit_archive))
        .route("/sign-in", get(account::sign_in_page).post(account::sign_in))
        .route("/sign-out", post(account::sign_out))
        .route("/join/{code}", get(account::join_page).post(account::join))
        .route("/reset/{code}", get(account::reset_page).post(account::reset))
        .route("/account", get(account::page))
        .route("/account/display-name", post(account::set_display_name))
        .route("/account/password", post(account::set_password))
        .route("/account/tokens", get(account::to_account).post(account::make_token))
        .route("/account/tokens/{id}/revoke", post(account::revoke_token))
        .route("/account/sessions/sign-out-others", post(account::end_other_sessions))
        .route("/account/sessions/{id}/sign-out", post(account::end_session));
    let admin = Router::new()
        .route("/admin", get(admin::overview_page))
        .route("/admin/people", get(admin::people))
        .route("/admin/privacy", post(admin::set_privacy))
        .route("/admin/people/upload", get(admin::to_people).post(admin::upload_people))
        .route("/admin/people/{name}/role", post(admin::set_role))
        .route("/admin/people/{name}/reset", get(admin::to_people).post(admin::reset_link))
        .route("/admin/people/{name}/disable", post(admin::disable))
        .route("/admin/people/{name}/enable", post(admin::enable))
        .route("/admin/people/{name}/erase", get(people::erasing_page).post(people::erase_form))
        .route("/admin/invitations", get(admin::to_people).post(admin::invite))
        .route("/admin/invitations/{code}/withdraw", post(admin::withdraw))
        .route("/admin/log", get(admin::audit_log))
        .route("/admin/arenas", get(arena_form::list))
        .route("/admin/arenas/new", get(arena_form::new_page).post(arena_form::make))
        .route("/admin/arenas/{arena}", get(arena_form::change_page).post(arena_form::change))
        .route("/admin/arenas/{arena}/extensions", post(arena_form::change_extension))
        .route("/admin/arenas/{arena}/publish", post(arena_form::publish))
        .route("/admin/arenas/{arena}/{action}", post(arena_form::change_season))
        .route("/admin/arenas/{arena}/grades.csv", get(arena_form::grades));
    let log = Router::new()
        .route("/log/checkpoint", get(ledger::checkpoint))
        .route("/log/key", get(ledger::key))
        .route("/log/tile/{*path}", get(ledger::tile))
        .route("/log/terms/{name}", get(ledger::terms))
        .route("/log/tables/{name}", get(ledger::table))
        .route("/log/finals/{name}", get(ledger::draw))
        .route("/log/results/{arena}/{name}", get(ledger::result))
        .route("/log/replays/{arena}/{name}", get(ledger::replay))
        .route("/log/proofs/{arena}/{name}", get(ledger::proof));
    let statics = Router::new()
        .route("/static/{name}", get(statics::static_file))
        .route("/avatars/{name}", get(statics::avatar))
        .route("/viewer/", get(statics::viewer_page))
        .route("/viewer/{name}", get(statics::viewer))
        .route("/robots.txt", get(statics::robots))
        .route("/healthz", get(operation::health))
        .route("/readyz", get(operation::ready))
        .route("/metrics", get(operation::metrics));
    Router::new()
        .route("/", get(arena::front))
        .route("/events", get(arena::of_site))
        .merge(
            arenas
                .merge(accounts)
                .merge(admin)
                .merge(log)
                .merge(statics)
                .layer(DefaultBodyLimit::max(FORM)),
        )
        .merge(uploads)
        .merge(api::router())
        .fallback(guard::nothing_here)
        .layer(middleware::from_fn_with_state(app.clone(), guard::guard))
        .with_state(app)
}
