//! Numbers and files that are too large are refused by their names.

use std::fs;

use super::test_dir::TestDir;

#[test]
fn as_many_matches_at_a_time_as_plans_allow() {
    let dir = TestDir::new();
    dir.write("plan.toml", "game = \"cluster\"\nbots = []\n[format]\nkind = \"round-robin\"\n");
    let pair = ["--game", "cluster", "builtin:random", "builtin:greedy"];
    for args in [
        [&["compare"][..], &pair].concat(),
        vec!["tune", "--game", "cluster", "builtin:searcher", "--param", "width=1..12"],
        vec!["tournament", "plan.toml"],
    ] {
        for jobs in ["30000", "0", "-1"] {
            let said = dir.fails(&[&args[..], &["-j", jobs]].concat());
            assert!(said.contains("a whole number from 1 to 4096"), "{args:?} -j {jobs}: {said}");
        }
    }
    let few = ["--max", "2", "-j", "4096", "--set", "side=3"];
    let output = dir.run(&[&["compare"][..], &pair, &few].concat());
    assert!(
        matches!(output.status.code(), Some(0 | 1)),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn text_without_end_is_refused() {
    let dir = TestDir::new();
    let large = dir.write("large", vec![b' '; (16 << 20) + 1]);
    let large = large.to_str().unwrap();
    let words = "it has more than 16 MiB";
    // Reading a device is harmless.
    for file in ["/dev/zero", large] {
        for args in [
            &["scenario", file][..],
            &["tournament", file],
            &["play", "cluster", "--rules", file],
            &["rezzo", "-q", "--map", file, "builtin:wanderer", "builtin:wanderer"],
        ] {
            let said = dir.fails(args);
            assert!(said.contains(words), "{args:?}: {said}");
        }
        std::os::unix::fs::symlink(file, dir.path("settings.ini")).unwrap();
        let said = dir.fails(&["binfection", "builtin:random", "builtin:random"]);
        fs::remove_file(dir.path("settings.ini")).unwrap();
        assert!(said.contains(words), "settings.ini: {said}");
    }
    let zero = || fs::File::open("/dev/zero").unwrap();
    let output = dir.agon(["scenario", "-"]).stdin(zero()).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("cannot read standard input: it has more than 16 MiB"), "{said}");

    for args in [
        &["replay", "info", "/dev/zero"][..],
        &["web", "export", "site", "/dev/zero"],
        &["replay", "export", "/dev/zero", "--import-cellhack", "--states", "-"],
    ] {
        let said = dir.fails(args);
        assert!(
            said.contains("it is not a regular file") || said.contains("more than 1024 MiB"),
            "{said}"
        );
    }
}

#[test]
fn plans_have_as_many_bots_as_can_be_paired() {
    let dir = TestDir::new();
    let plan = |kind: &str, count: usize| {
        let bots: Vec<String> = (0..count).map(|n| format!("\"b{n}=builtin:random\"")).collect();
        let bots = bots.join(", ");
        let text = format!(
            "game = \"cluster\"\nbots = [{bots}]\nplayers = 3\n[format]\nkind = \"{kind}\"\n"
        );
        dir.write("plan.toml", text);
        dir.fails(&["tournament", "plan.toml"])
    };
    for kind in ["round-robin", "swiss", "elimination", "double-elimination"] {
        let said = plan(kind, 2_001);
        assert!(
            said.contains("in this format 2000 bots are the most, but the plan has 2001"),
            "{said}"
        );
    }
    let said = plan("ladder", 10_001);
    assert!(said.contains("here the plan has more than 10000 bots"), "{said}");
    let name = "x".repeat(257);
    dir.write(
        "plan.toml",
        format!(
            "game = \"cluster\"\nbots = [\"{name}=builtin:random\", \
            \"builtin:greedy\"]\n[format]\nkind = \"swiss\"\n"
        ),
    );
    let said = dir.fails(&["tournament", "plan.toml"]);
    assert!(said.contains("a name of 257 bytes is too long: 256 are the most"), "{said}");
    let said = dir.fails(&["play", "cluster", &format!("{name}=builtin:random"), "builtin:random"]);
    assert!(said.contains("a name of 257 bytes is too long: 256 are the most"), "{said}");
}

#[test]
fn films_end() {
    let dir = TestDir::new();
    let play = [
        "play",
        "cluster",
        "builtin:random",
        "builtin:random",
        "--set",
        "side=3",
        "--replay",
        "m.agon",
    ];
    assert!(dir.run(&play).status.success());
    for (flag, file) in [("--gif", "m.gif"), ("--apng", "m.png")] {
        for every in ["18446744073709551615", "10000000"] {
            let said = dir.fails(&["replay", "export", "m.agon", flag, file, "--every", every]);
            assert!(
                said.contains("seconds, and 600 are the most; --fps"),
                "{flag} {every}: {said}"
            );
            assert!(!dir.path(file).exists());
        }
        let every = [
            "replay",
            "export",
            "m.agon",
            flag,
            file,
            "--every",
            "18446744073709551615",
            "--fps",
            "2",
        ];
        assert!(dir.run(&every).status.success(), "{flag}");
    }
    let pictures =
        ["replay", "export", "m.agon", "--png", "pictures", "--every", "18446744073709551615"];
    assert!(dir.run(&pictures).status.success());
}

#[test]
fn boards_are_as_large_as_their_games_allow() {
    let dir = TestDir::new();
    let huge = ["4294967295", "18446744073709551615", "-1", "0"];
    for (game, keys) in [
        ("amoebas", &["world_size", "view_distance", "rounds"][..]),
        ("binfection", &["field_width", "field_height", "spawns_number"]),
        ("cellhack", &["width", "height"]),
        ("cluster", &["side", "hand_size", "bag"]),
        ("rezzo", &["width", "height", "loop_area"]),
    ] {
        for value in huge {
            // Also all at once: no board may be made before both sides are known to be right.
            for keys in keys.iter().map(std::slice::from_ref).chain([keys]) {
                let sets: Vec<String> = keys.iter().map(|key| format!("{key}={value}")).collect();
                let sets = sets.iter().flat_map(|set| ["--set", set]);
                let args: Vec<&str> = ["play", game].into_iter().chain(sets).collect();
                let said = dir.fails(&args);
                assert!(said.contains(keys[0]), "{game} {keys:?} {value}: {said}");
            }
        }
    }
}
