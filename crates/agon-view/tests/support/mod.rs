//! Small scripted matches and their replays, for the tests of viewers.

#![allow(dead_code, unreachable_pub, reason = "each test uses some of it")]

use std::time::Duration;

use agon_core::{BotInfo, Player, Seed};
use agon_games::any::{AnyGame, FullGame};
use agon_games::cellhack;
use agon_match::replay::{End, Replay, Writer};
use agon_view::{App, Button, Input};

/// Makes the replay of a scripted match of at most this many steps.
pub fn replay<G: FullGame>(rules: &G::Rules, players: usize, most: u64) -> Replay {
    Replay::open(replay_bytes::<G>(rules, players, most)).expect("it has just been written")
}

/// Makes the same as a file.
pub fn replay_bytes<G: FullGame>(rules: &G::Rules, players: usize, most: u64) -> Vec<u8> {
    let (game, writer) = written::<G>(rules, players, most);
    let end = if game.is_over() { End::Over } else { End::Limit };
    writer.finish(&game, end, &[]).expect("memory can be written")
}

/// Returns the last state, and the file up to it.
pub fn written<G: FullGame>(
    rules: &G::Rules,
    players: usize,
    most: u64,
) -> (AnyGame, Writer<Vec<u8>>) {
    let game = G::new(rules, players, Seed(7)).expect("the rules allow it");
    let mut game = AnyGame::of(game);
    let name =
        |player: Player| BotInfo::new(["ann", "bob", "cid", "dan"][player.index()], "builtin");
    let infos: Vec<_> = Player::all(players).map(name).collect();
    let mut writer = Writer::new(Vec::new(), &game, &infos).expect("memory can be written");
    for step in 0..most {
        if game.is_over() {
            break;
        }
        let answers = game.scripted_answers(Seed(1), step);
        game.step(&answers);
        writer.step(&answers, &game).expect("memory can be written");
    }
    (game, writer)
}

/// A clock for apps.
#[derive(Debug, Default)]
pub struct Time(Duration);

impl Time {
    /// Lets time pass, picture after picture.
    pub fn pass(&mut self, app: &mut dyn App, seconds: f64) {
        let end = self.0 + Duration::from_secs_f64(seconds);
        while self.0 < end {
            self.0 += Duration::from_millis(16);
            app.tick(self.0);
        }
    }
}

/// Keeps a picture below the folder `AGON_SCREENSHOTS`, if there is one, for people to look at.
pub fn keep(frame: &agon_view::paint::Frame, name: &str) {
    let Some(folder) = std::env::var_os("AGON_SCREENSHOTS") else { return };
    let path = std::path::Path::new(&folder).join(format!("{name}.ppm"));
    let mut bytes = format!("P6 {} {} 255\n", frame.width(), frame.height()).into_bytes();
    bytes.extend(frame.data().chunks(4).flat_map(|pixel| &pixel[..3]));
    std::fs::write(path, bytes).expect("the folder exists");
}

/// A small match of cellhack.
pub fn cells() -> cellhack::Rules {
    cellhack::Rules { width: 40, height: 40, turns: 60, ..cellhack::Rules::default() }
}

/// Clicks on a pixel.
pub fn click(app: &mut dyn App, (x, y): (f32, f32)) {
    app.input(Input::Move { x, y });
    app.input(Input::Press(Button::Left));
    app.input(Input::Release(Button::Left));
}
