//! The window: reports the person's inputs to the arena, and shows the arena's pictures.
//!
//! `main` runs it as the event loop of this program.

use std::{io, num::NonZeroU32, rc::Rc};

use agon_window::dialogue::{Button, Input, Problem, Report};
use softbuffer::{Context, Surface};
use winit::{
    application::ApplicationHandler,
    dpi::LogicalSize,
    event::{ElementState, MouseScrollDelta, Touch, TouchPhase, WindowEvent},
    event_loop::{ActiveEventLoop, ControlFlow},
    keyboard::ModifiersState,
    window::{Window, WindowId},
};

use crate::{
    arena_events::ArenaEvent,
    display::refused,
    keys::{button, key},
    picture::Picture,
};

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
        self.is_alone |= agon_parts::send(&mut io::stdout(), &report, &[]).is_err();
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
