//! All routes of the API.

use agon_ladder::api::{BASE, Scope};
use axum::{Router, extract::DefaultBodyLimit, http::Method, routing::MethodRouter};

use super::route::{self, Route, Rules};
use super::{arenas, bots, events, export, matches, server};
use crate::{app::App, http::UPLOAD, http::bot_changes::Stop};

/// Registers the handlers of all routes.
pub(in crate::http) fn router() -> Router<App> {
    let mut router = Router::new();
    let routes = routes();
    route::write(&routes);
    for route in routes {
        let limit = DefaultBodyLimit::max(route.rules.largest);
        let handler: MethodRouter<App> = route.handler.layer(limit);
        router = match route.path {
            // With and without the slash at its end.
            "/" => router.route(BASE, handler.clone()).route(&format!("{BASE}/"), handler),
            path => router.route(&format!("{BASE}{path}"), handler),
        };
    }
    router
}

/// Routes below a path, with the rules of most of them: method, path, name of the operation, rules
/// of its own, what it does, and handler.
macro_rules! below {
    ($prefix:literal $usual:ident: $(
        $method:ident $path:literal $id:ident $([$($rule:tt)*])? $summary:literal => $handler:expr;
    )*) => {
        [$(
            Route::new(
                Method::$method,
                concat!($prefix, $path),
                stringify!($id),
                $summary,
                Rules { $($($rule)*,)? ..$usual },
                $handler,
            )
        ),*]
    };
}

