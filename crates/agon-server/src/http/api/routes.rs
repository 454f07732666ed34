//! All routes of the API.

use agon_ladder::api::{BASE, Scope};
use axum::{Router, extract::DefaultBodyLimit, http::Method, routing::MethodRouter};

use super::route::{self, Route};
use super::{arenas, bots, events, export, matches, server};
use crate::app::App;
use crate::http::{FORM, UPLOAD};

/// Registers the handlers of all routes.
pub(in crate::http) fn router() -> Router<App> {
    let mut router = Router::new();
    let routes = routes();
    route::write(&routes);
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

/// Routes below a path: method, path, name of the operation, handler, what it does, and rules.
macro_rules! below {
    ($prefix:literal: $(
        $method:ident $path:literal $id:ident $handler:path: $summary:literal $([$($rule:tt)*])?;
    )*) => {
        [$(
            Route::new(
                Method::$method,
                concat!($prefix, $path),
                stringify!($id),
                $summary,
                $handler,
            )$(.$($rule)*)?
        ),*]
    };
}

/// Returns all routes.
pub(super) fn routes() -> Vec<Route> {
    let mut all = Vec::from(below! { "":
        GET "/" getServer server::server: "Returns the server and where to go from here.";
        GET "/openapi.json" getOpenApi server::document: "Returns this document.";
        GET "/problems" listProblems server::problems: "Returns the kinds of failures.";
        GET "/me" getMe server::me: "Returns who asks, and what the token may do."
            [needs(Scope::Read)];
        GET "/people/{name}" getPerson server::person: "Returns a person.";
        POST "/tokens" makeToken server::make_token: "Makes a token with name and password."
            [secret()];
        GET "/tokens" listTokens server::tokens: "Returns the person's tokens."
            [needs(Scope::Read)];
        DELETE "/tokens/{id}" revokeToken server::revoke_token:
            "Revokes a token. Each token may revoke itself; others need the scope `submit`."
            [fails(403)];
        GET "/arenas" listArenas arenas::list: "Returns the arenas, the oldest first.";
    });
    all.extend(below! { "/arenas/{arena}":
        GET "" getArena arenas::get: "Returns an arena.";
        GET "/leaderboard" getLeaderboard arenas::leaderboard:
            "Returns a table, the best bot first.";
        GET "/matrix" getMatrix arenas::matrix:
            "Returns the results of the best bots against each other.";
        GET "/head-to-head" getHeadToHead arenas::head_to_head:
            "Returns the results of two bots against each other.";
        GET "/events" followArena events::events:
            "Sends events: `table`, `match`, and `version` for the caller's own bot."
            [sends(&["text/event-stream"])];
        GET "/export" exportArena export::export: "Returns all matches or a table as a file."
            [sends(&["text/csv", "application/jsonl", "application/vnd.sqlite3"])];
        POST "/versions" handIn bots::hand_in: "Hands in a version of the caller's bot."
            [needs(Scope::Submit).fails(507).keyed().takes(UPLOAD)];
        POST "/nonce" revealNonce arenas::reveal_nonce:
            "Reveals the nonce of the caller's version that plays, for the seed of a final: after \
             the deadline, and before the freeze."
            [needs(Scope::Submit)];
        GET "/bots" listBots bots::list: "Returns bots, the oldest first.";
    });
    all.extend(below! { "/arenas/{arena}/bots/{bot}":
        GET "" getBot bots::get: "Returns a bot.";
        GET "/ratings" listRatings bots::ratings:
            "Returns live ratings over time, the oldest first: at most about 150 of each of the \
             last 20 versions.";
        GET "/versions" listVersions bots::versions:
            "Returns the versions of a bot, the latest first.";
        GET "/versions/{number}" getVersion bots::version:
            "Returns a version, with its report for its author.";
        GET "/versions/{number}/source" getSource bots::source:
            "Returns the files of a version as they were handed in."
            [fails(403).sends(&["application/x-tar"])];
        GET "/comparisons" listComparisons bots::comparisons:
            "Returns the comparisons of a bot's versions, the latest first."
            [needs(Scope::Read)];
        POST "/compare" compareVersions bots::compare:
            "Begins to find out whether one version is better than another."
            [needs(Scope::Submit).keyed()];
        POST "/activate" activateVersion bots::activate: "Makes a version the one that plays."
            [needs(Scope::Submit)];
        POST "/pause" pauseBot bots::pause: "Stops a bot until it is resumed."
            [needs(Scope::Submit)];
        POST "/resume" resumeBot bots::resume: "Lets a bot play again." [needs(Scope::Submit)];
        POST "/rename" renameBot bots::rename:
            "Gives a bot another name. Its name in addresses stays."
            [needs(Scope::Submit)];
    });
    all.extend(below! { "/arenas/{arena}/matches":
        GET "" listMatches matches::list: "Returns matches that are over, the latest first.";
        GET "/{number}" getMatch matches::get:
            "Returns a match, with evidence of faults for authors.";
        GET "/{number}/replay" getReplay matches::replay: "Returns the replay of a match."
            [sends(&["application/octet-stream"])];
        GET "/{number}/logs" listLogs matches::logs:
            "Returns what the caller's bots wrote to stderr."
            [needs(Scope::Read)];
    });
    let of_organisers = below! { "/arenas/{arena}":
        POST "/bots/{bot}/disqualify" disqualifyBot bots::disqualify:
            "Excludes a bot, with a reason that everybody can read.";
        POST "/bots/{bot}/reinstate" reinstateBot bots::reinstate:
            "Lets a disqualified bot play again.";
        POST "/matches/{number}/annul" annulMatch matches::annul:
            "Takes a match out of the count, with a reason that everybody can read.";
        POST "/matches/{number}/restore" restoreMatch matches::restore:
            "Puts an annulled match into the count again.";
        POST "/matches/{number}/check" checkMatch matches::check:
            "Plays a match again by its rules, and compares every state.";
        GET "/lopsided" listLopsided arenas::lopsided:
            "Returns pairs of bots of which one gets much less against the other than all other \
             results say, the most unlikely ones first.";
        GET "/extensions" listExtensions arenas::extensions:
            "Returns authors with a later deadline.";
        POST "/extensions" extendDeadline arenas::extend:
            "Gives an author a later deadline, or takes it back.";
        POST "/pause" pauseArena arenas::pause: "Stops matches.";
        POST "/resume" resumeArena arenas::resume: "Resumes matches.";
        POST "/publish" publishTable arenas::publish: "Computes and publishes the table now.";
    };
    let of_admin = below! { "/admin":
        GET "/overview" getOverview server::overview: "Returns what the server does.";
        GET "/people" listPeople server::people: "Returns people, by name.";
        GET "/log" listLog server::log: "Returns who did what, the latest first.";
        POST "/people/{name}/role" setRole server::set_role: "Gives a person a role.";
        POST "/people/{name}/disable" disablePerson server::disable:
            "Keeps a person out, and stops the person's bots.";
        POST "/people/{name}/enable" enablePerson server::enable: "Lets a person in again.";
        POST "/people/{name}/erase" erasePerson server::erase:
            "Removes all that is known of a person, for administrators. Results stay.";
        POST "/people/{name}/reset-link" makeResetLink server::reset_link:
            "Makes a link with which a person sets a new password."
            [secret().keyed()];
        POST "/invitations" makeInvitation server::invite:
            "Makes a link with which people make accounts."
            [secret().keyed()];
    };
    let manages = of_organisers.into_iter().chain(of_admin);
    all.extend(manages.map(|route| route.needs(Scope::Manage)));
    all
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
        assert_eq!(route::ambiguous(&routes()), [""; 0]);
    }
}
