//! Bots do not learn whom they meet; and who loses to a friend on purpose is listed.

use std::collections::BTreeSet;

use agon_match::replay::Replay;
use serde_json::Value;

use crate::hand_in;
use crate::support::{
    Api, Client, Server, arena_form, make_arena, organise, play_out, python_bot, wait_for,
    wait_until,
};

/// Has a bot write what it can find out at its start to stderr, in one line.
const CURIOUS: &str = "
import glob, json, os, sys
def look(start):
    def read(path):
        try:
            return open(path, 'rb').read().decode(errors='replace')
        except OSError:
            return ''
    around = [os.getcwd(), *sys.argv, *os.listdir('.'), *os.listdir('..')]
    around += [value for key, value in os.environ.items() if key != 'PATH']
    around += [read(path) for path in glob.glob('/proc/[0-9]*/cmdline')]
    # Long texts are cut.
    seen = {'players': start['players'], 'around': ' '.join(around)[:800]}
    print('SEEN' + json.dumps(seen), file=sys.stderr, flush=True)
class Curious(Player):
    def __init__(self, start):
        look(start)
        super().__init__(start)
Player = Curious

";

/// The kit's bot, which looks around first.
fn curious() -> String {
    python_bot("cluster").replacen("if __name__", &format!("{CURIOUS}if __name__"), 1)
}

/// Sets whether bots learn whom they meet, and which built-in bots play.
fn change_arena(root: &mut Client, named: &str, bosses: &[(&str, &str)]) {
    let page = "/admin/arenas/cluster";
    let form = arena_form("cluster", &[bosses, &[("named", named)]].concat());
    assert_eq!(root.post(page, page, &form).status, 200);
}

/// Makes an author with a bot, and returns the author's API and the id of the version.
fn author(server: &Server, root: &mut Client, name: &str) -> (Api, String) {
    let mut client = server.author(root, name);
    let version = hand_in::hand_in(&mut client, "cluster", "python", &curious());
    assert!(hand_in::wait_until_done(&mut client, &version).has("It can play"));
    let mut api = Api::login(server.client(), name, "battery staple", &["read"]);
    let id = &api.found(&format!("/arenas/cluster/bots/{name}/versions/1"))["id"];
    (api, id.as_i64().unwrap().to_string())
}

/// Returns what the author's bot saw in its matches from a number on, with these numbers.
fn seen(api: &mut Api, bot: &str, from: u64, least: usize) -> Vec<(u64, Value)> {
    wait_for("matches of both", || {
        let list = api.found(&format!("/arenas/cluster/matches?bot={bot}&limit=100"));
        let numbers = list["items"].as_array().unwrap().iter();
        let numbers = numbers.filter_map(|one| one["number"].as_u64()).filter(|one| *one >= from);
        let mut all = Vec::new();
        for number in numbers {
            let logs = api.found(&format!("/arenas/cluster/matches/{number}/logs"));
            let text = logs["items"][0]["text"].as_str().unwrap_or_default().to_owned();
            let line = text.split_once("SEEN").and_then(|(_, rest)| rest.lines().next());
            all.extend(line.map(|line| (number, serde_json::from_str(line).unwrap())));
        }
        (all.len() >= least).then_some(all)
    })
}

/// Returns the names that a bot was told, match by match.
fn told(seen: &[(u64, Value)]) -> Vec<Vec<String>> {
    let names = |players: &Value| serde_json::from_value(players.clone()).unwrap();
    seen.iter().map(|(_, seen)| names(&seen["players"])).collect()
}

#[test]
fn bots_do_not_learn_whom_they_meet_unless_the_organiser_says_so() {
    let (server, mut root) = Server::with_root(&["--pace", "60"]);
    make_arena(&mut root, "cluster", &[]);
    let (mut ada, own) = author(&server, &mut root, "ada");
    let (mut bob, other) = author(&server, &mut root, "bob");
    let all = seen(&mut ada, "ada", 1, 6);
    let names: Vec<String> = told(&all).concat();
    let distinct: BTreeSet<&String> = names.iter().collect();
    assert_eq!(distinct.len(), names.len(), "new names in each match: {names:?}");
    assert!(names.iter().all(|name| name.starts_with("bot-") && name.len() == 16), "{names:?}");
    for (_, seen) in &all {
        let text = seen.to_string();
        for secret in ["greedy", "bob", &own, &other] {
            assert!(!text.contains(secret), "{secret}: {text}");
        }
    }
    people_see_who_played(&server, all[0].0);
    // The names are a matter of the organisers.
    play_out(&server, &mut root, "cluster");
    let last = server.database().number("SELECT max(number) FROM matches");
    change_arena(&mut root, "yes", &[]);
    organise(&mut root, "cluster", "resume");
    let all = BTreeSet::from([own, other, "greedy".to_owned()]);
    // Whom it meets first is left to chance.
    wait_until("matches against each", || {
        let known = seen(&mut ada, "ada", last + 1, 1);
        let names: BTreeSet<String> = told(&known).concat().into_iter().collect();
        assert!(names.is_subset(&all), "{names:?}");
        names == all
    });
    whoever_loses_to_a_friend_on_purpose_is_listed_for_organisers(
        &server, &mut root, &mut ada, &mut bob,
    );
}

