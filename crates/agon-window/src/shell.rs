//! Passing on what the person does, and showing what the app paints.

use std::{
    num::NonZeroU32,
    rc::Rc,
    time::{Duration, Instant},
};

use agon_paint::Frame;
use agon_view::{App, Button, Input, Redraw};
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
    WindowError,
    keys::{button, key},
};

/// The size of a new window, in pixels of a plain screen.
const SIZE: LogicalSize<f64> = LogicalSize::new(1080.0, 720.0);

/// The least size.
const LEAST: LogicalSize<f64> = LogicalSize::new(320.0, 240.0);

/// The least time between two looks at the clock.
const PICTURE: Duration = Duration::from_millis(16);

/// How often it is looked whether the window is to close.
const LOOK: Duration = Duration::from_millis(100);

/// Pixels of a touchpad for a notch of a wheel.
const NOTCH: f64 = 40.0;

/// The window, once there is one, and the app in it.
pub(crate) struct Shell<F> {
    app: Box<dyn App>,
    is_over: F,
    began: Instant,
    /// When the app was told the time last.
    ticked: Instant,
    screen: Option<Screen>,
    modifiers: ModifiersState,
    frame: Frame,
    error: Option<WindowError>,
}

/// An open window.
struct Screen {
    window: Rc<Window>,
    surface: Surface<Rc<Window>, Rc<Window>>,
}

impl<F: Fn() -> bool> Shell<F> {
    pub(crate) fn new(app: Box<dyn App>, is_over: F) -> Shell<F> {
        let (now, frame) = (Instant::now(), Frame::new(1, 1));
        Shell {
            app,
            is_over,
            began: now,
            ticked: now,
            screen: None,
            modifiers: ModifiersState::empty(),
            frame,
            error: None,
        }
    }

    /// What went wrong, if anything.
    pub(crate) fn finish(self) -> Result<(), WindowError> {
        self.error.map_or(Ok(()), Err)
    }

    fn open(&mut self, events: &ActiveEventLoop) -> Result<(), WindowError> {
        let attributes = Window::default_attributes()
            .with_title(self.app.title())
            .with_inner_size(SIZE)
            .with_min_inner_size(LEAST);
        let window = Rc::new(events.create_window(attributes).map_err(WindowError::refused)?);
        let context = Context::new(window.clone()).map_err(WindowError::refused)?;
        let surface = Surface::new(&context, window.clone()).map_err(WindowError::refused)?;
        self.app.input(Input::Scale(window.scale_factor() as f32));
        window.request_redraw();
        self.screen = Some(Screen { window, surface });
        Ok(())
    }

    fn pass_on(&mut self, input: Input) {
        if self.app.input(input) == Redraw::Yes {
            self.redraw();
        }
    }

    fn redraw(&self) {
        if let Some(screen) = &self.screen {
            screen.window.request_redraw();
        }
    }

    fn tick(&mut self, now: Instant) {
        self.ticked = now;
        if self.app.tick(now.duration_since(self.began)) == Redraw::Yes {
            self.redraw();
        }
    }

    fn paint(&mut self) -> Result<(), WindowError> {
        let Some(Screen { window, surface }) = &mut self.screen else { return Ok(()) };
        let size = window.inner_size();
        let (Some(width), Some(height)) = (NonZeroU32::new(size.width), NonZeroU32::new(size.height)) else {
            // It is minimised.
            return Ok(());
        };
        self.frame.resize(size.width, size.height);
        self.app.paint(&mut self.frame);
        surface.resize(width, height).map_err(WindowError::refused)?;
        let mut buffer = surface.buffer_mut().map_err(WindowError::refused)?;
        for (pixel, &[red, green, blue, _]) in buffer.iter_mut().zip(self.frame.data().as_chunks().0) {
            *pixel = u32::from_be_bytes([0, red, green, blue]);
        }
        window.pre_present_notify();
        buffer.present().map_err(WindowError::refused)
    }

    fn fail(&mut self, events: &ActiveEventLoop, result: Result<(), WindowError>) {
        if let Err(error) = result {
            self.error = Some(error);
            events.exit();
        }
    }

    /// A finger is a pointer with its button down.
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

impl<F: Fn() -> bool> ApplicationHandler for Shell<F> {
    fn resumed(&mut self, events: &ActiveEventLoop) {
        if self.screen.is_none() {
            let opened = self.open(events);
            self.fail(events, opened);
        }
    }

    fn window_event(&mut self, events: &ActiveEventLoop, window: WindowId, event: WindowEvent) {
        // What comes late may be that of a window before this one.
        if self.screen.as_ref().is_none_or(|screen| screen.window.id() != window) {
            return;
        }
        match event {
            WindowEvent::RedrawRequested => {
                let painted = self.paint();
                self.fail(events, painted);
            }
            WindowEvent::Resized(_) => self.redraw(),
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
                // What is under the pointer is lit.
                self.redraw();
            }
            WindowEvent::MouseInput { state, button: pressed, .. } => {
                let Some(button) = button(pressed) else { return };
                let is_pressed = state == ElementState::Pressed;
                self.pass_on(if is_pressed { Input::Press(button) } else { Input::Release(button) });
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
        if self.app.is_closed() || (self.is_over)() {
            events.exit();
            return;
        }
        let due = |idle: Duration, since: Instant| since + idle.max(PICTURE);
        let now = Instant::now();
        if self.app.idle().is_some_and(|idle| due(idle, self.ticked) <= now) {
            self.tick(now);
        }
        let next = self.app.idle().map_or(LOOK, |idle| due(idle, self.ticked).saturating_duration_since(now));
        events.set_control_flow(ControlFlow::WaitUntil(now + next.min(LOOK)));
    }
}
