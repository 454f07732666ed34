//! Pages that say what something is, or what is wrong.

use crate::hand_in::{PAGE, enter, hand_in, wait_until_done};
use crate::support::{Api, Client, Server, header, wait_for, wait_until};

#[test]
fn addresses_lead_to_pages_or_say_what_is_wrong() {
    let server = Server::cluster();
    let mut visitor = server.client();
    assert!(visitor.get("/arenas/cluster/rules").has("href=\"/games/cluster\""));
    assert!(visitor.get("/games/cluster").has("<h2>Board</h2>"));
    assert_eq!(visitor.get("/games/nothing").status, 404);
    // Browsers ask whether the viewer has changed.
    let first = visitor.get("/viewer/agon.js");
    let tag = header(&first.head, "etag").unwrap();
    assert_eq!(header(&first.head, "cache-control").as_deref(), Some("public, no-cache"));
    for (tag, status) in [(tag.as_str(), 304), ("\"other\"", 200)] {
        let headers = format!("If-None-Match: {tag}\r\n");
        let again = visitor.request("GET", "/viewer/agon.js", &headers, b"").unwrap();
        assert_eq!(again.status, status);
    }
    // Addresses with a slash at the end lead to those without.
    for (path, place) in [
        ("/arenas/cluster/", "/arenas/cluster"),
        ("/arenas/cluster/rules/?a=b", "/arenas/cluster/rules?a=b"),
        ("/sign-in//", "/sign-in"),
    ] {
        let reply = visitor.get(path);
        assert_eq!((reply.status, header(&reply.head, "location").as_deref()), (308, Some(place)));
    }
    for path in ["//evil.example/", "/\\evil.example/", "//", "/api/v1/arenas/"] {
        let reply = visitor.get(path);
        assert_eq!((reply.status, header(&reply.head, "location")), (404, None), "{path}");
    }
    // Addresses that cannot be read get a page.
    let mut root = server.administrator();
    let wrong = [
        "/arenas/cluster?page=-1",
        "/arenas/cluster/matches?page=abc",
        "/arenas/cluster/matches?page=99999999999999999999",
        "/arenas/cluster/matches?page=1&page=2",
        "/arenas/cluster/matches/abc",
        "/arenas/cluster/matches/1?turn=-1",
        "/arenas/cluster/bots/builtin-greedy/versions/-1",
        "/arenas/cluster/hand-in?try=x",
        "/admin/people?q=a&q=b",
    ];
    for path in wrong {
        let reply = root.get(path);
        assert_eq!(reply.status, 400, "{path}: {}", reply.text());
        let is_page = reply.has("<h1>This address cannot be read</h1>") && reply.has("href=\"/\"");
        assert!(is_page, "{path}: {}", reply.text());
    }
    // A page that is not there is the nearest one.
    for path in ["/arenas/cluster?page=0", "/arenas/cluster/matches?page=99999999999999"] {
        assert_eq!(root.get(path).status, 200, "{path}");
    }
    let reply = root.request("POST", "/arenas/cluster", "", b"").unwrap();
    assert!(reply.status == 405 && reply.has("takes no such request"), "{}", reply.text());
    assert!(header(&reply.head, "allow").is_some(), "{}", reply.head);
    assert!(root.get("/arenas/cluster?page=-1").has("Remove what follows <code>?</code>"));
    assert!(!root.get("/arenas/cluster/matches/abc").has("Remove what follows"));
    // The API says it to programs.
    for path in ["/api/v1/arenas/cluster/matches?page=-1", "/api/v1/arenas/cluster/matches/abc"] {
        let reply = root.get(path);
        let kind = header(&reply.head, "content-type").unwrap();
        assert_eq!((reply.status, kind.as_str()), (400, "application/problem+json"), "{path}");
    }
    what_organisers_say_about_an_arena_is_shown_or_refused(&mut root);
}

fn authors_see_the_lines_of_their_compiler(server: &Server, root: &mut Client, ada: &mut Client) {
    let code = "int main(void) {\n    return oops;\n}\n";
    let path = hand_in(ada, "cluster", "c", code);
    let done = wait_until_done(ada, &path);
    assert!(done.has("does not compile."), "{}", done.text());
    assert!(done.has("bot.c:2:") && !done.has("\\n"), "{}", done.text());
    // Compiling belongs to the build.
    let stage = done.find("<b>build</b> ", 30);
    assert!(stage.contains("bad") && !done.has("Examination"), "{}", done.text());
    let log = root.get("/admin/log");
    assert!(log.has("does not compile") && !log.has("\\n"), "{}", log.text());
    let fields = [("way", "editor"), ("language", "c"), ("code", code), ("message", "")];
    let tried = ada.upload("/arenas/cluster/try", PAGE, &fields, &[]);
    let tried = wait_until_done(ada, &tried.path);
    assert!(tried.has("does not compile.") && tried.has("bot.c:2:"), "{}", tried.text());
    assert!(!tried.has(server.data().to_str().unwrap()), "{}", tried.text());
}

