//! Starts `agon-window-host`, the program that opens the window, and shows an app in it.
//!
//! `agon-show` starts a [`Host`] if a match or replay is shown in a window, before the match
//! begins.

use std::{env, time::Duration};

use crate::dialogue::{DIALOGUE, Order, PART, Problem, Report};
use agon_parts::Running;
use agon_view::App;

use crate::{
    WindowError,
    post::{Event, Post},
    shell::Shell,
};

/// The host's time limit for finding a display.
const PATIENCE: Duration = Duration::from_secs(10);

/// The program that opens windows, for one of them: it runs, but has no window yet.
///
/// Dropping it kills it.
#[derive(Debug)]
pub struct Host {
    post: Post,
}

/// Returns whether the environment names a display.
pub fn has_display() -> bool {
    let is_set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
    cfg!(not(unix))
        || cfg!(target_os = "macos")
        || ["DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET"].into_iter().any(is_set)
}

impl Host {
    /// Starts the program; calls `announce` before it builds it, which takes a while.
    ///
    /// # Errors
    /// If there is no display, or the program cannot be used.
    pub fn start(announce: &dyn Fn(&str)) -> Result<Host, WindowError> {
        if !has_display() {
            return Err(Problem::NoDisplay.into());
        }
        let mut post = Post::open(Running::start(&PART, DIALOGUE, announce)?)?;
        match post.wait(PATIENCE) {
            Some(Event::Said(Report::Ready)) => Ok(Host { post }),
            Some(Event::Said(Report::Failed(problem))) => Err(problem.into()),
            Some(Event::Ended(error)) => Err(post.lost(error)),
            _ => Err(WindowError::Lost("does not say whether there is a display".to_owned())),
        }
    }

    /// Shows an app in the window until it is closed, or `is_over` returns true.
    ///
    /// # Errors
    /// If the display cannot be used, or the program ends early.
    pub fn show(
        mut self,
        app: Box<dyn App>,
        is_over: impl Fn() -> bool,
    ) -> Result<(), WindowError> {
        self.post.order(Order::Open { title: app.title() });
        Shell::new(app, is_over, &mut self.post).run()?;
        self.post.close();
        Ok(())
    }
}
