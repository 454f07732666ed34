//! Films and charts from the command line.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::{
    fs::{self, File},
    path::Path,
    process::{Command, Output, Stdio},
};

use assert_cmd::cargo::cargo_bin;
use tempfile::TempDir;

fn agon(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(cargo_bin("agon"));
    command.current_dir(folder).args(args).stdin(Stdio::null()).output().expect("agon runs")
}

/// Runs it and returns what it writes to stdout.
fn done(folder: &Path, args: &[&str]) -> String {
    let output = agon(folder, args);
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{args:?}: {error}");
    String::from_utf8(output.stdout).unwrap()
}

/// Runs it and returns its error.
fn fails(folder: &Path, args: &[&str]) -> String {
    let output = agon(folder, args);
    assert_eq!(output.status.code(), Some(2), "{args:?}");
    String::from_utf8(output.stderr).unwrap()
}

/// A folder with a replay of twenty turns, `m.agon`.
fn recorded() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let play = "play cellhack a=builtin:hunter b=builtin:random --set width=24 --set height=16 \
        --turns 20 --seed 3";
    let mut args: Vec<&str> = play.split(' ').collect();
    args.extend(["--replay", "m.agon"]);
    done(folder.path(), &args);
    folder
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = entries.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    names
}

fn png_size(path: &Path) -> (u32, u32) {
    let bytes = fs::read(path).unwrap();
    let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
    assert!(bytes.starts_with(b"\x89PNG"));
    (number(16), number(20))
}

#[test]
fn every_turn_becomes_a_picture_or_those_asked_for() {
    let folder = recorded();
    let folder = folder.path();
    let export = |more: &[&str]| {
        let _ = fs::remove_dir_all(folder.join("p"));
        done(
            folder,
            &[&["replay", "export", "m.agon", "--png", "p", "--zoom", "3", "--no-caption"], more]
                .concat(),
        );
        names(&folder.join("p")).len()
    };
    assert_eq!(export(&[]), 21, "the start and twenty turns");
    assert_eq!(png_size(&folder.join("p/00000020.png")), (72, 48));
    assert_eq!(export(&["--from", "5", "--to", "9"]), 5);
    assert_eq!(export(&["--from", "5", "--to", "9", "--every", "3"]), 2);
    assert_eq!(export(&["--from", "20"]), 1);
    assert_eq!(export(&["--steps"]), 21, "a step is a turn in cellhack");
    assert_eq!(export(&["--smooth", "1", "--to", "4"]), 9);
}

#[test]
fn a_match_that_is_played_becomes_the_same_film_as_its_replay() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let play = "play rezzo --set width=24 --set height=24 --turns 30 --seed 5 --replay m.agon \
        --gif live.gif";
    done(folder, &play.split(' ').collect::<Vec<_>>());
    done(folder, &["replay", "export", "m.agon", "--gif", "replay.gif"]);
    assert!(
        fs::read(folder.join("live.gif")).unwrap() == fs::read(folder.join("replay.gif")).unwrap()
    );
}

#[test]
fn summaries_tell_what_there_is() {
    let folder = recorded();
    let text = done(
        folder.path(),
        &[
            "replay", "export", "m.agon", "--gif", "a.gif", "--apng", "a.png", "--speed", "10",
            "--json",
        ],
    );
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let field =
        |name: &str| lines.iter().map(|line| line["data"][name].clone()).collect::<Vec<_>>();
    assert_eq!(field("path"), ["a.gif", "a.png"]);
    // Twenty-one pictures of a tenth of a second, and the last one for two more.
    assert_eq!(field("seconds"), [4.1, 4.1]);
    for (line, name) in lines.iter().zip(["a.gif", "a.png"]) {
        assert_eq!(line["type"], "film");
        assert_eq!(
            line["data"]["bytes"],
            File::open(folder.path().join(name)).unwrap().metadata().unwrap().len()
        );
    }
}

#[test]
fn sizes_are_kept_and_too_small_ones_refused() {
    let folder = recorded();
    let folder = folder.path();
    done(folder, &["replay", "export", "m.agon", "--png", "p", "--size", "400x300", "--to", "0"]);
    let (width, height) = png_size(&folder.join("p/00000000.png"));
    assert!(width <= 400 && height <= 300 && (width > 200 || height > 150), "{width}x{height}");
    let error = fails(folder, &["replay", "export", "m.agon", "--png", "q", "--size", "20x10"]);
    assert!(error.contains("20x10 pixels are too few"), "{error}");
    assert!(!folder.join("q").exists());
}

