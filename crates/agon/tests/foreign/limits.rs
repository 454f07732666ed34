//! Numbers and files that are too large are refused by their names.

use std::{fs, os::unix::fs::symlink};

use crate::support::{Done, TestDir};

#[test]
fn as_many_matches_at_a_time_as_plans_allow() {
    let dir = TestDir::new();
    dir.write("plan.toml", "game = \"cluster\"\nbots = []\n[format]\nkind = \"round-robin\"\n");
    let compare = "compare --game cluster builtin:random builtin:greedy";
    let tune = "tune --game cluster builtin:searcher --param width=1..12";
    for line in [compare, tune, "tournament plan.toml"] {
        for jobs in ["30000", "0", "-1"] {
            dir.refuses(&format!("{line} -j {jobs}"), ["a whole number from 1 to 4096"]);
        }
    }
    let done = dir.run(&format!("{compare} --max 2 -j 4096 --set side=3"));
    assert!(matches!(done.code, Some(0 | 1)), "{}", done.err);
}

#[test]
fn text_without_end_is_refused() {
    let dir = TestDir::new();
    dir.write("large", vec![b' '; (16 << 20) + 1]);
    let words = "it has more than 16 MiB";
    // Reading a device is harmless.
    for file in ["/dev/zero", "large"] {
        symlink(file, dir.path("settings.ini")).unwrap();
        for line in [
            "scenario FILE",
            "tournament FILE",
            "play cluster --rules FILE",
            "rezzo -q --map FILE builtin:wanderer builtin:wanderer",
            "binfection builtin:random builtin:random",
        ] {
            dir.refuses(&line.replace("FILE", file), [words]);
        }
        fs::remove_file(dir.path("settings.ini")).unwrap();
    }
    let zero = fs::File::open("/dev/zero").unwrap();
    let done = Done::of(dir.agon("scenario -").stdin(zero));
    done.says("cannot read standard input: it has more than 16 MiB");

    for line in [
        "replay info /dev/zero",
        "web export site /dev/zero",
        "replay export /dev/zero --import-cellhack --states -",
    ] {
        let said = dir.fails(line);
        let words = ["it is not a regular file", "more than 1024 MiB"];
        assert!(words.iter().any(|words| said.contains(words)), "{said}");
    }
}

#[test]
fn plans_have_as_many_bots_as_can_be_paired() {
    let dir = TestDir::new();
    let plan = |kind: &str, bots: &str| {
        let text = format!(
            "game = \"cluster\"\nbots = [{bots}]\nplayers = 3\n[format]\nkind = \"{kind}\"\n"
        );
        dir.write("plan.toml", text);
        dir.fails("tournament plan.toml")
    };
    let bots = |count: usize| -> String {
        (0..count).map(|number| format!("\"b{number}=builtin:random\", ")).collect()
    };
    for kind in ["round-robin", "swiss", "elimination", "double-elimination"] {
        let said = plan(kind, &bots(2_001));
        let words = "in this format 2000 bots are the most, but the plan has 2001";
        assert!(said.contains(words), "{said}");
    }
    let said = plan("ladder", &bots(10_001));
    assert!(said.contains("here the plan has more than 10000 bots"), "{said}");
    let bot = format!("{}=builtin:random", "x".repeat(257));
    for said in [
        plan("swiss", &format!("\"{bot}\", \"builtin:greedy\"")),
        dir.fails(&format!("play cluster {bot} builtin:random")),
    ] {
        assert!(said.contains("a name of 257 bytes is too long: 256 are the most"), "{said}");
    }
}

#[test]
fn films_end() {
    let dir = TestDir::new();
    dir.ok("play cluster builtin:random builtin:random --set side=3 --replay m.agon");
    let most = u64::MAX;
    for film in ["--gif m.gif", "--apng m.png"] {
        for every in [most, 10_000_000] {
            dir.refuses(
                &format!("replay export m.agon {film} --every {every}"),
                ["seconds, and 600 are the most; --fps"],
            );
            assert!(!dir.path(film.split_once(' ').unwrap().1).exists());
        }
        dir.ok(&format!("replay export m.agon {film} --every {most} --fps 2"));
    }
    dir.ok(&format!("replay export m.agon --png pictures --every {most}"));
}

#[test]
fn boards_are_as_large_as_their_games_allow() {
    let dir = TestDir::new();
    for (game, keys) in [
        ("amoebas", &["world_size", "view_distance", "rounds"][..]),
        ("binfection", &["field_width", "field_height", "spawns_number"]),
        ("cellhack", &["width", "height"]),
        ("cluster", &["side", "hand_size", "bag"]),
        ("rezzo", &["width", "height", "loop_area"]),
    ] {
        for value in ["4294967295", "18446744073709551615", "-1", "0"] {
            // Also all at once: no board may be made before both sides are known to be right.
            let single = keys.iter().map(std::slice::from_ref);
            let single = single.filter(|_| ["4294967295", "0"].contains(&value));
            for keys in single.chain([keys]) {
                let sets: String = keys.iter().map(|key| format!(" --set {key}={value}")).collect();
                dir.refuses(&format!("play {game}{sets}"), [keys[0]]);
            }
        }
    }
}
