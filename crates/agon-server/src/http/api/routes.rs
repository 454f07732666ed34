//! All routes of the API.

use agon_ladder::api::{BASE, Scope};
use axum::{Router, extract::DefaultBodyLimit, http::Method, routing::MethodRouter};

use super::{
    admin, arenas, bots, events, export, hand_in, matches, openapi, route::Route, server, tables,
    tokens, versions,
};
use crate::{
    app::App,
    http::sizes::{FORM, UPLOAD},
};

/// Registers the handlers of all routes.
pub(in crate::http) fn router() -> Router<App> {
    let mut router = Router::new();
    let routes = routes();
    openapi::write(&routes);
    for route in routes {
        let limit = DefaultBodyLimit::max(route.rules.largest.unwrap_or(FORM));
        let handler: MethodRouter<App> = (route.handler)(route.rules).layer(limit);
        router = match route.path {
            // With and without the slash at its end.
            "/" => router.route(BASE, handler.clone()).route(&format!("{BASE}/"), handler),
            path => router.route(&format!("{BASE}{path}"), handler),
        };
    }
    router
}

/// Returns all routes.
pub(super) fn routes() -> Vec<Route> {
    let mut all = of_server();
    all.extend(of_arenas());
    all.extend(of_bots());
    all.extend(of_matches());
    all.extend(of_organisers());
    all
}

fn of_server() -> Vec<Route> {
    use Route as R;
    vec![
        R::get("/", "getServer", "Returns the server and where to go from here.", server::server),
        R::get("/openapi.json", "getOpenApi", "Returns this document.", server::document),
        R::get("/problems", "listProblems", "Returns the kinds of failures.", server::problems),
        R::get("/me", "getMe", "Returns who asks, and what the token may do.", server::me)
            .needs(Scope::Read),
        R::get("/people/{name}", "getPerson", "Returns a person.", server::person),
        R::post("/tokens", "makeToken", "Makes a token with name and password.", tokens::make)
            .fails(&[408, 409, 413, 415, 422])
            .secret(),
        R::get("/tokens", "listTokens", "Returns the person's tokens.", tokens::list)
            .needs(Scope::Read),
        R::new(
            Method::DELETE,
            "/tokens/{id}",
            "revokeToken",
            "Revokes a token. Each token may revoke itself; others need the scope `submit`.",
            tokens::revoke,
        )
        .fails(&[403]),
    ]
}

fn of_arenas() -> Vec<Route> {
    use Route as R;
    vec![
        R::get("/arenas", "listArenas", "Returns the arenas, the oldest first.", arenas::list),
        R::get("/arenas/{arena}", "getArena", "Returns an arena.", arenas::get),
        R::get(
            "/arenas/{arena}/leaderboard",
            "getLeaderboard",
            "Returns a table, the best bot first.",
            tables::leaderboard,
        ),
        R::get(
            "/arenas/{arena}/matrix",
            "getMatrix",
            "Returns the results of the best bots against each other.",
            tables::matrix,
        ),
        R::get(
            "/arenas/{arena}/head-to-head",
            "getHeadToHead",
            "Returns the results of two bots against each other.",
            tables::head_to_head,
        ),
        R::get(
            "/arenas/{arena}/events",
            "followArena",
            "Sends events: `table`, `match`, and `version` for the caller's own bot.",
            events::events,
        ),
        R::get(
            "/arenas/{arena}/export",
            "exportArena",
            "Returns all matches or a table as a file.",
            export::export,
        ),
        R::post(
            "/arenas/{arena}/versions",
            "handIn",
            "Hands in a version of the caller's bot.",
            hand_in::hand_in,
        )
        .needs(Scope::Submit)
        .fails(&[408, 409, 413, 415, 422, 507])
        .keyed()
        .takes(UPLOAD),
        R::post(
            "/arenas/{arena}/nonce",
            "revealNonce",
            "Reveals the nonce of the caller's version that plays, for the seed of a final: after \
             the deadline, and before the freeze.",
            arenas::reveal_nonce,
        )
        .needs(Scope::Submit)
        .fails(&[408, 409, 413, 415, 422]),
    ]
}

