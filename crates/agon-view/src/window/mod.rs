//! The viewer in a window: the arena's side, without a library for windows.
//!
//! The window belongs to `agon-window-host`, a separate program. Inputs come from it, and pictures
//! go to it, in messages of [`dialogue`]. The viewer runs and is painted here. `agon-show` starts a
//! [`Host`] before a match or replay is shown in a window. Separate threads send pictures and
//! receive inputs, so that the arena never waits for a host that hangs.

pub mod dialogue;

use std::io::{self, BufReader, BufWriter};
use std::process::{ChildStdin, ChildStdout};
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::{Duration, Instant};
use std::{env, thread};

use agon_files::parts::{self, Running};
use anyhow::{Context, Error, Result, anyhow};
use dialogue::{DIALOGUE, Order, PART, Problem, Report};

use crate::{App, Input, Redraw, paint::Frame};

/// The host's time limit for finding a display.
const PATIENCE: Duration = Duration::from_secs(10);

/// The host's time limit for closing its window.
const LAST_MOMENT: Duration = Duration::from_secs(2);

/// The minimum time between two ticks of the app: about 60 ticks a second.
const FRAME_INTERVAL: Duration = Duration::from_millis(16);

/// The check interval for the end of the window.
///
/// It is also the minimum time between two ticks of the app while a picture is on its way to a
/// slow display.
const CLOSE_CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// The program that opens windows, for one of them: it runs, but has no window yet.
///
/// Dropping it kills it.
#[derive(Debug)]
pub struct Host {
    running: Running,
    /// Orders, with the picture that belongs to one.
    orders: Sender<(Order, Option<Frame>)>,
    events: Receiver<Event>,
}

/// A piece of news.
#[derive(Debug)]
enum Event {
    /// The host has sent a report.
    Report(Report),
    /// A picture is on its way, and its frame is free again.
    Sent(Frame),
    /// The host sends nothing more, because of an error if there is one.
    Ended(Option<io::Error>),
}

/// Returns whether the environment names a display.
pub fn has_display() -> bool {
    let is_set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
    ["DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET"].into_iter().any(is_set)
}

impl Host {
    /// Starts the program; calls `announce` before it builds it, which takes a while.
    pub fn start(announce: &dyn Fn(&str)) -> Result<Host> {
        let mut running = Running::start(&PART, DIALOGUE, announce)?;
        let (news, events) = mpsc::channel();
        let (orders, outgoing) = mpsc::channel();
        if let (Some(stdin), Some(stdout)) = (running.stdin.take(), running.stdout.take()) {
            let sent = news.clone();
            spawn("window out", move || send_orders(stdin, &outgoing, &sent))?;
            spawn("window in", move || receive_reports(stdout, &news))?;
        }
        let mut host = Host { running, orders, events };
        match host.events.recv_timeout(PATIENCE) {
            Ok(Event::Report(Report::Ready)) => Ok(host),
            Ok(Event::Report(Report::Failed(problem))) => Err(problem.into()),
            Ok(Event::Ended(error)) => Err(host.lost(error)),
            _ => Err(lost("does not say whether there is a display")),
        }
    }

    /// Shows an app in the window until it is closed, or `is_over` returns true.
    pub fn show(mut self, mut app: Box<dyn App>, is_over: impl Fn() -> bool) -> Result<()> {
        self.order(Order::Open { title: app.title() }, None);
        let began = Instant::now();
        let mut ticked = began;
        let mut picture = Picture::default();
        while !app.is_closed() && !is_over() {
            let least = if picture.is_in_flight { CLOSE_CHECK_INTERVAL } else { FRAME_INTERVAL };
            let due = |ticked: Instant, app: &dyn App| Some(ticked + app.idle()?.max(least));
            let now = Instant::now();
            if due(ticked, &*app).is_some_and(|due| due <= now) {
                ticked = now;
                picture.is_stale |= app.tick(now.duration_since(began)) == Redraw::Yes;
            }
            if let Some(frame) = picture.paint(&mut *app) {
                let order = Order::Show { width: frame.width(), height: frame.height() };
                self.order(order, Some(frame));
            }
            let rest = due(ticked, &*app).map_or(CLOSE_CHECK_INTERVAL, |due| {
                due.saturating_duration_since(Instant::now()).min(CLOSE_CHECK_INTERVAL)
            });
            let mut event = self.events.recv_timeout(rest).ok();
            // One picture for all events.
            while let Some(news) = event {
                match news {
                    Event::Report(report) => picture.take(report, &mut *app)?,
                    Event::Sent(frame) => picture.frame = frame,
                    Event::Ended(error) => return Err(self.lost(error)),
                }
                event = self.events.try_recv().ok();
            }
        }
        // The sending thread ends with its work, and then so does the host.
        drop(self.orders);
        self.running.end_within(LAST_MOMENT);
        Ok(())
    }

