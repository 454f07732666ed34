//! Accounts: class lists, resets, roles.

use crate::every_page;
use crate::hand_in::{enter, hand_in};
use crate::support::{Api, Client, Server, wait_for, wait_until};

fn bots_of_a_disabled_account_are_not_called_disqualified(server: &Server, root: &mut Client) {
    let mut ada = server.author(root, "ada");
    hand_in(&mut ada, "cluster", "python", "raise SystemExit(1)\n");
    root.post("/admin/people/ada/disable", "/admin/people", &[]);
    for page in ["/people/ada", "/arenas/cluster/bots/ada"] {
        wait_until(page, || {
            let shown = root.get(page);
            shown.has("account disabled") || shown.has("account is disabled")
        });
        assert!(!root.get(page).has("disqualified"), "{}", root.get(page).text());
    }
}

#[test]
fn a_class_list_makes_accounts() {
    let (server, mut root) = Server::with_root(&["--arena", "cluster"]);
    let list = "name,group\nanna,A\nroot,A\n\"Max M.\",B\njürgen,B\n".as_bytes();
    // The page has the words of `docs/ladder.md`.
    let page = root.get("/admin/people");
    for words in ["name in the first column of each line", "personal link to set a password"] {
        assert!(page.has(words), "{words}: {}", page.text());
        assert!(include_str!("../../../docs/ladder.md").contains(words), "{words}");
    }
    let mut send = |contents: &[u8], fields: &[(&str, &str)]| {
        let file = ("list", "class.csv", contents);
        root.upload("/admin/people/upload", "/admin/people", fields, &[file])
    };
    for (contents, words) in [
        (&b"name\n"[..], "The class list has 0 names"),
        (b"ada\0,A\n", "not text in UTF-8"),
        (b"j\xfcrgen,A\n", "not text in UTF-8"),
    ] {
        let reply = send(contents, &[]);
        assert!(reply.status == 422 && reply.has(words), "{}", reply.text());
    }
    // The organiser may choose that everybody sees the names.
    send(b"ben\n", &[("public", "yes")]);
    let reply = send(list, &[]);
    assert_eq!(root.get("/people/ben").status, 200);
    assert!(reply.has("Link to set a password"), "{}", reply.text());
    assert!(reply.has("exists already") && reply.has("a name has 2 to 32"), "{}", reply.text());
    assert!(reply.has("new, as Max.M"), "{}", reply.text());
    let link = reply.find("/reset/", 40);
    let mut anna = server.client();
    assert!(anna.get(&link).has("<h1>Choose a password</h1>"), "{}", anna.get(&link).text());
    let reply = anna.post(&link, &link, &[("password", "wooden spoon")]);
    assert!(reply.path.starts_with("/account?"), "{}", reply.text());
    let player = reply.find("/people/player-", 8);
    assert_eq!(server.client().get(&player).status, 200);
    let shown = anna.get("/arenas/cluster/hand-in");
    assert!(shown.status == 200 && shown.has("player-"), "{}", shown.text());
    assert_eq!(root.get("/people/anna").status, 404, "a list of real names");
    // Once is enough.
    assert_eq!(server.client().get(&link).status, 410);
}

#[test]
fn a_forgotten_password_is_reset_by_a_link_and_other_browsers_are_signed_out() {
    let (server, mut root) = Server::with_root(&[]);
    invitations_are_made_as_they_are_wanted_or_not_at_all(&server, &mut root);
    a_name_is_taken_once_in_any_case(&server, &mut root);
    forms_of_the_account_say_with_a_status_what_is_wrong(&mut root);
    let mut ada = server.author(&mut root, "ada");
    let form = [("scope", "manage"), ("days", "1")];
    let reply = ada.post("/account/tokens", "/account", &form);
    assert!(reply.status == 422 && reply.has("Only organisers"), "{}", reply.text());
    let reply = root.post("/admin/people/ada/reset", "/admin/people", &[]);
    let link = reply.find("/reset/", 40);
    let mut other = server.client();
    let page = other.get(&link);
    assert!(page.has("<h1>Choose a new password</h1>"), "{}", page.text());
    every_page::check("a reset", &page);
    let short = other.post(&link, &link, &[("password", "short")]);
    assert!(short.status == 422 && short.has("at least 8"), "{}", short.text());
    other.post(&link, &link, &[("password", "new password")]);
    assert_eq!(other.get("/account").status, 200);
    assert!(ada.get("/account").path.starts_with("/sign-in"), "the old session is over");
    let fields = [("name", "ADA"), ("password", "new password"), ("next", "/account")];
    let reply = ada.post("/sign-in", "/sign-in", &fields);
    assert_eq!(reply.path, "/account", "{}", reply.text());
    // Whoever may not sign in any more is out at once.
    root.post("/admin/people/ada/disable", "/admin/people", &[]);
    assert!(ada.get("/account").path.starts_with("/sign-in"));
    let reply = ada.post("/sign-in", "/sign-in", &fields);
    assert!(reply.status == 401 && reply.has("Name or password is wrong"), "{}", reply.text());
}