fn of_bots() -> Vec<Route> {
    use Route as R;
    vec![
        R::get("/arenas/{arena}/bots", "listBots", "Returns bots, the oldest first.", bots::list),
        R::get("/arenas/{arena}/bots/{bot}", "getBot", "Returns a bot.", bots::get),
        R::get(
            "/arenas/{arena}/bots/{bot}/ratings",
            "listRatings",
            "Returns live ratings over time, the oldest first: at most about 150 of each of the \
             last 20 versions.",
            bots::ratings,
        ),
        R::get(
            "/arenas/{arena}/bots/{bot}/versions",
            "listVersions",
            "Returns the versions of a bot, the latest first.",
            versions::list,
        ),
        R::get(
            "/arenas/{arena}/bots/{bot}/versions/{number}",
            "getVersion",
            "Returns a version, with its report for its author.",
            versions::get,
        ),
        R::get(
            "/arenas/{arena}/bots/{bot}/versions/{number}/source",
            "getSource",
            "Returns the files of a version as they were handed in.",
            versions::source,
        )
        .fails(&[403]),
        R::get(
            "/arenas/{arena}/bots/{bot}/comparisons",
            "listComparisons",
            "Returns the comparisons of a bot's versions, the latest first.",
            bots::comparisons,
        )
        .needs(Scope::Read),
        R::post(
            "/arenas/{arena}/bots/{bot}/compare",
            "compareVersions",
            "Begins to find out whether one version is better than another.",
            bots::compare,
        )
        .needs(Scope::Submit)
        .fails(&[408, 409, 413, 415, 422])
        .keyed(),
        R::post(
            "/arenas/{arena}/bots/{bot}/activate",
            "activateVersion",
            "Makes a version the one that plays.",
            bots::activate,
        )
        .needs(Scope::Submit)
        .fails(&[408, 409, 413, 415, 422]),
        R::post(
            "/arenas/{arena}/bots/{bot}/pause",
            "pauseBot",
            "Stops a bot until it is resumed.",
            bots::pause,
        )
        .needs(Scope::Submit)
        .fails(&[408, 409, 413, 415, 422]),
        R::post(
            "/arenas/{arena}/bots/{bot}/resume",
            "resumeBot",
            "Lets a bot play again.",
            bots::resume,
        )
        .needs(Scope::Submit)
        .fails(&[408, 409, 413, 415, 422]),
        R::post(
            "/arenas/{arena}/bots/{bot}/rename",
            "renameBot",
            "Gives a bot another name. Its name in addresses stays.",
            bots::rename,
        )
        .needs(Scope::Submit)
        .fails(&[408, 413, 415, 422]),
    ]
}

fn of_matches() -> Vec<Route> {
    use Route as R;
    vec![
        R::get(
            "/arenas/{arena}/matches",
            "listMatches",
            "Returns matches that are over, the latest first.",
            matches::list,
        ),
        R::get(
            "/arenas/{arena}/matches/{number}",
            "getMatch",
            "Returns a match, with evidence of faults for authors.",
            matches::get,
        ),
        R::get(
            "/arenas/{arena}/matches/{number}/replay",
            "getReplay",
            "Returns the replay of a match.",
            matches::replay,
        ),
        R::get(
            "/arenas/{arena}/matches/{number}/logs",
            "listLogs",
            "Returns what the caller's bots wrote to stderr.",
            matches::logs,
        )
        .needs(Scope::Read),
    ]
}

