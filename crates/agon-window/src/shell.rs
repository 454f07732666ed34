//! The loop of a viewer in a window: passes inputs to it, and sends its pictures to the window.
//!
//! [`Host::show`](crate::Host::show) runs it until the person leaves or the match is over.

use std::time::{Duration, Instant};

use crate::dialogue::{Input, Report};
use agon_paint::Frame;
use agon_view::{App, Redraw};

use crate::{
    WindowError, input,
    post::{Event, Post},
};

/// The minimum time between two ticks of the app: about 60 ticks a second.
const FRAME_INTERVAL: Duration = Duration::from_millis(16);

/// The check interval for the end of the window.
///
/// It is also the minimum time between two ticks of the app while a picture is on its way to a
/// slow display.
const CLOSE_CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// An app in a window.
pub(crate) struct Shell<'a, F> {
    app: Box<dyn App>,
    is_over: F,
    post: &'a mut Post,
    began: Instant,
    /// The time of the app's last tick.
    ticked: Instant,
    /// The window's size in pixels: zero until it exists, or while it is minimised.
    size: (u32, u32),
    /// `None` while it is being sent.
    frame: Option<Frame>,
    /// Whether the last picture is still on its way to the screen.
    is_in_flight: bool,
    /// Whether the picture is outdated.
    is_stale: bool,
}

impl<'a, F: Fn() -> bool> Shell<'a, F> {
    pub(crate) fn new(app: Box<dyn App>, is_over: F, post: &'a mut Post) -> Shell<'a, F> {
        let now = Instant::now();
        Shell {
            app,
            is_over,
            post,
            began: now,
            ticked: now,
            size: (0, 0),
            frame: Some(Frame::new(1, 1)),
            is_in_flight: false,
            is_stale: true,
        }
    }

    /// Runs until the person leaves, or the match is over.
    ///
    /// # Errors
    /// If the window is gone.
    pub(crate) fn run(&mut self) -> Result<(), WindowError> {
        while !self.app.is_closed() && !(self.is_over)() {
            let now = Instant::now();
            if self.due().is_some_and(|due| due <= now) {
                self.tick(now);
            }
            self.paint();
            let rest = self
                .due()
                .map_or(CLOSE_CHECK_INTERVAL, |due| due.saturating_duration_since(Instant::now()));
            let mut event = self.post.wait(rest.min(CLOSE_CHECK_INTERVAL));
            // One picture for all events.
            while let Some(news) = event {
                self.take(news)?;
                event = self.post.next();
            }
        }
        Ok(())
    }

    /// Returns the time of the app's next tick, if there is one.
    fn due(&self) -> Option<Instant> {
        let least = if self.is_in_flight { CLOSE_CHECK_INTERVAL } else { FRAME_INTERVAL };
        self.app.idle().map(|idle| self.ticked + idle.max(least))
    }

    fn tick(&mut self, now: Instant) {
        self.ticked = now;
        self.is_stale |= self.app.tick(now.duration_since(self.began)) == Redraw::Yes;
    }

    /// Sends a picture if one is needed, and the one before has been shown.
    fn paint(&mut self) {
        let (width, height) = self.size;
        if !self.is_stale || self.is_in_flight || width == 0 || height == 0 {
            return;
        }
        let Some(mut frame) = self.frame.take() else { return };
        frame.resize(width, height);
        self.app.paint(&mut frame);
        self.post.show(frame);
        (self.is_stale, self.is_in_flight) = (false, true);
    }

    fn take(&mut self, event: Event) -> Result<(), WindowError> {
        match event {
            Event::Said(Report::Ready) => {}
            Event::Said(Report::Size { width, height }) => {
                (self.size, self.is_stale) = ((width, height), true);
            }
            Event::Said(Report::Input(input)) => {
                let redraw = self.app.input(input::of_viewer(input));
                // The control under the pointer is highlighted.
                self.is_stale |= redraw == Redraw::Yes || matches!(input, Input::Move { .. });
            }
            Event::Said(Report::Shown) => self.is_in_flight = false,
            Event::Said(Report::Failed(problem)) => return Err(problem.into()),
            Event::Sent(frame) => self.frame = Some(frame),
            Event::Ended(error) => return Err(self.post.lost(error)),
        }
        Ok(())
    }
}
