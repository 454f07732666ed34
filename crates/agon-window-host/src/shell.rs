//! The display and the window: reports the person's inputs to the arena, and shows its pictures.
//!
//! `main` looks for the display, and runs the window as the event loop of this program. If
//! something is missing, it reports that to the arena.

use std::panic::{self, AssertUnwindSafe};
use std::{env, fmt, io, num::NonZeroU32, rc::Rc};

use agon_view::window::dialogue::{Button, Input, Key, Problem, Report};
use softbuffer::{Context, Surface};
use winit::event::{ElementState, MouseButton, MouseScrollDelta, Touch, TouchPhase, WindowEvent};
use winit::event_loop::{ActiveEventLoop, ControlFlow, EventLoop};
use winit::keyboard::{Key as Pressed, ModifiersState, NamedKey};
use winit::window::{Window, WindowId};
use winit::{application::ApplicationHandler, dpi::LogicalSize};

use crate::{ArenaEvent, Picture};

/// The size of a new window, in pixels of a plain screen.
const SIZE: LogicalSize<f64> = LogicalSize::new(1080.0, 720.0);

/// The least size.
const MIN_SIZE: LogicalSize<f64> = LogicalSize::new(320.0, 240.0);

/// Pixels of a touchpad per notch of a wheel.
const NOTCH: f64 = 40.0;

/// The window, once there is one.
#[derive(Default)]
pub(crate) struct Shell {
    title: String,
    screen: Option<Screen>,
    modifiers: ModifiersState,
    /// The picture that is visible, or is about to be.
    picture: Option<Picture>,
    /// Whether the arena waits until the picture is visible.
    is_awaited: bool,
    /// The size that the arena knows.
    told: Option<(u32, u32)>,
    /// Whether the arena does not receive inputs any more.
    is_alone: bool,
    problem: Option<Problem>,
}

/// An open window.
struct Screen {
    window: Rc<Window>,
    surface: Surface<Rc<Window>, Rc<Window>>,
}

impl Shell {
    pub(crate) fn new(title: String) -> Shell {
        Shell { title, ..Shell::default() }
    }

    /// Returns the problem, if there was one.
    pub(crate) fn finish(self) -> Result<(), Problem> {
        self.problem.map_or(Ok(()), Err)
    }

    fn open(&mut self, events: &ActiveEventLoop) -> Result<(), Problem> {
        let attributes = Window::default_attributes()
            .with_title(&self.title)
            .with_inner_size(SIZE)
            .with_min_inner_size(MIN_SIZE);
        let window = Rc::new(events.create_window(attributes).map_err(refused)?);
        let context = Context::new(window.clone()).map_err(refused)?;
        let surface = Surface::new(&context, window.clone()).map_err(refused)?;
        self.pass_on(Input::Scale(window.scale_factor() as f32));
        self.screen = Some(Screen { window, surface });
        self.tell_size();
        Ok(())
    }

    fn say(&mut self, report: Report) {
        self.is_alone |= agon_files::parts::send(&mut io::stdout(), &report, &[]).is_err();
    }

    fn pass_on(&mut self, input: Input) {
        self.say(Report::Input(input));
    }

    /// Reports the size of the window, if the arena does not know it.
    fn tell_size(&mut self) {
        let Some(screen) = &self.screen else { return };
        let size = screen.window.inner_size();
        let size = (size.width, size.height);
        if self.told.replace(size) != Some(size) {
            self.say(Report::Size { width: size.0, height: size.1 });
        }
    }

    fn redraw(&self) {
        if let Some(screen) = &self.screen {
            screen.window.request_redraw();
        }
    }

    /// Shows the picture, and reports that.
    fn show(&mut self) -> Result<(), Problem> {
        self.present()?;
        if std::mem::take(&mut self.is_awaited) {
            self.say(Report::Shown);
        }
        Ok(())
    }

