//! Exports.

use rusqlite::Connection;

use crate::support::{Api, Server, header, many_hand_ins, wait_for};

#[test]
fn matches_and_tables_are_exported_in_three_forms() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--arena", "cluster", "--pace", "0"]);
    many_hand_ins(&mut server.administrator());
    let mut api = Api::new(server.client(), None);
    wait_for("matches", || {
        let all = api.found("/arenas/cluster/matches?limit=20");
        (all["items"].as_array().unwrap().len() == 20).then_some(())
    });
    let export = |api: &mut Api, query: &str| {
        let reply = api.get(&format!("/arenas/cluster/export?{query}"));
        assert_eq!(reply.status, 200, "{query}: {}", reply.text());
        reply
    };
    let lines = export(&mut api, "what=matches&format=jsonl");
    let lines = lines.text();
    let first: serde_json::Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    assert_eq!((first["number"].as_u64(), first["seats"].as_array().unwrap().len()), (Some(1), 2));
    let count = lines.lines().count();
    let csv = export(&mut api, "what=matches&format=csv");
    assert!(header(&csv.head, "content-disposition").unwrap().contains("cluster-matches.csv"));
    let text = csv.text();
    assert!(text.lines().count() > 2 * count, "a head, and a line for each seat");
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    assert!(reader.records().all(|record| record.unwrap().len() == 16));
    let database = export(&mut api, "what=matches&format=sqlite");
    let path = folder.path().join("export.sqlite");
    std::fs::write(&path, &database.body).unwrap();
    let database = Connection::open(&path).unwrap();
    let sql = "SELECT count(*) FROM matches JOIN seats USING (number)";
    let seats: i64 = database.query_row(sql, [], |row| row.get(0)).unwrap();
    assert!(seats as usize >= 2 * count, "{seats}");
    // The table that was published last may be from before both bots had played.
    let table = wait_for("a table with both bots", || {
        let table = export(&mut api, "what=leaderboard&format=csv").text();
        (table.lines().count() > 2).then_some(table)
    });
    assert!(table.starts_with("rank,"), "{table}");
    let rows = export(&mut api, "what=leaderboard&format=jsonl").text();
    assert!(rows.lines().all(|row| row.starts_with("{\"rank\":")), "{rows}");
    let body = export(&mut api, "what=leaderboard&format=sqlite").body;
    std::fs::write(&path, body).unwrap();
    let database = Connection::open(&path).unwrap();
    let sql = "SELECT count(*) FROM leaderboard";
    let bots: i64 = database.query_row(sql, [], |row| row.get(0)).unwrap();
    assert_eq!(bots as usize, rows.lines().count());
    assert_eq!(
        std::fs::read_dir(server.data().join("work")).unwrap().count(),
        0,
        "nothing is left"
    );
}
