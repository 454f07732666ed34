//! What VNC clients send: any bytes are messages or refused, and no message makes the server fail.

use agon_paint::{Area, Frame, Rgb};
use agon_view::{Button, Input};
use agon_vnc::{ClientMessage, Encoder, Encodings, Keyboard, Pointer};

/// Runs the target on one input.
///
/// # Panics
/// If something is wrong.
pub fn run(data: &[u8]) {
    let mut frame = Frame::new(80, 50);
    frame.fill(Area { x: 9, y: 5, width: 30, height: 30 }, Rgb(200, 100, 50));
    let mut rest = data;
    let mut encoder = Encoder::default();
    let mut encodings = Encodings::default();
    let mut keyboard = Keyboard::default();
    let mut pointer = Pointer::default();
    let mut pressed = 0i32;
    while let Ok(Some(message)) = ClientMessage::read(&mut rest) {
        match message {
            ClientMessage::Format(format) => {
                let again = agon_vnc::PixelFormat::from_bytes(format.to_bytes());
                assert_eq!(again, Ok(format));
                encoder.set_format(format);
            }
            ClientMessage::Encodings(new) => encodings = new,
            ClientMessage::Request { area, .. } => {
                let area = area.intersection(Area { width: 100, height: 70, ..frame.area() });
                if !area.is_empty() {
                    let mut message = vec![];
                    encoder.rectangle(&frame, area, encodings.best, &mut message);
                    assert!(message.len() > 12);
                }
            }
            ClientMessage::Key { keysym, is_down } => {
                keyboard.key(keysym, is_down);
            }
            ClientMessage::Pointer { buttons, x, y } => {
                for input in pointer.event(buttons, x, y) {
                    match input {
                        Input::Press(Button::Left) => pressed += 1,
                        Input::Release(Button::Left) => pressed -= 1,
                        _ => {}
                    }
                }
                assert_eq!(pressed, i32::from(buttons & 1), "a button is down or up");
            }
            ClientMessage::CutText | ClientMessage::Size { .. } => {}
        }
    }
}
