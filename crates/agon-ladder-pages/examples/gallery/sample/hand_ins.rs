//! Sample hand-ins and trial matches.

use agon_ladder_pages::model::{
    Choice, HandIn, LanguageChoice, Log, Quota, ShellStep, Time, Trial, TrialState, ZonedTime,
};

use super::{
    NOW, Sample,
    arena::{bot as bot_ref, head},
    before,
    bots::CODE,
    games::{faults, log, seat},
};

/// Returns the page to hand in a new version.
pub(crate) fn hand_in(sample: Sample) -> HandIn {
    let language =
        |id: &str, name: &str| LanguageChoice { id: sample.text(id), name: sample.text(name) };
    let choice = |at: usize| Choice {
        id: bot_ref(sample, at).slug,
        label: bot_ref(sample, at).name,
        on: at == 8,
    };
    let step = |words: &str, command: &str| ShellStep {
        words: sample.text(words),
        command: sample.text(command),
    };
    HandIn {
        arena: head(sample),
        bot: Some(bot_ref(sample, 2)),
        closed: None,
        stopped: None,
        until: Some(ZonedTime { at: Time(NOW + 20 * 86_400), offset: 60 }),
        error: None,
        languages: vec![
            language("python", "Python 3.11"),
            language("rust", "Rust 1.95"),
            language("cpp", "C++"),
            language("java", "Java 17"),
            language("typescript", "TypeScript"),
        ],
        game_rules: "/games/cluster".to_owned(),
        language: sample.text("python"),
        file: sample.text("bot.py"),
        code: sample.text(CODE),
        origin: sample.text("the starter kit"),
        is_sent: false,
        draft: sample.text("7/1"),
        replaces: Some(sample.text("Your version 6 came from an archive.")),
        name: String::new(),
        message: sample.text("looks two moves ahead"),
        opponents: [13, 8, 3, 0].map(choice).to_vec(),
        quota: Quota { left: 7, per_day: 10, next: None, bytes: 8 << 20, files: 200 },
        shell: vec![
            step("Begin a bot, if you have none", "agon new cluster python my-bot"),
            step("Sign in, once on each machine", "agon login https://agon.example --name ada"),
            step(
                "Hand in the folder",
                "agon submit my-bot --arena autumn-2026 -m \"what changed\"",
            ),
        ],
    }
}

/// Returns the page to hand in the first version, after a mistake.
pub(crate) fn first_hand_in(sample: Sample) -> HandIn {
    let mut page = hand_in(sample);
    page.bot = None;
    page.replaces = None;
    page.arena.own_bot = None;
    page.error = Some(sample.text("Another bot has this name. Choose another one."));
    page.name = sample.text("fox");
    page.quota.next = Some(before(0));
    page
}

/// Returns a trial match that is over.
pub(crate) fn trial(sample: Sample) -> Trial {
    Trial {
        arena: head(sample),
        id: sample.text("7f3a"),
        state: TrialState::Over,
        progress: (112, 112),
        seats: vec![seat(sample, 8, 1, false), seat(sample, 2, 2, true)],
        faults: faults(sample),
        more_faults: 0,
        build: Some(Log { title: sample.text("Output of the build"), ..Log::default() }),
        stderr: Some(log(sample, "stderr")),
        replay: "/arenas/autumn-2026/tries/7f3a/replay.agon".to_owned(),
        language: sample.text("Python 3.11"),
        name: sample.text("grace"),
        message: sample.text("looks two moves ahead"),
        replaces: Some(sample.text("Your version 6 came from an archive.")),
        can_hand_in: true,
    }
}

/// Returns a trial match that is being played.
pub(crate) fn playing(sample: Sample) -> Trial {
    Trial {
        arena: head(sample),
        id: sample.text("7f3a"),
        state: TrialState::Playing,
        progress: (41, 120),
        language: sample.text("Python 3.11"),
        ..Trial::default()
    }
}