    /// Sends the host an order. The end of the host is an event.
    fn order(&self, order: Order, picture: Option<Frame>) {
        let _ = self.orders.send((order, picture));
    }

    /// Returns the reason why the window is lost.
    fn lost(&mut self, error: Option<io::Error>) -> Error {
        match error {
            Some(error) => lost(&format!("sends an invalid message: {error}")),
            None => lost(&format!("has ended, {}", self.running.ended())),
        }
    }
}

fn lost(why: &str) -> Error {
    anyhow!("the window is lost: `{}` {why}", PART.program)
}

/// The picture of an app in a window.
struct Picture {
    /// The window's size in pixels: zero until it exists, or while it is minimised.
    size: (u32, u32),
    /// An empty frame while the picture is being sent.
    frame: Frame,
    /// Whether the last picture is still on its way to the screen.
    is_in_flight: bool,
    /// Whether the picture is outdated.
    is_stale: bool,
}

impl Default for Picture {
    fn default() -> Picture {
        Picture { size: (0, 0), frame: Frame::new(1, 1), is_in_flight: false, is_stale: true }
    }
}

impl Picture {
    /// Paints the app if a picture is needed, and the one before has been shown.
    fn paint(&mut self, app: &mut dyn App) -> Option<Frame> {
        let (width, height) = self.size;
        if !self.is_stale || self.is_in_flight || width == 0 || height == 0 {
            return None;
        }
        let mut frame = std::mem::replace(&mut self.frame, Frame::new(1, 1));
        frame.resize(width, height);
        app.paint(&mut frame);
        (self.is_stale, self.is_in_flight) = (false, true);
        Some(frame)
    }

    fn take(&mut self, report: Report, app: &mut dyn App) -> Result<(), Problem> {
        match report {
            Report::Ready => {}
            Report::Size { width, height } => (self.size, self.is_stale) = ((width, height), true),
            Report::Input(input) => {
                let redraw = app.input(input);
                // The control under the pointer is highlighted.
                self.is_stale |= redraw == Redraw::Yes || matches!(input, Input::Move { .. });
            }
            Report::Shown => self.is_in_flight = false,
            Report::Failed(problem) => return Err(problem),
        }
        Ok(())
    }
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> Result<()> {
    let thread = thread::Builder::new().name(name.to_owned()).spawn(work);
    thread.map(drop).context("the window cannot be opened")
}

fn send_orders(
    mut stdin: BufWriter<ChildStdin>,
    orders: &Receiver<(Order, Option<Frame>)>,
    sent: &Sender<Event>,
) {
    for (order, picture) in orders {
        let done = parts::send(&mut stdin, &order, picture.as_ref().map_or(&[], Frame::data));
        if let Some(frame) = picture {
            let _ = sent.send(Event::Sent(frame));
        }
        if done.is_err() {
            // The receiving thread learns the reason.
            return;
        }
    }
}

fn receive_reports(mut stdout: BufReader<ChildStdout>, events: &Sender<Event>) {
    loop {
        let event = match parts::receive(&mut stdout) {
            Ok(Some(message)) => Event::Report(message.value),
            Ok(None) => Event::Ended(None),
            Err(error) => Event::Ended(Some(error)),
        };
        let is_last = matches!(event, Event::Ended(_));
        if events.send(event).is_err() || is_last {
            return;
        }
    }
}
