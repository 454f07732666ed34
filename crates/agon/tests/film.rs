//! Films and charts from the command line, and encoders that fail, hang, are killed, or are
//! interrupted: the error says why, and nothing is left.

use std::fs::{self, Permissions};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{os::unix::fs::PermissionsExt, path::Path};

use agon_testkit::needs;
use rustix::process::Signal;

use crate::support::{Done, TestDir, end_of, hears, names, runs, signal, until};

const PLAY: &str = "play cellhack a=builtin:hunter b=builtin:random --set width=24 \
                    --set height=16 --turns 20 --seed 3";

/// A folder with a replay of twenty turns, `m.agon`.
fn recorded() -> TestDir {
    let dir = TestDir::new();
    dir.ok(&format!("{PLAY} --replay m.agon"));
    dir
}

fn png_size(path: &Path) -> (u32, u32) {
    let bytes = fs::read(path).unwrap();
    let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
    assert!(bytes.starts_with(b"\x89PNG"));
    (number(16), number(20))
}

#[test]
fn every_turn_becomes_a_picture_or_those_asked_for() {
    let dir = recorded();
    for (flags, pictures) in [
        ("", 21),
        ("--from 5 --to 9", 5),
        ("--from 5 --to 9 --every 3", 2),
        ("--from 20", 1),
        // A step is a turn in cellhack.
        ("--steps", 21),
        ("--smooth 1 --to 4", 9),
    ] {
        let _ = fs::remove_dir_all(dir.path("p"));
        dir.ok(&format!("replay export m.agon --png p --zoom 3 --no-caption {flags}"));
        let names = names(dir.path("p"));
        assert_eq!(names.len(), pictures, "{flags}");
        assert_eq!(png_size(&dir.path("p").join(&names[0])), (72, 48));
    }
    dir.ok("replay export m.agon --png q --size 400x300 --to 0");
    let (width, height) = png_size(&dir.path("q/00000000.png"));
    assert!(width <= 400 && height <= 300 && (width > 200 || height > 150), "{width}x{height}");
    dir.refuses("replay export m.agon --png r --size 20x10", ["20x10 pixels are too few"]);
    assert!(!dir.path("r").exists());
}

#[test]
fn a_match_that_is_played_becomes_the_same_film_as_its_replay() {
    let dir = TestDir::new();
    let play = "play rezzo --set width=24 --set height=24 --turns 30 --seed 5";
    dir.ok(&format!("{play} --replay m.agon --gif live.gif"));
    dir.ok("replay export m.agon --gif replay.gif");
    assert!(dir.bytes("live.gif") == dir.bytes("replay.gif"));
}

#[test]
fn summaries_tell_what_there_is() {
    let dir = recorded();
    let films = "--gif a.gif --apng a.png --speed 10 --json";
    let lines = dir.ok(&format!("replay export m.agon {films}")).lines();
    for (line, name) in lines.iter().zip(["a.gif", "a.png"]) {
        let film = &line["data"];
        assert_eq!((&line["type"], &film["path"]), (&"film".into(), &name.into()));
        // Twenty-one pictures of a tenth of a second, and the last one for two more.
        assert_eq!(film["seconds"], 4.1);
        assert_eq!(film["bytes"], dir.bytes(name).len());
    }
    assert_eq!(lines.len(), 2);
}

#[test]
fn videos_are_made_by_ffmpeg_or_the_error_names_it() {
    let dir = recorded();
    let done = Done::of(dir.agon("replay export m.agon --webm m.webm").env("AGON_FFMPEG", ""));
    done.says("WebM needs the program ffmpeg").says("apt install ffmpeg");

    needs!("ffmpeg", "ffprobe");
    for file in ["m.mp4", "m.webm"] {
        let flags = format!("--{} {file} --fps 10 --zoom 5 --no-caption", &file[2..]);
        dir.ok(&format!("replay export m.agon {flags}"));
        let run = |line: &str| {
            let mut words = line.split(' ');
            let mut command = Command::new(words.next().unwrap());
            Done::of(command.args(words).current_dir(dir.path("")))
        };
        let entries = "stream=width,height,r_frame_rate,nb_read_frames,pix_fmt";
        let show = format!("-count_frames -show_entries {entries} -of csv=p=0 {file}");
        // 21 pictures, and 20 more while the last one is held.
        let probed = run(&format!("ffprobe -v error {show}"));
        assert_eq!(probed.out.trim(), "120,80,yuv420p,10/1,41", "{file}");
        assert_eq!(run(&format!("ffmpeg -v error -i {file} -f null -")).err, "", "{file}");
    }
    assert!(names(dir.path("")).iter().all(|name| !name.ends_with(".part")));
}

#[test]
fn charts_are_svg_and_png() {
    let dir = recorded();
    let svg = dir.ok("replay chart m.agon");
    assert!(svg.out.starts_with("<svg "), "{svg:?}");
    svg.says(">cellhack: cells</text>").says(">a</text>").says(">b</text>");
    let files = "--svg c/e.svg --png c/e.png --size 500x300";
    let nothing = dir.ok(&format!("replay chart m.agon --theme light --series energy {files}"));
    assert_eq!(nothing.out, "");
    assert_eq!(png_size(&dir.path("c/e.png")), (500, 300));
    let svg = dir.read("c/e.svg");
    assert!(svg.contains("energy of all cells") && svg.contains("width=\"500\""));
    dir.refuses("replay chart m.agon --series energie", ["did you mean `energy`?"]);
}

