//! The window on an invisible display (Xvfb), with the test in place of the arena.

#![cfg(target_os = "linux")]

use std::io::{BufReader, Write};
use std::process::{Child, ChildStdout, Command, Stdio};

use agon_files::parts::{receive, send};
use agon_testkit::display::{Display, end_of, until};
use agon_view::window::dialogue::{Button, DIALOGUE, Input, Key, Order, Problem, Report};

const HOST: &str = env!("CARGO_BIN_EXE_agon-window-host");

/// The host, killed when dropped.
struct Host {
    child: Child,
    ear: BufReader<ChildStdout>,
}

impl Host {
    /// Starts a host that has greeted.
    fn start(mut command: Command) -> Host {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the host starts");
        let mut ear = BufReader::new(child.stdout.take().expect("it is a pipe"));
        let greeting =
            receive::<(String, u64)>(&mut ear).expect("it speaks").expect("it greets").value;
        assert_eq!(greeting, ("agon-window-host".to_owned(), DIALOGUE));
        Host { child, ear }
    }

    /// Starts a host with an open window, and returns the window's number.
    fn open(display: &Display) -> (Host, String) {
        let mut host = Host::start(display.command(HOST));
        assert_eq!(host.hear(), Some(Report::Ready));
        host.tell(&Order::Open { title: "a window".to_owned() }, &[]);
        assert_eq!(host.hear(), Some(Report::Input(Input::Scale(1.0))));
        assert_eq!(host.hear(), Some(Report::Size { width: 1080, height: 720 }));
        let window = display.window(&mut host.child, "a window");
        (host, window)
    }

    fn tell(&mut self, order: &Order, bytes: &[u8]) {
        let mouth = self.child.stdin.as_mut().expect("it has not been closed");
        send(mouth, order, bytes).expect("it listens");
    }

    fn hear(&mut self) -> Option<Report> {
        receive(&mut self.ear).expect("it speaks").map(|message| message.value)
    }

    /// Waits for this report.
    fn hear_of(&mut self, report: &Report) {
        while self.hear().expect("it goes on") != *report {}
    }

    /// Shows a picture of one colour, and waits until it is visible.
    fn show(&mut self, (width, height): (u32, u32), color: [u8; 3]) {
        let pixel = [color[0], color[1], color[2], 255];
        self.tell(&Order::Show { width, height }, &pixel.repeat((width * height) as usize));
        self.hear_of(&Report::Shown);
    }