    fn present(&mut self) -> Result<(), Problem> {
        let (Some(Screen { window, surface }), Some(picture)) = (&mut self.screen, &self.picture)
        else {
            return Ok(());
        };
        let size = window.inner_size();
        let (Some(width), Some(height)) =
            (NonZeroU32::new(size.width), NonZeroU32::new(size.height))
        else {
            // It is minimised.
            return Ok(());
        };
        surface.resize(width, height).map_err(refused)?;
        let mut buffer = surface.buffer_mut().map_err(refused)?;
        picture.copy(&mut buffer, size.width as usize);
        window.pre_present_notify();
        buffer.present().map_err(refused)
    }

    fn fail(&mut self, events: &ActiveEventLoop, result: Result<(), Problem>) {
        if let Err(problem) = result {
            self.problem = Some(problem);
            events.exit();
        }
    }

    /// Treats a finger as a pointer with its button down.
    fn touch(&mut self, touch: Touch) {
        let (x, y) = (touch.location.x as f32, touch.location.y as f32);
        self.pass_on(Input::Move { x, y });
        match touch.phase {
            TouchPhase::Started => self.pass_on(Input::Press(Button::Left)),
            TouchPhase::Ended | TouchPhase::Cancelled => self.pass_on(Input::Release(Button::Left)),
            TouchPhase::Moved => {}
        }
    }
}

impl ApplicationHandler<ArenaEvent> for Shell {
    fn resumed(&mut self, events: &ActiveEventLoop) {
        events.set_control_flow(ControlFlow::Wait);
        if self.screen.is_none() {
            let opened = self.open(events);
            self.fail(events, opened);
        }
    }

    fn user_event(&mut self, events: &ActiveEventLoop, event: ArenaEvent) {
        match event {
            ArenaEvent::Picture(picture) => {
                (self.picture, self.is_awaited) = (Some(picture), true);
                self.redraw();
            }
            ArenaEvent::End => events.exit(),
        }
    }

    fn window_event(&mut self, events: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        match event {
            WindowEvent::RedrawRequested => {
                self.tell_size();
                let shown = self.show();
                self.fail(events, shown);
            }
            WindowEvent::Resized(_) => {
                self.tell_size();
                self.redraw();
            }
            WindowEvent::CloseRequested => self.pass_on(Input::Close),
            WindowEvent::ScaleFactorChanged { scale_factor, .. } => {
                self.pass_on(Input::Scale(scale_factor as f32));
            }
            WindowEvent::ModifiersChanged(modifiers) => self.modifiers = modifiers.state(),
            WindowEvent::KeyboardInput { event, is_synthetic: false, .. } => {
                let key = key(&event.logical_key, self.modifiers);
                if let (ElementState::Pressed, Some(key)) = (event.state, key) {
                    self.pass_on(Input::Key(key));
                }
            }
            WindowEvent::CursorMoved { position, .. } => {
                self.pass_on(Input::Move { x: position.x as f32, y: position.y as f32 });
            }
            WindowEvent::MouseInput { state, button: pressed, .. } => {
                let Some(button) = button(pressed) else { return };
                let is_pressed = state == ElementState::Pressed;
                self.pass_on(if is_pressed {
                    Input::Press(button)
                } else {
                    Input::Release(button)
                });
            }
            WindowEvent::MouseWheel { delta, .. } => self.pass_on(Input::Wheel(match delta {
                MouseScrollDelta::LineDelta(_, notches) => notches,
                MouseScrollDelta::PixelDelta(pixels) => (pixels.y / NOTCH) as f32,
            })),
            WindowEvent::Touch(touch) => self.touch(touch),
            _ => {}
        }
    }

    fn about_to_wait(&mut self, events: &ActiveEventLoop) {
        if self.is_alone {
            events.exit();
        }
    }
}