fn what_organisers_say_about_an_arena_is_shown_or_refused(root: &mut Client) {
    let about = "The ladder of the course.\r\nHand in <b>early</b>.";
    let form = [("title", "Autumn course"), ("game", "cluster"), ("about", about)];
    let new = "/admin/arenas/new";
    let made = root.post(new, new, &form);
    assert_eq!(made.path.split('?').next(), Some("/arenas/autumn-course"), "{}", made.text());
    let shown = "The ladder of the course.\nHand in &lt;b&gt;early&lt;/b&gt;.";
    for page in ["/", "/arenas/autumn-course/rules", "/admin/arenas/autumn-course"] {
        assert!(root.get(page).has(shown), "{page}: {}", root.get(page).text());
    }
    // An arena with which nothing can be played is refused, and the form says why at the field.
    for (field, value, words) in [
        ("settings", "side = 99999", "Setting <code>side</code>: 99999 is not between 2 and 64."),
        ("settings", "side = 0", "Setting <code>side</code>: 0 is not between 2 and 64."),
        ("settings", "run_length = 1", "<code>run_length</code>: 1 is not between"),
        ("settings", "foo = 1", "no setting <code>foo</code>"),
        ("game", "chess", "There is no such game. Choose one of amoebas"),
        ("boss", "cluster/nobody", "no built-in bot <code>nobody</code>"),
        ("boss", "nobody", "There is no boss <code>nobody</code>"),
        ("language", "cobol", "There is no kit <code>cobol</code>"),
        ("sources", "all", "<code>secret</code>, <code>after</code> or <code>open</code>"),
        ("players", "3", "It must be 2."),
        ("slug", "new", "the address <code>new</code> itself"),
        ("title", "", "1 to 80 characters"),
        ("slug", "cluster", "another one"),
        ("preset", "shrt", "did you mean"),
        ("settings", "sidee = 5", "did you mean"),
        ("deadline", "tomorrow", "2026-11-26T15:05"),
        ("deadline", "2001-01-01T12:00", "This deadline is in the past"),
        ("memory_mib", "1", "from 16"),
    ] {
        let mut form = vec![("title", "Cup"), ("game", "cluster")];
        form.retain(|(name, _)| *name != field);
        form.push((field, value));
        let reply = root.post(new, new, &form);
        assert!(reply.status == 422 && reply.has(words), "{value}: {}", reply.text());
    }
    assert_eq!(root.get("/arenas/cup").status, 404);
}

#[test]
fn lists_of_matches_have_filters() {
    agon_testkit::needs!("python3");
    let (server, mut root, mut ada) = Server::with_ada();
    authors_see_the_lines_of_their_compiler(&server, &mut root, &mut ada);
    enter(&mut ada, "");
    let mut visitor = server.client();
    wait_until("three matches", || visitor.get("/arenas/cluster/matches/3").has("replay.agon"));
    let matrix = wait_for("a match of the two", || {
        let page = visitor.get("/arenas/cluster/matrix");
        page.has("bot=ada&amp;against=").then_some(page)
    });
    let link = matrix.text();
    let (_, link) = link.split_once("bot=ada&amp;against=").unwrap();
    let other = link.split('"').next().unwrap().to_owned();
    // What the numbers lead to, and the same from the form with names.
    for query in [format!("bot=ada&against={other}"), format!("against={other}&bot=ADA")] {
        let page = visitor.get(&format!("/arenas/cluster/matches?{query}"));
        assert!(page.status == 200 && page.has("/arenas/cluster/matches/"), "{}", page.text());
        assert!(page.has(" against ") && page.has("Show all"), "{}", page.text());
    }
    for query in ["bot=&against=&faults=", "bot=ada&faults=1", "faults=1", "faults=1&before=1"] {
        let page = visitor.get(&format!("/arenas/cluster/matches?{query}"));
        assert_eq!(page.status, 200, "{query}: {}", page.text());
    }
    assert_eq!(visitor.get("/arenas/cluster/matches?against=nobody").status, 404);
    assert_eq!(visitor.get("/arenas/cluster/matches?bot=ada&against=ada").status, 400);
    // As if a bot had committed faults.
    let seats = "UPDATE seats SET faults = 2 WHERE number = 3 AND seat = 0";
    assert_eq!(server.database().execute(seats), 1);
    let page = visitor.get("/arenas/cluster/matches?faults=1");
    assert!(page.has("/arenas/cluster/matches/3\""), "{}", page.text());
    // Only their number is known, as after an erasure.
    let page = visitor.get("/arenas/cluster/matches/3");
    assert!(page.has("2 × fault without details"), "{}", page.text());
    assert!(page.has("2 faults are not listed."), "{}", page.text());
    let page = "/arenas/cluster/matches/3";
    let reply = root.post(&format!("{page}/annul"), page, &[("reason", "")]);
    assert!(reply.status == 422 && reply.has("The reason is missing"), "{}", reply.text());
    let reply = root.post(&format!("{page}/annul"), page, &[("reason", "a test")]);
    let is_shown = reply.has("annulled this match.</strong> Reason: a test");
    assert!(reply.status == 200 && is_shown, "{}", reply.text());
    // Matches of the version before are in the lists, too.
    let list = format!("/arenas/cluster/matches?bot=ada&against={other}");
    let first = visitor.get(&list).text();
    let (_, first) = first.split_once("/arenas/cluster/matches/").unwrap();
    let number: u64 = first.split('"').next().unwrap().parse().unwrap();
    enter(&mut ada, "# 2");
    let wanted = format!("/arenas/cluster/matches/{number}\"");
    for list in [list.as_str(), "/arenas/cluster/matches?bot=ada"] {
        let page = visitor.get(&format!("{list}&before={}", number + 1));
        assert!(page.has(&wanted), "{list}: {}", page.text());
    }
    wait_until("a match of the new version", || {
        let page = visitor.get("/arenas/cluster/bots/ada");
        page.has("of this version. ") && page.has("&amp;faults=1")
    });
    let mut api = Api::new(server.client(), None);
    let list = api.found("/arenas/cluster/matches?faults=true&limit=1");
    assert_eq!(list["items"][0]["number"], 3, "{list}");
    assert_eq!(api.get("/arenas/cluster/matches?faults=maybe").status, 400);
}
