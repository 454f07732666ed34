//! Luck is not kept: the same files have one rating, and a rank has to be defended.

use serde_json::{Value, json};

use crate::hand_in::{hand_in, wait_until_done};
use crate::support::{
    Api, Database, Server, json as parsed, make_arena, organise, play_out, python_bot, python_zip,
    wait_for, wait_until,
};

const BOT: &str = "/arenas/cluster/bots/ada";

/// Hands in files, and waits until their version can play.
fn enter(api: &mut Api, line: &str) -> Value {
    let reply = api.hand_in("cluster", "", "", &python_zip("cluster", line));
    assert_eq!(reply.status, 201, "{}", reply.text());
    let version = parsed(&reply);
    let path = format!("{BOT}/versions/{}", version["number"]);
    wait_until("a version", || api.found(&path)["active"] == true);
    version
}

#[test]
fn the_same_files_have_one_rating_and_their_rank_is_defended() {
    agon_testkit::slow!();
    let (server, mut root) = Server::with_root(&["--arena", "cluster"]);
    let mut ada = server.api_author(&mut root, "ada");
    assert_eq!(enter(&mut ada, "")["same_files"], false);
    let has_rank = |api: &mut Api| {
        wait_until("a rank", || {
            let bot = api.found(BOT);
            assert_eq!(bot["rank"].is_null(), bot["owed"] != 0, "{bot}");
            bot["owed"] == 0
        });
    };
    // It may not be on the board yet.
    wait_until("a first match", || !ada.found(BOT)["rating"].is_null());
    has_rank(&mut ada);
    // Nothing changes for the version that plays.
    let again = enter(&mut ada, "");
    assert_eq!((&again["number"], &again["same_files"]), (&json!(1), &json!(true)));
    assert_eq!(ada.found(BOT)["owed"], 0);
    play_out(&server, &mut root, "cluster");
    assert_eq!(enter(&mut ada, "# other")["number"], 2);
    let fresh = wait_for("the board", || {
        let bot = ada.found(BOT);
        (bot["version"] == 2 && bot["owed"] != 0).then_some(bot)
    });
    assert_eq!((&fresh["rank"], &fresh["rating"]), (&Value::Null, &Value::Null), "{fresh}");
    let page = server.client().get("/arenas/cluster");
    assert!(page.has("not played yet") && page.has("ranked after 10 more"), "{}", page.text());
    assert!(page.has("Ranks follow the lower end"), "{}", page.text());

    let again = enter(&mut ada, "");
    assert_eq!((&again["number"], &again["same_files"]), (&json!(1), &json!(true)));
    assert_eq!(again["active"], true);
    assert_eq!(ada.found(&format!("{BOT}/versions"))["items"].as_array().unwrap().len(), 2);
    let owes = |api: &mut Api| {
        wait_until("the board", || {
            let bot = api.found(BOT);
            // A match that had begun may end meanwhile.
            let owes = bot["owed"].as_u64().unwrap() >= 5 && bot["rank"].is_null();
            bot["version"] == 1 && owes
        });
    };
    owes(&mut ada);
    organise(&mut root, "cluster", "resume");
    has_rank(&mut ada);
    play_out(&server, &mut root, "cluster");
    ada.post(&format!("{BOT}/pause"), &json!({}));
    assert_eq!(ada.send("POST", &format!("{BOT}/resume"), "", b"").status, 200);
    owes(&mut ada);

    // The page says it, too.
    let mut bob = server.author(&mut root, "bob");
    let code = python_bot("cluster");
    let path = hand_in(&mut bob, "cluster", "python", &code);
    wait_until_done(&mut bob, &path);
    let again = hand_in(&mut bob, "cluster", "python", &code);
    assert_eq!(again, format!("{path}?done=same"));
    assert!(bob.get(&again).has("the same files"), "{}", bob.get(&again).text());
    // One that failed is tried once more.
    let failed = hand_in(&mut bob, "cluster", "c", "this is no C\n");
    wait_until_done(&mut bob, &failed);
    let tried = hand_in(&mut bob, "cluster", "c", "this is no C\n");
    assert!(failed.ends_with("/versions/2") && tried.ends_with("/versions/3"), "{tried}");
}

#[test]
fn ranks_of_an_older_ladder_follow_the_lower_end_unless_its_tables_stay() {
    let (server, mut root) = Server::with_root(&["--arena", "cluster"]);
    make_arena(&mut root, "old", &[("freeze", "2001-01-01T12:00")]);
    // As the Agon before left it.
    let server = server.restart(&["--arena", "cluster"], |data| {
        let database = Database::of(data);
        database.batch("ALTER TABLE versions DROP COLUMN owed");
        database.batch("ALTER TABLE bots DROP COLUMN stopped_by");
        database.batch("DELETE FROM migrations WHERE version >= 3; DROP INDEX people_by_shown");
        for row in database.rows("SELECT id, settings FROM arenas") {
            let [id, settings] = [0, 1].map(|column| row[column].clone().unwrap());
            let mut settings: Value = serde_json::from_str(&settings).unwrap();
            assert!(settings.as_object_mut().unwrap().remove("ranks").is_some());
            let settings = settings.to_string().replace('\'', "''");
            database.execute(&format!("UPDATE arenas SET settings = '{settings}' WHERE id = {id}"));
        }
    });
    let mut visitor = Api::new(server.client(), None);
    let mut ranks = |arena: &str| visitor.found(&format!("/arenas/{arena}"))["ranks"].clone();
    assert_eq!(ranks("cluster"), json!({"by": "lower_end", "least": 10}));
    assert_eq!(ranks("old"), json!({"by": "rating", "least": 0}));

    // Organisers choose.
    let page = "/admin/arenas/cluster";
    let mut choose = |by: &str, after: &str| {
        let form = [("title", "Cluster"), ("ranked_by", by), ("ranked_after", after)];
        root.post(page, page, &form).status
    };
    assert_eq!((choose("rating", ""), ranks("cluster")["least"].clone()), (200, json!(50)));
    assert_eq!((choose("rating", "7"), ranks("cluster")["least"].clone()), (200, json!(7)));
    assert_eq!((choose("", ""), ranks("cluster")), (200, json!({"by": "rating", "least": 7})));
    assert_eq!((choose("luck", ""), choose("rating", "-1")), (422, 422));
    let rules = server.client().get("/arenas/cluster/rules");
    assert!(rules.has("Ranks follow ratings. A version has a rank after 7 matches"));
    assert!(server.client().get("/arenas/cluster/agents.txt").has("after 7 matches"));
}