/// Returns the viewer's key for a pressed key, if there is one.
pub(crate) fn key(pressed: &Pressed, modifiers: ModifiersState) -> Option<Key> {
    if modifiers.intersects(ModifiersState::CONTROL | ModifiersState::ALT | ModifiersState::SUPER) {
        return None;
    }
    let shift = modifiers.shift_key();
    let named = match pressed {
        Pressed::Character(text) => return text.chars().next().map(Key::Char),
        Pressed::Named(named) => named,
        _ => return None,
    };
    Some(match (named, shift) {
        (NamedKey::Space, _) => Key::Char(' '),
        (NamedKey::ArrowLeft, false) => Key::Left,
        (NamedKey::ArrowRight, false) => Key::Right,
        (NamedKey::ArrowUp, false) => Key::Up,
        (NamedKey::ArrowDown, false) => Key::Down,
        (NamedKey::ArrowLeft, true) => Key::ShiftLeft,
        (NamedKey::ArrowRight, true) => Key::ShiftRight,
        (NamedKey::ArrowUp, true) => Key::ShiftUp,
        (NamedKey::ArrowDown, true) => Key::ShiftDown,
        (NamedKey::PageUp, _) => Key::PageUp,
        (NamedKey::PageDown, _) => Key::PageDown,
        (NamedKey::Home, _) => Key::Home,
        (NamedKey::End, _) => Key::End,
        (NamedKey::Enter, _) => Key::Enter,
        (NamedKey::Escape, _) => Key::Escape,
        (NamedKey::Backspace, _) => Key::Backspace,
        (NamedKey::Tab, _) => Key::Tab,
        _ => return None,
    })
}

/// Returns the viewer's button for a pressed button, if there is one.
pub(crate) fn button(button: MouseButton) -> Option<Button> {
    match button {
        MouseButton::Left => Some(Button::Left),
        MouseButton::Right => Some(Button::Right),
        MouseButton::Middle => Some(Button::Middle),
        _ => None,
    }
}

/// Looks for a display that this program supports.
pub(crate) fn look() -> Result<(), Problem> {
    let is_set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
    if cfg!(feature = "x11") && is_set("DISPLAY") {
        return Ok(());
    }
    match is_set("WAYLAND_DISPLAY") || is_set("WAYLAND_SOCKET") {
        true if cfg!(feature = "wayland") => Ok(()),
        true => Err(Problem::NoWayland),
        false => Err(Problem::NoDisplay),
    }
}

/// Connects to the display. The library for that panics if a shared library is missing.
pub(crate) fn connect() -> Result<EventLoop<ArenaEvent>, Problem> {
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let made = panic::catch_unwind(AssertUnwindSafe(|| EventLoop::with_user_event().build()));
    panic::set_hook(hook);
    match made {
        Ok(made) => made.map_err(refused),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|&text| text.to_owned()));
            Err(Problem::Library(text.unwrap_or_default()))
        }
    }
}

/// Returns the error of a refused connection, without the place in the library's source.
pub(crate) fn refused(error: impl fmt::Display) -> Problem {
    let text = error.to_string();
    let reason = text.split_once(".rs:").and_then(|(_, rest)| rest.split_once(": "));
    Problem::Refused(reason.map_or(text.clone(), |(_, reason)| reason.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chords_are_no_keys_of_the_viewer() {
        let pressed = |text: &str| Pressed::Character(text.into());
        assert_eq!(key(&pressed("q"), ModifiersState::empty()), Some(Key::Char('q')));
        assert_eq!(key(&pressed("?"), ModifiersState::SHIFT), Some(Key::Char('?')));
        assert_eq!(key(&pressed("q"), ModifiersState::CONTROL), None);
        let left = Pressed::Named(NamedKey::ArrowLeft);
        assert_eq!(key(&left, ModifiersState::SHIFT), Some(Key::ShiftLeft));
        assert_eq!(key(&left, ModifiersState::empty()), Some(Key::Left));
    }

    #[test]
    fn a_refusal_names_no_source_file() {
        let error = |text: &str| refused(text).to_string();
        let text =
            "os error at /x/winit-0.30/src/linux/mod.rs:788: Failed to open connection to X server";
        assert_eq!(
            error(text),
            "the window cannot be opened: Failed to open connection to X server"
        );
        assert_eq!(error("no"), "the window cannot be opened: no");
    }
}