    /// Closes its standard input, and waits for its end.
    fn end(&mut self) -> Option<i32> {
        drop(self.child.stdin.take());
        end_of(&mut self.child).code()
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Counts the pixels of the display with this colour.
///
/// A window dump ends with its pixels: blue, green, red, and an unused byte.
fn pixels(display: &Display, [red, green, blue]: [u8; 3]) -> usize {
    let picture = display.picture();
    let pixels = &picture[picture.len() - 4 * 1280 * 800..];
    pixels.as_chunks().0.iter().filter(|[b, g, r, _]| [*r, *g, *b] == [red, green, blue]).count()
}

#[test]
fn pictures_are_seen_and_inputs_are_told() {
    agon_testkit::needs!("Xvfb", "xdotool", "xwd");
    let display = Display::open();
    let (mut host, window) = Host::open(&display);
    let orange = [250, 120, 10];
    host.show((1080, 720), orange);
    until("the picture", || pixels(&display, orange) == 1080 * 720);
    display.xdotool(&["key", "t"]);
    host.hear_of(&Report::Input(Input::Key(Key::Char('t'))));
    display.xdotool(&["key", "shift+Left"]);
    host.hear_of(&Report::Input(Input::Key(Key::ShiftLeft)));
    display.xdotool(&["mousemove", "--window", &window, "200", "100", "click", "1"]);
    host.hear_of(&Report::Input(Input::Move { x: 200.0, y: 100.0 }));
    host.hear_of(&Report::Input(Input::Press(Button::Left)));
    host.hear_of(&Report::Input(Input::Release(Button::Left)));
    display.xdotool(&["click", "4"]);
    host.hear_of(&Report::Input(Input::Wheel(1.0)));
    assert_eq!(host.end(), Some(0));
    assert_eq!(display.windows("a window"), "");
}

#[test]
fn the_last_picture_stays_until_there_is_one_of_the_new_size() {
    agon_testkit::needs!("Xvfb", "xdotool", "xwd");
    let display = Display::open();
    let (mut host, window) = Host::open(&display);
    let green = [10, 220, 30];
    let blue = [20, 40, 210];
    host.show((1080, 720), green);
    display.xdotool(&["windowsize", &window, "1100", "600"]);
    host.hear_of(&Report::Size { width: 1100, height: 600 });
    until("what fits of it", || pixels(&display, green) == 1080 * 600);
    host.show((1100, 600), blue);
    until("the new one", || pixels(&display, blue) == 1100 * 600);
    // A hidden part is shown again without the arena.
    display.xdotool(&["windowunmap", "--sync", &window]);
    until("an empty display", || pixels(&display, blue) == 0);
    display.xdotool(&["windowmap", "--sync", &window]);
    until("the same again", || pixels(&display, blue) == 1100 * 600);
}

#[test]
fn it_tells_why_there_is_no_window() {
    let without = || {
        let mut command = Command::new(HOST);
        ["DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET"].iter().for_each(|name| {
            command.env_remove(name);
        });
        command
    };
    let mut host = Host::start(without());
    assert_eq!(host.hear(), Some(Report::Failed(Problem::NoDisplay)));
    assert_eq!(host.end(), Some(0));
    if cfg!(not(feature = "wayland")) {
        let mut command = without();
        command.env("WAYLAND_DISPLAY", "wayland-0");
        assert_eq!(Host::start(command).hear(), Some(Report::Failed(Problem::NoWayland)));
    }
    let mut command = without();
    // No display has this name.
    command.env("DISPLAY", ":none");
    let mut host = Host::start(command);
    assert_eq!(host.hear(), Some(Report::Ready));
    host.tell(&Order::Open { title: "a window".to_owned() }, &[]);
    assert!(matches!(host.hear(), Some(Report::Failed(Problem::Refused(_)))));
    assert_eq!((host.hear(), host.end()), (None, Some(0)));
}

#[test]
fn it_ends_with_the_arena() {
    agon_testkit::needs!("Xvfb", "xdotool", "xwd");
    let display = Display::open();
    // Before there is a window.
    let mut host = Host::start(display.command(HOST));
    assert_eq!(host.end(), Some(0));
    // In the middle of a picture.
    let (mut host, _) = Host::open(&display);
    let mut half = Vec::new();
    send(&mut half, &Order::Show { width: 100, height: 100 }, &[7; 40_000])
        .expect("memory is there");
    let mouth = host.child.stdin.as_mut().expect("it has not been closed");
    mouth.write_all(&half[..20_000]).expect("it listens");
    assert_eq!(host.end(), Some(0));
}

#[test]
fn what_makes_no_sense_ends_it() {
    agon_testkit::needs!("Xvfb", "xdotool", "xwd");
    let display = Display::open();
    let mut host = Host::start(display.command(HOST));
    host.tell(&Order::Show { width: 1, height: 1 }, &[0; 4]);
    assert_eq!(end_of(&mut host.child).code(), Some(2));
    let (mut host, _) = Host::open(&display);
    host.tell(&Order::Show { width: 2, height: 2 }, &[0; 4]);
    assert_eq!(end_of(&mut host.child).code(), Some(0));
    assert_eq!(display.windows("a window"), "");
}

#[test]
fn a_display_that_goes_ends_it() {
    agon_testkit::needs!("Xvfb", "xdotool", "xwd");
    let display = Display::open();
    let (mut host, _) = Host::open(&display);
    drop(display);
    end_of(&mut host.child);
}
