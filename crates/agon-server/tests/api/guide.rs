//! The examples of `docs/api.md` work as they are written.

use std::{fs, io::Cursor, process::Command};

use super::author;
use crate::support::{Server, many_hand_ins, python_zip, wait_for};

/// Returns the commands of a page.
fn commands(page: &str) -> String {
    let mut commands = String::new();
    let mut is_inside = false;
    for line in page.lines() {
        match line {
            "```sh" => is_inside = true,
            "```" => is_inside = false,
            line if is_inside => commands.push_str(&format!("{line}\n")),
            _ => {}
        }
    }
    commands
}

#[test]
fn the_examples_of_the_guide_work() {
    agon_testkit::needs!("bash", "curl", "jq", "tar");
    let page = fs::read_to_string("../../docs/api.md").unwrap();
    let commands = commands(&page);
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("ladder"), &["--arena", "cluster"]);
    let mut root = server.administrator();
    many_hand_ins(&mut root);
    let mut ada = author(&server, &mut root, "ada");
    // What the guide exports.
    wait_for("matches", || {
        let matches = ada.found("/arenas/cluster/matches?limit=3");
        (matches["items"].as_array().unwrap().len() == 3).then_some(())
    });
    let bot = folder.path().join("my-bot");
    fs::create_dir(&bot).unwrap();
    let mut zip = zip::ZipArchive::new(Cursor::new(python_zip("cluster", ""))).unwrap();
    zip.extract(&bot).unwrap();
    let own = "api=https://agon.example/api/v1\n";
    assert!(commands.contains(own), "{commands}");
    let commands = commands.replace(own, &format!("api={}/api/v1\n", server.address));
    let output = Command::new("bash")
        .args(["-euo", "pipefail", "-c", &commands])
        .env("name", "ada")
        .env("password", "battery staple")
        .current_dir(folder.path())
        .output()
        .unwrap();
    let (said, errors) = (
        String::from_utf8_lossy(&output.stdout).into_owned(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    );
    assert!(output.status.success(), "{said}\n{errors}");
    for part in
        ["cluster: ", "\"submit\"", "1 ", ": passed", "\"paused\"", "\"playing\"", "\"Hen\""]
    {
        assert!(said.contains(part), "no {part} in {said}");
    }
    let csv = fs::read_to_string(folder.path().join("matches.csv")).unwrap();
    assert!(csv.lines().count() > 2, "{csv}");
    assert!(fs::metadata(folder.path().join("table.jsonl")).unwrap().len() > 0);
}
