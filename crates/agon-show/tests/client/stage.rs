//! Apps for tests, and servers that show them.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::{sync::Mutex, thread, time::Duration};

use agon_core::Seed;
use agon_games::GameId;
use agon_show::vnc::{Notice, Options, Server};
use agon_view::paint::{Area, Frame, Rgb};
use agon_view::{App, Input, Key, LiveStates, Notes, Redraw, SharedStates, Status, Viewer};
use serde_json::{Value, json};

/// An app that shows a digit's colour, with a white square under the pointer.
///
/// It notes its events.
#[derive(Default)]
pub struct Pad {
    digit: u8,
    at: (f32, f32),
    pub inputs: Vec<Input>,
    is_closed: bool,
}

/// Returns the colour of a digit.
pub fn color(digit: u8) -> Rgb {
    Rgb(25 * digit, 255 - 25 * digit, 128)
}

impl App for Pad {
    fn title(&self) -> String {
        "a pad – for tests".into()
    }

    fn input(&mut self, input: Input) -> Redraw {
        self.inputs.push(input);
        match input {
            Input::Key(Key::Char(digit @ '0'..='9')) => self.digit = digit as u8 - b'0',
            Input::Key(Key::Char('q')) => self.is_closed = true,
            Input::Move { x, y } => self.at = (x, y),
            _ => return Redraw::No,
        }
        Redraw::Yes
    }

    fn tick(&mut self, _: Duration) -> Redraw {
        Redraw::No
    }

    fn idle(&self) -> Option<Duration> {
        None
    }

    fn paint(&mut self, frame: &mut Frame) {
        let (x, y) = (self.at.0 as i32, self.at.1 as i32);
        frame.fill(frame.area(), color(self.digit));
        frame.fill(Area { x, y, width: 4, height: 4 }, Rgb(255, 255, 255));
    }

    fn is_closed(&self) -> bool {
        self.is_closed
    }

    fn status(&self) -> Status {
        unreachable!("nobody asks")
    }
}

/// Shows an app while `test` runs, and returns the server's notices.
pub fn show(app: &mut dyn App, options: Options, test: impl FnOnce(SocketAddr)) -> Vec<Notice> {
    let server = Server::bind(Options { port: Some(0), ..options }).unwrap();
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, server.address.port()));
    let ended = AtomicBool::new(false);
    let notices = Mutex::new(vec![]);
    /// Ends the server even if the test fails.
    struct End<'a>(&'a AtomicBool);
    impl Drop for End<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    thread::scope(|scope| {
        let mut tell = |notice: &Notice| notices.lock().unwrap().push(notice.clone());
        let stop = || ended.load(Ordering::Relaxed);
        let running = scope.spawn(move || server.run(app, &stop, &mut tell));
        let end = End(&ended);
        test(address);
        drop(end);
        running.join().unwrap().unwrap();
    });
    notices.into_inner().unwrap()
}

/// Opens a viewer of a match between two players, at its start.
pub fn viewer(game: GameId, rules: &Value) -> Viewer {
    let states = SharedStates::new(game.kind().start(rules, 2, Seed(1)).unwrap());
    states.complete();
    Viewer::new(LiveStates::new(states, vec!["one".into(), "other".into()]), Notes::default())
}

pub fn cluster(side: u32) -> Viewer {
    viewer(GameId::Cluster, &json!({ "side": side }))
}