#[test]
fn classic_programs_write_their_pictures() {
    let dir = TestDir::new();
    let bots = "builtin:raider builtin:random";
    dir.ok(&format!("rezzo -w 24 -h 20 -q -r 7 -z 3 -v new/video {bots} --max-ticks 12"));
    let files = names(dir.path("new/video"));
    assert_eq!((files.len(), files[0].as_str()), (13, "00000000.png"));
    assert_eq!(png_size(&dir.path("new/video/00000012.png")), (72, 60));

    let flags = "--rounds 5 --set world_size=30 --seed 1 --save-graphics --directory out/graphics";
    dir.ok(&format!("amoebas builtin:nasty builtin:slightly-brainy {flags}"));
    let files = names(dir.path("out/graphics"));
    assert_eq!((files.len(), &*files[0], &*files[4]), (5, "g00000.png", "g00004.png"));
    assert_eq!(png_size(&dir.path("out/graphics/g00004.png")), (120, 120));
}

/// A folder with a replay, `m.agon`, and `encoder`, a script in the place of all encoders.
struct Studio(TestDir);

impl Studio {
    fn new(script: &str) -> Studio {
        let studio = Studio(recorded());
        studio.have(script);
        studio
    }

    fn have(&self, script: &str) {
        self.0.program("encoder", format!("#!/bin/sh\n{script}\n"));
    }

    fn agon(&self, line: &str) -> Command {
        let mut command = self.0.agon(line);
        command.env("AGON_FFMPEG", self.0.path("encoder"));
        command
    }

    fn start(&self, line: &str) -> Child {
        self.agon(line).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// Checks that an export fails with all these words, and leaves nothing.
    #[track_caller]
    fn refuses(&self, flags: &str, words: [&str; 2]) {
        let done = Done::of(&mut self.agon(&format!("replay export m.agon {flags}")));
        assert_eq!(done.tells(words).code, Some(2), "{flags}: {done:?}");
        assert_eq!(names(self.0.path("")), ["encoder", "m.agon"], "{flags}: {done:?}");
    }
}

/// An arena ends soon: long before its encoder would.
#[track_caller]
fn ends_soon(child: Child) {
    let begun = Instant::now();
    let done = end_of(child);
    assert_eq!(done.code, Some(130), "{done:?}");
    assert!(begun.elapsed() < Duration::from_secs(100), "{:?}", begun.elapsed());
}

#[test]
fn encoders_that_fail_are_told_with_the_reason() {
    let other = "cat >/dev/null; for last; do :; done; echo something else >\"$last\"";
    let studio = Studio::new("");
    for (script, flags, words) in [
        ("cat >/dev/null; exit 0", "--mp4 m.mp4", "wrote nothing instead of"),
        ("cat >/dev/null; exit 0", "--webm m.webm", "wrote nothing instead of"),
        (other, "--mp4 m.mp4", "m.mp4: it ended as if all were well, but wrote something else"),
        ("kill -KILL $$", "--webm m.webm", "SIGKILL"),
        ("head -c 100 >/dev/null; kill -TERM $$", "--webm m.webm", "SIGTERM"),
        ("echo no more tape >&2; exit 3", "--mp4 m.mp4", "could not encode m.mp4: no more tape"),
        ("kill -XFSZ $$", "--webm m.webm", "cannot write m.webm: File too large"),
    ] {
        studio.have(script);
        studio.refuses(flags, [words, &flags[6..]]);
    }
    // It was there when the arena looked for it.
    let encoder = studio.0.path("encoder");
    fs::set_permissions(encoder, Permissions::from_mode(0o644)).unwrap();
    studio.refuses("--webm m.webm", ["cannot start `", "encoder"]);
}

#[test]
fn ctrl_c_ends_an_export_at_once_with_its_encoder() {
    // It takes nothing, and starts something that would run on.
    let script = "sleep 1000 & echo $! >pid.new; mv pid.new pid; wait";
    for film in ["--webm m.webm", "--mp4 m.mp4"] {
        let studio = Studio::new(script);
        let child = studio.start(&format!("replay export m.agon {film} --zoom 20"));
        until("an encoder", || studio.0.path("pid").exists());
        signal(&child, Signal::INT);
        ends_soon(child);
        assert_eq!(names(studio.0.path("")), ["encoder", "m.agon", "pid"]);
        let pid = studio.0.read("pid");
        until("an end of the encoder", || !runs(pid.trim()));
    }
}

#[test]
fn a_second_ctrl_c_gives_up_the_film_of_a_match() {
    // It takes all pictures, and never comes to an end.
    let studio = Studio::new("cat >/dev/null; echo $$ >pid.new; mv pid.new pid; sleep 1000");
    let mut child = studio.start(&format!("{PLAY} --webm m.webm"));
    until("an encoder with all pictures", || studio.0.path("pid").exists());
    signal(&child, Signal::INT);
    let said = hears(&mut child, "Ctrl-C again");
    signal(&child, Signal::INT);
    ends_soon(child);
    assert!(said.contains("completing the film"), "{said}");
    assert_eq!(names(studio.0.path("")), ["encoder", "m.agon", "pid"]);
}

#[test]
fn ctrl_c_leaves_nothing_of_pictures_that_agon_encodes() {
    let dir = recorded();
    for flag in ["--gif", "--apng"] {
        let child = dir.start(&format!("replay export m.agon {flag} film --zoom 20 --smooth 30"));
        until("a film", || dir.path("film.part").exists());
        signal(&child, Signal::INT);
        assert_eq!(end_of(child).code, Some(130), "{flag}");
        assert_eq!(names(dir.path("")), ["m.agon"], "{flag}");
    }
}