fn of_organisers() -> Vec<Route> {
    use Route as R;
    let routes = vec![
        R::post(
            "/arenas/{arena}/bots/{bot}/disqualify",
            "disqualifyBot",
            "Excludes a bot, with a reason that everybody can read.",
            bots::disqualify,
        )
        .fails(&[408, 409, 413, 415, 422]),
        R::post(
            "/arenas/{arena}/bots/{bot}/reinstate",
            "reinstateBot",
            "Lets a disqualified bot play again.",
            bots::reinstate,
        )
        .fails(&[408, 409, 413, 415, 422]),
        R::post(
            "/arenas/{arena}/matches/{number}/annul",
            "annulMatch",
            "Takes a match out of the count, with a reason that everybody can read.",
            matches::annul,
        )
        .fails(&[408, 409, 413, 415, 422]),
        R::post(
            "/arenas/{arena}/matches/{number}/restore",
            "restoreMatch",
            "Puts an annulled match into the count again.",
            matches::restore,
        )
        .fails(&[409]),
        R::post(
            "/arenas/{arena}/matches/{number}/check",
            "checkMatch",
            "Plays a match again by its rules, and compares every state.",
            matches::check,
        ),
        R::get(
            "/arenas/{arena}/lopsided",
            "listLopsided",
            "Returns pairs of bots of which one gets much less against the other than all other \
             results say, the most unlikely ones first.",
            tables::lopsided,
        ),
        R::get(
            "/arenas/{arena}/extensions",
            "listExtensions",
            "Returns authors with a later deadline.",
            arenas::extensions,
        ),
        R::post(
            "/arenas/{arena}/extensions",
            "extendDeadline",
            "Gives an author a later deadline, or takes it back.",
            arenas::extend,
        )
        .fails(&[408, 409, 413, 415, 422]),
        R::post("/arenas/{arena}/pause", "pauseArena", "Stops matches.", arenas::pause),
        R::post("/arenas/{arena}/resume", "resumeArena", "Resumes matches.", arenas::resume),
        R::post(
            "/arenas/{arena}/publish",
            "publishTable",
            "Computes and publishes the table now.",
            arenas::publish,
        ),
        R::get("/admin/overview", "getOverview", "Returns what the server does.", admin::overview),
        R::get("/admin/people", "listPeople", "Returns people, by name.", admin::people),
        R::get("/admin/log", "listLog", "Returns who did what, the latest first.", admin::log),
        R::post("/admin/people/{name}/role", "setRole", "Gives a person a role.", admin::set_role)
            .fails(&[408, 409, 413, 415, 422]),
        R::post(
            "/admin/people/{name}/disable",
            "disablePerson",
            "Keeps a person out, and stops the person's bots.",
            admin::disable,
        )
        .fails(&[409]),
        R::post(
            "/admin/people/{name}/enable",
            "enablePerson",
            "Lets a person in again.",
            admin::enable,
        )
        .fails(&[409]),
        R::post(
            "/admin/people/{name}/erase",
            "erasePerson",
            "Removes all that is known of a person, for administrators. Results stay.",
            admin::erase,
        )
        .fails(&[408, 409, 413, 415, 422]),
        R::post(
            "/admin/people/{name}/reset-link",
            "makeResetLink",
            "Makes a link with which a person sets a new password.",
            admin::reset_link,
        )
        .fails(&[409])
        .secret()
        .keyed(),
        R::post(
            "/admin/invitations",
            "makeInvitation",
            "Makes a link with which people make accounts.",
            admin::invite,
        )
        .fails(&[408, 409, 413, 415, 422])
        .secret()
        .keyed(),
    ];
    routes.into_iter().map(|route| route.needs(Scope::Manage)).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn operations_have_their_own_names() {
        let routes = routes();
        let names: BTreeSet<&str> = routes.iter().map(|route| route.id).collect();
        assert_eq!(names.len(), routes.len());
    }

    #[test]
    fn a_type_has_one_form_in_requests_and_replies() {
        assert_eq!(openapi::ambiguous(&routes()), [""; 0]);
    }
}
