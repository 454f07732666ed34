//! The queries of `docs/tournaments.md`, on the table of matches.

use std::{fs, process::Command};

use super::test_dir::{TestDir, root};

/// Three bots of which the first one commits faults, and six matches.
const PLAN: &str = r#"
game = "cluster"
seed = 3
bots = ["greedy=python3 bad.py", "builtin:random", "third=builtin:random?rotate=50"]

[settings]
side = 4

[format]
kind = "round-robin"
"#;

#[test]
fn the_queries_of_the_page_run_on_the_table_of_matches() {
    agon_testkit::needs!("sqlite3", "python3");
    let dir = TestDir::with_plan(PLAN);
    dir.write("bad.py", "while input():\n    print('x', flush=True)\n");
    dir.succeed(&["plan.toml", "--out", "cup"]);
    let (table, _) = dir.succeed(&["report", "cup", "--csv", "matches"]);
    dir.write("matches.csv", &table);
    let page = fs::read_to_string(root().join("docs/tournaments.md")).unwrap();
    let ask = |query: &str| {
        let mut sqlite = Command::new("sqlite3");
        sqlite.args([":memory:", ".mode list", ".import --csv matches.csv matches", query]);
        let output = sqlite.current_dir(dir.path("")).output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{query}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let queries = page.split("```sql\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let [points, losses, seats, faults, longest] =
        <[String; 5]>::try_from(queries.map(ask).collect::<Vec<_>>()).unwrap();
    // Each of the six matches gives a point. The bot with faults may still win by chance.
    let sum = |text: &str, column: usize| -> f64 {
        text.lines().map(|line| line.split('|').nth(column).unwrap().parse::<f64>().unwrap()).sum()
    };
    assert_eq!((points.lines().count(), sum(&points, 1), sum(&points, 2)), (3, 12.0, 6.0));
    let standing = dir.succeed(&["report", "cup", "--csv", "standing"]).0;
    for line in points.lines() {
        let cells: Vec<&str> = line.split('|').collect();
        let row = standing.lines().find(|row| row.split(',').nth(1) == Some(cells[0])).unwrap();
        let expected: f64 = row.split(',').nth(2).unwrap().parse().unwrap();
        assert_eq!(cells[2].parse::<f64>().unwrap(), expected, "{line}");
    }
    assert_eq!((losses.lines().count(), sum(&losses, 2)), (2, 4.0), "{losses}");
    assert_eq!(seats.lines().map(|line| &line[..2]).collect::<Vec<_>>(), ["1|", "2|"]);
    let is_told = |line: &str| line.starts_with("greedy|") && line.ends_with(".agon");
    assert!(faults.lines().count() == 4 && faults.lines().all(is_told), "{faults}");
    assert!(longest.lines().count() == 5 && longest.contains(" against "), "{longest}");
}