/// Returns all routes.
fn routes() -> Vec<Route> {
    use Scope::{Manage, Read, Submit};
    let open = Rules::default();
    let managing = Rules { scope: Some(Manage), ..open };
    let mut all = Vec::from(below! { "" open:
        GET "/" getServer "Returns the server and where to go from here." => server::server;
        GET "/openapi.json" getOpenApi "Returns this document." => server::document;
        GET "/problems" listProblems "Returns the kinds of failures." => server::problems;
        GET "/me" getMe [scope: Some(Read)]
            "Returns who asks, and what the token may do." => server::me;
        GET "/people/{name}" getPerson "Returns a person." => server::person;
        POST "/tokens" makeToken [has_secret: true]
            "Makes a token with name and password." => server::make_token;
        GET "/tokens" listTokens [scope: Some(Read)]
            "Returns the person's tokens." => server::tokens;
        DELETE "/tokens/{id}" revokeToken [failure: Some(403)]
            "Revokes a token. Each token may revoke itself; others need the scope `submit`." =>
            server::revoke_token;
        GET "/arenas" listArenas "Returns the arenas, the oldest first." => arenas::list;
    });
    all.extend(below! { "/arenas/{arena}" open:
        GET "" getArena "Returns an arena." => arenas::get;
        GET "/leaderboard" getLeaderboard
            "Returns a table, the best bot first." => arenas::leaderboard;
        GET "/matrix" getMatrix
            "Returns the results of the best bots against each other." => arenas::matrix;
        GET "/head-to-head" getHeadToHead
            "Returns the results of two bots against each other." => arenas::head_to_head;
        GET "/events" followArena [media: &["text/event-stream"]]
            "Sends events: `table`, `match`, and `version` for the caller's own bot." =>
            events::events;
        GET "/export" exportArena
            [media: &["text/csv", "application/jsonl", "application/vnd.sqlite3"]]
            "Returns all matches or a table as a file." => export::export;
        POST "/versions" handIn
            [scope: Some(Submit), failure: Some(507), is_keyed: true, largest: UPLOAD]
            "Hands in a version of the caller's bot." => bots::hand_in;
        POST "/nonce" revealNonce [scope: Some(Submit)]
            "Reveals the nonce of the caller's version that plays, for the seed of a final: after \
             the deadline, and before the freeze." => arenas::reveal_nonce;
        GET "/bots" listBots "Returns bots, the oldest first." => bots::list;
    });
    all.extend(below! { "/arenas/{arena}/bots/{bot}" open:
        GET "" getBot "Returns a bot." => bots::get;
        GET "/ratings" listRatings
            "Returns live ratings over time, the oldest first: at most about 150 of each of the \
             last 20 versions." => bots::ratings;
        GET "/versions" listVersions
            "Returns the versions of a bot, the latest first." => bots::versions;
        GET "/versions/{number}" getVersion
            "Returns a version, with its report for its author." => bots::version;
        GET "/versions/{number}/source" getSource
            [failure: Some(403), media: &["application/x-tar"]]
            "Returns the files of a version as they were handed in." => bots::source;
        GET "/comparisons" listComparisons [scope: Some(Read)]
            "Returns the comparisons of a bot's versions, the latest first." => bots::comparisons;
        POST "/compare" compareVersions [scope: Some(Submit), is_keyed: true]
            "Begins to find out whether one version is better than another." => bots::compare;
        POST "/activate" activateVersion [scope: Some(Submit)]
            "Makes a version the one that plays." => bots::activate;
        POST "/pause" pauseBot [scope: Some(Submit)]
            "Stops a bot until it is resumed." => |call| bots::stop(call, Stop::Pause);
        POST "/resume" resumeBot [scope: Some(Submit)]
            "Lets a bot play again." => |call| bots::stop(call, Stop::Resume);
        POST "/rename" renameBot [scope: Some(Submit)]
            "Gives a bot another name. Its name in addresses stays." => bots::rename;
    });
    all.extend(below! { "/arenas/{arena}/matches" open:
        GET "" listMatches "Returns matches that are over, the latest first." => matches::list;
        GET "/{number}" getMatch
            "Returns a match, with evidence of faults for authors." => matches::get;
        GET "/{number}/replay" getReplay [media: &["application/octet-stream"]]
            "Returns the replay of a match." => matches::replay;
        GET "/{number}/logs" listLogs [scope: Some(Read)]
            "Returns what the caller's bots wrote to stderr." => matches::logs;
    });
    all.extend(below! { "/arenas/{arena}" managing:
        POST "/bots/{bot}/disqualify" disqualifyBot
            "Excludes a bot, with a reason that everybody can read." =>
            |call| bots::stop(call, Stop::Disqualify);
        POST "/bots/{bot}/reinstate" reinstateBot
            "Lets a disqualified bot play again." => |call| bots::stop(call, Stop::Reinstate);
        POST "/matches/{number}/annul" annulMatch
            "Takes a match out of the count, with a reason that everybody can read." =>
            matches::annul;
        POST "/matches/{number}/restore" restoreMatch
            "Puts an annulled match into the count again." => matches::restore;
        POST "/matches/{number}/check" checkMatch
            "Plays a match again by its rules, and compares every state." => matches::check;
        GET "/lopsided" listLopsided
            "Returns pairs of bots of which one gets much less against the other than all other \
             results say, the most unlikely ones first." => arenas::lopsided;
        GET "/extensions" listExtensions
            "Returns authors with a later deadline." => arenas::extensions;
        POST "/extensions" extendDeadline
            "Gives an author a later deadline, or takes it back." => arenas::extend;
        POST "/pause" pauseArena "Stops matches." => |call| arenas::set_season(call, "pause");
        POST "/resume" resumeArena "Resumes matches." => |call| arenas::set_season(call, "resume");
        POST "/publish" publishTable "Computes and publishes the table now." => arenas::publish;
    });
    all.extend(below! { "/admin" managing:
        GET "/overview" getOverview "Returns what the server does." => server::overview;
        GET "/people" listPeople "Returns people, by name." => server::people;
        GET "/log" listLog "Returns who did what, the latest first." => server::log;
        POST "/people/{name}/role" setRole "Gives a person a role." => server::set_role;
        POST "/people/{name}/disable" disablePerson
            "Keeps a person out, and stops the person's bots." => server::disable;
        POST "/people/{name}/enable" enablePerson "Lets a person in again." => server::enable;
        POST "/people/{name}/erase" erasePerson
            "Removes all that is known of a person, for administrators. Results stay." =>
            server::erase;
        POST "/people/{name}/reset-link" makeResetLink [has_secret: true, is_keyed: true]
            "Makes a link with which a person sets a new password." => server::reset_link;
        POST "/invitations" makeInvitation [has_secret: true, is_keyed: true]
            "Makes a link with which people make accounts." => server::invite;
    });
    all
}