#[test]
fn videos_are_made_by_ffmpeg_or_the_error_names_it() {
    let folder = recorded();
    let folder = folder.path();
    let mut command = Command::new(cargo_bin("agon"));
    let output = command
        .current_dir(folder)
        .args(["replay", "export", "m.agon", "--webm", "m.webm"])
        .env("AGON_FFMPEG", "")
        .output()
        .unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(
        error.contains("WebM needs the program ffmpeg") && error.contains("apt install ffmpeg"),
        "{error}"
    );

    agon_testkit::needs!("ffmpeg", "ffprobe");
    for file in ["m.mp4", "m.webm"] {
        let flag = format!("--{}", &file[2..]);
        done(
            folder,
            &[
                "replay",
                "export",
                "m.agon",
                &flag,
                file,
                "--fps",
                "10",
                "--zoom",
                "5",
                "--no-caption",
            ],
        );
        let entries = "stream=width,height,r_frame_rate,nb_read_frames,pix_fmt";
        let probe = Command::new("ffprobe")
            .args([
                "-v",
                "error",
                "-count_frames",
                "-show_entries",
                entries,
                "-of",
                "csv=p=0",
                file,
            ])
            .current_dir(folder)
            .output()
            .unwrap();
        // 21 pictures, and 20 more while the last one is held.
        assert_eq!(
            String::from_utf8_lossy(&probe.stdout).trim(),
            "120,80,yuv420p,10/1,41",
            "{file}"
        );
        let play = Command::new("ffmpeg")
            .args(["-v", "error", "-i", file, "-f", "null", "-"])
            .current_dir(folder)
            .output();
        assert_eq!(String::from_utf8_lossy(&play.unwrap().stderr), "", "{file}");
    }
    assert!(names(folder).iter().all(|name| !name.ends_with(".part")));
}

#[test]
fn an_encoder_that_fails_is_told_with_its_words() {
    let folder = recorded();
    let program = folder.path().join("broken");
    fs::write(&program, "#!/bin/sh\necho no more tape >&2\nexit 3\n").unwrap();
    let mode: fs::Permissions = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(&program, mode).unwrap();
    let output = Command::new(cargo_bin("agon"))
        .current_dir(folder.path())
        .args(["replay", "export", "m.agon", "--mp4", "m.mp4"])
        .env("AGON_FFMPEG", &program)
        .output()
        .unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(error.contains("could not encode m.mp4: no more tape"), "{error}");
    assert_eq!(names(folder.path()), ["broken", "m.agon"]);
}

#[test]
fn charts_are_svg_and_png() {
    let folder = recorded();
    let folder = folder.path();
    let svg = done(folder, &["replay", "chart", "m.agon"]);
    assert!(svg.starts_with("<svg ") && svg.contains(">cellhack: cells</text>"));
    assert!(svg.contains(">a</text>") && svg.contains(">b</text>"));
    let arguments =
        ["--series", "energy", "--svg", "c/e.svg", "--png", "c/e.png", "--size", "500x300"];
    let nothing = done(
        folder,
        &[&["replay", "chart", "m.agon", "--theme", "light"][..], &arguments].concat(),
    );
    assert_eq!(nothing, "");
    assert_eq!(png_size(&folder.join("c/e.png")), (500, 300));
    let svg = fs::read_to_string(folder.join("c/e.svg")).unwrap();
    assert!(svg.contains("energy of all cells") && svg.contains("width=\"500\""));
    let error = fails(folder, &["replay", "chart", "m.agon", "--series", "energie"]);
    assert!(error.contains("did you mean `energy`?"), "{error}");
}

#[test]
fn classic_programs_write_their_pictures() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let rezzo =
        "rezzo -w 24 -h 20 -q -r 7 -z 3 -v new/video builtin:raider builtin:random --max-ticks 12";
    done(folder, &rezzo.split(' ').collect::<Vec<_>>());
    let files = names(&folder.join("new/video"));
    assert_eq!((files.len(), files[0].as_str()), (13, "00000000.png"));
    assert_eq!(png_size(&folder.join("new/video/00000012.png")), (72, 60));

    let amoebas = "amoebas builtin:nasty builtin:slightly-brainy --rounds 5 --set world_size=30 \
                   --seed 1 --save-graphics --directory out/graphics";
    done(folder, &amoebas.split(' ').collect::<Vec<_>>());
    let files = names(&folder.join("out/graphics"));
    assert_eq!(
        (files.len(), files[0].as_str(), files[4].as_str()),
        (5, "g00000.png", "g00004.png")
    );
    assert_eq!(png_size(&folder.join("out/graphics/g00004.png")), (120, 120));
}
