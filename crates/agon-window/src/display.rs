//! Opening the window.

use std::{
    cell::Cell,
    env,
    panic::{self, AssertUnwindSafe},
};

use agon_view::App;
use winit::{
    event_loop::{EventLoop, EventLoopBuilder},
    platform::run_on_demand::EventLoopExtRunOnDemand,
};

use crate::{WindowError, shell::Shell};

thread_local! {
    /// The connection to the display between two windows: a process can make one only. Never closed, since that would
    /// be when the thread ends, in an order of which the library knows nothing.
    static CONNECTION: Cell<Option<&'static mut EventLoop<()>>> = const { Cell::new(None) };
}

/// Whether this process has been told of a display.
pub fn has_display() -> bool {
    let is_set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
    cfg!(not(unix))
        || cfg!(target_os = "macos")
        || is_set("DISPLAY")
        || (cfg!(feature = "wayland") && (is_set("WAYLAND_DISPLAY") || is_set("WAYLAND_SOCKET")))
}

/// Shows an app in a window until it is closed, or `is_over` says that it is to close. To be called in the main thread,
/// as often as wanted.
///
/// # Errors
/// If there is no display, or it cannot be used.
pub fn show(app: Box<dyn App>, is_over: impl Fn() -> bool) -> Result<(), WindowError> {
    if !has_display() {
        return Err(WindowError::NoDisplay);
    }
    let mut shell = Shell::new(app, is_over);
    let connection = match CONNECTION.take() {
        Some(connection) => connection,
        None => Box::leak(Box::new(event_loop()?)),
    };
    let shown = connection.run_app_on_demand(&mut shell);
    CONNECTION.set(Some(connection));
    shown.map_err(WindowError::refused)?;
    shell.finish()
}

/// The connection to the display. The library that makes it panics if a shared library is missing.
fn event_loop() -> Result<EventLoop<()>, WindowError> {
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let made = panic::catch_unwind(AssertUnwindSafe(|| EventLoopBuilder::default().build()));
    panic::set_hook(hook);
    match made {
        Ok(made) => made.map_err(WindowError::refused),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|&text| text.to_owned()));
            Err(WindowError::Library(text.unwrap_or_default()))
        }
    }
}