fn a_name_is_taken_once_in_any_case(server: &Server, root: &mut Client) {
    let fields = [("role", "author"), ("uses", "5"), ("days", "1"), ("note", "club")];
    let reply = root.post("/admin/invitations", "/admin/people", &fields);
    let link = reply.find("/join/", 40);
    let join = |name: &str| {
        server.client().post(&link, &link, &[("name", name), ("password", "wooden spoon")])
    };
    assert!(join("Eve").path.starts_with("/?"));
    let taken = join("eve");
    assert!(taken.status == 422 && taken.has("taken"), "{}", taken.text());
    let wrong = join("a b");
    assert!(wrong.status == 422 && wrong.has("2 to 32"), "{}", wrong.text());
    assert!(join("bob").path.starts_with("/?"));
}

#[test]
fn only_organisers_see_the_name_with_which_somebody_signs_in() {
    let (server, mut root) = Server::with_root(&["--arena", "cluster"]);
    let mut anna = server.author(&mut root, "anna.schmidt");
    let mut bob = server.author(&mut root, "bob");
    enter(&mut anna, "");
    let mut rename = |name: &str, words: &str| {
        let reply = anna.post("/account/display-name", "/account", &[("name", name)]);
        assert!(reply.has(words), "{name}: {}", reply.text());
    };
    rename("a b", "2 to 32");
    rename("Bob", "This name is taken");
    rename("Red-Fox", "sign in as <b>");
    let mut visitor = server.client();
    let bot = wait_for("the new name", || {
        let page = visitor.get("/arenas/cluster/bots/anna-schmidt");
        page.has("Red-Fox").then_some(page)
    });
    assert!(bot.has("/people/Red-Fox"), "{}", bot.text());
    assert_eq!(visitor.get("/people/anna.schmidt").status, 404);
    let mut api = Api::new(server.client(), None);
    let found = api.found("/people/red-fox").to_string();
    assert!(found.contains("\"author\":\"Red-Fox\""), "{found}");
    assert_eq!(api.get("/people/anna.schmidt").status, 404);
    // Nobody else takes the name: neither for signing in nor to be seen.
    for name in ["red-fox", "Anna.Schmidt"] {
        let reply = bob.post("/account/display-name", "/account", &[("name", name)]);
        assert!(reply.status == 422 && reply.has("taken"), "{name}: {}", reply.text());
    }
    for page in ["/admin/people?q=fox", "/admin/people?q=schmidt", "/admin/log"] {
        let page = root.get(page);
        assert!(page.has("anna.schmidt") && page.has("Red-Fox"), "{}", page.text());
    }
    let grades = root.get("/admin/arenas/cluster/grades.csv");
    assert!(grades.has(",Red-Fox,") && grades.has(",anna.schmidt\n"), "{}", grades.text());
    root.post("/admin/people/anna.schmidt/reset", "/admin/people", &[]);
    let confirm = [("confirm", "anna.schmidt")];
    let erase = "/admin/people/anna.schmidt/erase";
    assert_eq!(root.post(erase, erase, &confirm).status, 200);
    assert_eq!(visitor.get("/people/red-fox").status, 404);
    let log = root.get("/admin/log");
    assert!(!log.has("anna.schmidt") && !log.has("Red-Fox"), "{}", log.text());
    bots_of_a_disabled_account_are_not_called_disqualified(&server, &mut root);
}

fn forms_of_the_account_say_with_a_status_what_is_wrong(root: &mut Client) {
    let mut change = |path: &str, fields: &[(&str, &str)], status: u16, words: &str| {
        let reply = root.post(path, "/account", fields);
        assert!(reply.status == status && reply.has(words), "{path}: {}", reply.text());
    };
    let path = "/account/password";
    change(path, &[("old", "wrong"), ("password", "wooden spoon")], 403, "old password is wrong");
    change(path, &[("old", "correct horse"), ("password", "short")], 422, "at least 8");
    change("/account/tokens", &[("label", "x"), ("days", "0")], 422, "Not done.");
    let odd = [("scope", "all"), ("days", "1")];
    change("/account/tokens", &odd, 422, "<code>read</code>, <code>submit</code>");
}

fn invitations_are_made_as_they_are_wanted_or_not_at_all(server: &Server, root: &mut Client) {
    let page = "/admin/people";
    for (field, value, words) in [
        ("uses", "0", "from 1 to 10 000"),
        ("uses", "x", "from 1 to 10 000"),
        ("uses", "99999999999999999999", "from 1 to 10 000"),
        ("days", "0", "from 1 to 366"),
        ("role", "king", "author, organiser, administrator"),
    ] {
        let mut form = vec![("role", "author"), ("uses", "1"), ("days", "1"), ("note", "")];
        form.retain(|(name, _)| *name != field);
        form.push((field, value));
        let reply = root.post("/admin/invitations", page, &form);
        assert!(reply.status == 422 && reply.has(words), "{value}: {}", reply.text());
        assert!(reply.has("href=\"/admin/people\">Back to the form"), "{}", reply.text());
    }
    let page = root.get(page);
    assert!(page.has("There are none."), "{}", page.text());
    let mut zoe = server.author(root, "zoe");
    let role = [("role", "organiser")];
    let reply = root.post("/admin/people/zoe/role?q=zo", "/admin/people", &role);
    assert_eq!(reply.path, "/admin/people?q=zo&done=changed", "the search is kept");
    assert!(reply.has("/admin/people/zoe/disable?q=zo"), "{}", reply.text());
    let erase = zoe.get("/admin/people/root/erase");
    assert!(erase.status == 403 && erase.has("Only administrators"), "{}", erase.text());
}