/// Checks that pages, the API and downloads name the bots of a match.
fn people_see_who_played(server: &Server, number: u64) {
    let mut visitor = Api::new(server.client(), None);
    let path = format!("/arenas/cluster/matches/{number}");
    let shown = visitor.found(&path).to_string();
    let page = server.client().get(&path);
    let replay = Replay::open(visitor.get(&format!("{path}/replay")).body).unwrap();
    assert!(replay.verify(agon_games::GameId::Cluster.kind()).is_proven());
    let names: Vec<String> =
        replay.header().players.iter().map(|player| player.name.clone()).collect();
    assert!(names.contains(&"ada v1".to_owned()), "{names:?}");
    let other = names.iter().find(|name| *name != "ada v1").unwrap();
    let other = other.split(' ').next().unwrap();
    assert!(matches!(other, "bob" | "greedy"), "{names:?}");
    assert!(shown.contains("\"ada\"") && shown.contains(other), "{shown}");
    assert!(page.has("ada") && page.has(other), "{}", page.text());
    let exported = visitor.get("/arenas/cluster/export?what=matches").text();
    assert!(exported.contains("ada") && !exported.contains("bot-"), "{exported}");
}

/// Checks the list for organisers. The bots of both authors play in the arena.
fn whoever_loses_to_a_friend_on_purpose_is_listed_for_organisers(
    server: &Server,
    root: &mut Client,
    ada: &mut Api,
    bob: &mut Api,
) {
    play_out(server, root, "cluster");
    change_arena(root, "", &[("boss", "cluster/greedy"), ("boss", "cluster/random")]);
    let page = "/admin/arenas/cluster";
    for slug in ["ada", "bob", "builtin-random"] {
        let path = format!("/arenas/cluster/bots/{slug}");
        wait_until("a bot that plays", || bob.found(&path)["state"] == "playing");
    }
    let database = server.database();
    let bots = database.rows("SELECT slug, active FROM bots ORDER BY slug");
    let version = |slug: &str| {
        let found = bots.iter().find(|row| row[0].as_deref() == Some(slug)).unwrap();
        found[1].clone().unwrap()
    };
    // All are equally strong, but for the results of a pair.
    let play = |thrown: bool| {
        database.execute("DELETE FROM pairs");
        for one in &bots {
            for other in bots.iter().filter(|other| *other != one) {
                let [one, other] = [one, other].map(|row| row[1].clone().unwrap());
                let is = |a: &str, b: &str| thrown && one == version(a) && other == version(b);
                let (wins, losses) = match () {
                    () if is("ada", "bob") => (0, 30),
                    () if is("bob", "ada") => (30, 0),
                    () => (15, 15),
                };
                database.execute(&format!(
                    "INSERT INTO pairs (version, other, wins, ties, losses)
                     VALUES ({one}, {other}, {wins}, 0, {losses})"
                ));
            }
        }
    };
    let mut manager = server.manager();
    let list = "/arenas/cluster/lopsided";
    play(false);
    assert_eq!(manager.found(list)["items"], serde_json::json!([]), "honest bots");
    assert!(!root.get(page).has("Results that stand out"));
    assert_eq!(ada.get(list).status, 403);
    play(true);
    let found = manager.found(list);
    let pair = &found["items"][0];
    assert_eq!((&pair["loser"]["slug"], &pair["winner"]["slug"]), (&"ada".into(), &"bob".into()));
    assert_eq!(found["items"].as_array().unwrap().len(), 1, "{found}");
    assert_eq!(pair["tally"]["losses"], 30, "{found}");
    let shown = root.get(page);
    assert!(shown.has("Results that stand out") && shown.has("/bots/bob"), "{}", shown.text());
    // A pause does not remove a pair from the list.
    let bot = "/arenas/cluster/bots/ada";
    assert_eq!(root.post(&format!("{bot}/pause"), bot, &[]).status, 200);
    wait_until("the pause", || manager.found(bot)["state"] != "playing");
    assert_eq!(manager.found(list)["items"].as_array().unwrap().len(), 1);
}
