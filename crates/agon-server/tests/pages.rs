//! Pages that say what something is, or what is wrong.

use crate::{
    hand_in::{hand_in, wait_until_done},
    support::{Server, UploadedFile, header, wait_for},
};

#[test]
fn games_have_pages_with_their_rules() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--arena", "cluster"]);
    let mut visitor = server.client();
    assert!(visitor.get("/arenas/cluster/rules").has("href=\"/games/cluster\""));
    assert!(visitor.get("/games/cluster").has("<h2>Board</h2>"));
    assert_eq!(visitor.get("/games/nothing").status, 404);
}

#[test]
fn browsers_ask_whether_the_viewer_has_changed() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &[]);
    let mut visitor = server.client();
    let first = visitor.get("/viewer/agon.js");
    let tag = header(&first.head, "etag").unwrap();
    assert_eq!(header(&first.head, "cache-control").as_deref(), Some("public, no-cache"));
    let again = |visitor: &mut crate::support::Client, tag: &str| {
        let headers = format!("If-None-Match: {tag}\r\n");
        visitor.request("GET", "/viewer/agon.js", &headers, b"").unwrap().status
    };
    assert_eq!(again(&mut visitor, &tag), 304);
    assert_eq!(again(&mut visitor, "\"other\""), 200);
}

#[test]
fn authors_see_the_lines_of_their_compiler() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--arena", "cluster"]);
    let mut root = server.administrator();
    let mut ada = server.author(&mut root, "ada");
    let code = "int main(void) {\n    return oops;\n}\n";
    let path = hand_in(&mut ada, "cluster", "c", code);
    let done = wait_until_done(&mut ada, &path);
    assert!(done.has("does not compile."), "{}", done.text());
    assert!(done.has("bot.c:2:") && !done.has("\\n"), "{}", done.text());
    let page = "/arenas/cluster/hand-in";
    let fields = [("way", "editor"), ("language", "c"), ("code", code), ("message", "")];
    let tried = ada.upload("/arenas/cluster/try", page, &fields, &[] as &[UploadedFile<'_>]);
    let tried = wait_for("the trial match", || {
        let reply = ada.get(&tried.path);
        (!reply.has("data-live=\"true\"")).then_some(reply)
    });
    assert!(tried.has("does not compile.") && tried.has("bot.c:2:"), "{}", tried.text());
    assert!(!tried.has(folder.path().to_str().unwrap()), "{}", tried.text());
}

#[test]
fn code_is_not_lost_with_a_wrong_name() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--arena", "cluster"]);
    let mut ada = server.author(&mut server.administrator(), "ada");
    let page = "/arenas/cluster/hand-in";
    let name = "x".repeat(41);
    let code = "print('my work')";
    let fields = [("way", "editor"), ("language", "python"), ("code", code), ("name", &name)];
    let reply = ada.upload(page, page, &fields, &[]);
    assert_eq!(reply.status, 422, "{}", reply.text());
    assert!(reply.has("1 to 40 characters") && reply.has(code), "{}", reply.text());
    assert!(reply.has(&name), "{}", reply.text());
}

#[test]
fn what_organisers_say_about_an_arena_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &[]);
    let mut root = server.administrator();
    let about = "The ladder of the course.\r\nHand in <b>early</b>.";
    let form = [("title", "Autumn course"), ("game", "cluster"), ("about", about)];
    let made = root.post("/admin/arenas/new", "/admin/arenas/new", &form);
    assert_eq!(made.path.split('?').next(), Some("/arenas/autumn-course"), "{}", made.text());
    let shown = "The ladder of the course.\nHand in &lt;b&gt;early&lt;/b&gt;.";
    for page in ["/", "/arenas/autumn-course/rules", "/admin/arenas/autumn-course"] {
        assert!(root.get(page).has(shown), "{page}: {}", root.get(page).text());
    }
}
