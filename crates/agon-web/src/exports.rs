//! The functions that the page calls.
//!
//! Numbers and pointers are all that passes the border. A session is a number from 1; text comes as
//! the pointer and length of the last text; bytes go into memory from [`agon_alloc`].
//! `agon_interface` changes with any of it, so that a page does not call the functions of another
//! version that a browser has kept.

use std::{
    cell::RefCell,
    panic,
    sync::{Mutex, Once, PoisonError},
    time::Duration,
};

use agon_paint::ThemeName;
use agon_view::{Button, Input, Key, Redraw};

use crate::session::Session;

/// The version of this interface.
const INTERFACE: u32 = 3;

thread_local! {
    static SESSIONS: RefCell<Vec<Option<Session>>> = const { RefCell::new(Vec::new()) };
}

/// The last text handed out. Not with the sessions: after a panic these stay borrowed, but the page
/// still wants to know what has happened.
static TEXT: Mutex<String> = Mutex::new(String::new());

/// The version of this interface; the page calls it first.
#[unsafe(no_mangle)]
pub extern "C" fn agon_interface() -> u32 {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| panic::set_hook(Box::new(|info| set_text(info.to_string()))));
    INTERFACE
}

/// Memory for `length` bytes, which the next call that takes bytes frees.
#[unsafe(no_mangle)]
pub extern "C" fn agon_alloc(length: usize) -> *mut u8 {
    Box::<[u8]>::into_raw(vec![0; length].into_boxed_slice()).cast()
}

/// Where the last text is, in UTF-8.
#[unsafe(no_mangle)]
pub extern "C" fn agon_text() -> *const u8 {
    TEXT.lock().unwrap_or_else(PoisonError::into_inner).as_ptr()
}

/// How long it is, in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn agon_text_length() -> usize {
    TEXT.lock().unwrap_or_else(PoisonError::into_inner).len()
}

/// Opens a replay, in the colours of `theme` (0 dark, 1 light, 2 classic); 0 if it cannot be shown:
/// the text says why.
///
/// # Safety
/// `bytes` is from [`agon_alloc`] with this length, and not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agon_open(bytes: *mut u8, length: usize, theme: u32) -> u32 {
    // SAFETY: the caller's promise is the same.
    let bytes = unsafe { take_bytes(bytes, length) };
    match Session::open(bytes, theme_of(theme)) {
        Ok(session) => keep(session),
        Err(error) => {
            set_text(error.to_string());
            0
        }
    }
}

/// A session for a match that is being played, in the colours of `theme`; it stays with the newest
/// state if `follow` is 1, and is shown from its start otherwise.
#[unsafe(no_mangle)]
pub extern "C" fn agon_live(theme: u32, follow: u32) -> u32 {
    keep(Session::live(theme_of(theme), follow == 1))
}

/// Hands messages of a match to its session; 0 if they cannot be followed: the text says why.
///
/// # Safety
/// `bytes` is from [`agon_alloc`] with this length, and not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agon_feed(session: u32, bytes: *mut u8, length: usize) -> u32 {
    // SAFETY: the caller's promise is the same.
    let bytes = unsafe { take_bytes(bytes, length) };
    match with(session, |session| session.feed(&bytes)) {
        Ok(_) => 1,
        Err(error) => {
            set_text(error.to_string());
            0
        }
    }
}

/// Whether somebody has given orders that are to be sent to the arena, 1 or 0; the text is what is
/// to be sent.
#[unsafe(no_mangle)]
pub extern "C" fn agon_orders(session: u32) -> u32 {
    let Some(orders) = with(session, Session::take_orders) else { return 0 };
    set_text(serde_json::to_string(&orders).expect("numbers and names can be written as JSON"));
    1
}

/// The orders did not arrive: whoever gave them is asked again.
#[unsafe(no_mangle)]
pub extern "C" fn agon_ask_again(session: u32) {
    with(session, Session::ask_again);
}

/// Forgets a session.
#[unsafe(no_mangle)]
pub extern "C" fn agon_close(session: u32) {
    SESSIONS.with_borrow_mut(|sessions| sessions[session as usize - 1] = None);
}

/// A key goes down: a character, or one of the keys after `0x11_0000` in the order of `KEYS`. 1 if
/// a new picture is wanted, as for all inputs.
#[unsafe(no_mangle)]
pub extern "C" fn agon_key(session: u32, code: u32) -> u32 {
    const KEYS: [Key; 15] = [
        Key::Left,
        Key::Right,
        Key::Up,
        Key::Down,
        Key::ShiftLeft,
        Key::ShiftRight,
        Key::ShiftUp,
        Key::ShiftDown,
        Key::PageUp,
        Key::PageDown,
        Key::Home,
        Key::End,
        Key::Enter,
        Key::Escape,
        Key::Backspace,
    ];
    let special =
        code.checked_sub(u32::from(char::MAX) + 1).map(|index| KEYS.get(index as usize).copied());
    match special.unwrap_or_else(|| char::from_u32(code).map(Key::Char)) {
        Some(key) => input(session, Input::Key(key)),
        None => 0,
    }
}

/// The pointer is at a pixel.
#[unsafe(no_mangle)]
pub extern "C" fn agon_move(session: u32, x: f32, y: f32) -> u32 {
    input(session, Input::Move { x, y })
}

/// A button goes down (`down` is 1) or up: 0 left, 1 middle, 2 right, as browsers count them.
#[unsafe(no_mangle)]
pub extern "C" fn agon_button(session: u32, button: u32, down: u32) -> u32 {
    let button = match button {
        0 => Button::Left,
        1 => Button::Middle,
        2 => Button::Right,
        _ => return 0,
    };
    input(session, if down == 1 { Input::Press(button) } else { Input::Release(button) })
}

/// The wheel turns by notches; up is positive.
#[unsafe(no_mangle)]
pub extern "C" fn agon_wheel(session: u32, notches: f32) -> u32 {
    input(session, Input::Wheel(notches))
}

/// Pixels of the screen for one of a plain screen.
#[unsafe(no_mangle)]
pub extern "C" fn agon_scale(session: u32, scale: f32) -> u32 {
    input(session, Input::Scale(scale))
}

/// Goes on in time, given in milliseconds since the page began. 1 if a new picture is wanted.
#[unsafe(no_mangle)]
pub extern "C" fn agon_tick(session: u32, now: f64) -> u32 {
    // A browser's clock is neither negative nor beyond all years, but let a broken one not end the
    // viewer.
    let now = Duration::try_from_secs_f64(now / 1000.0).unwrap_or_default();
    with(session, |session| u32::from(session.tick(now) == Redraw::Yes))
}

/// For how many milliseconds nothing will happen; infinite if an input is needed.
#[unsafe(no_mangle)]
pub extern "C" fn agon_idle(session: u32) -> f64 {
    with(session, |session| {
        session.idle().map_or(f64::INFINITY, |idle| idle.as_secs_f64() * 1000.0)
    })
}

/// Whether the person wants to leave: 1 or 0.
#[unsafe(no_mangle)]
pub extern "C" fn agon_is_closed(session: u32) -> u32 {
    with(session, |session| u32::from(session.is_closed()))
}

/// Verifies one more step; 1 if there is more to do now.
#[unsafe(no_mangle)]
pub extern "C" fn agon_verify(session: u32) -> u32 {
    with(session, |session| u32::from(session.verify()))
}

/// Paints the picture in this size, and gives its pixels: red, green, blue and 255, row by row.
/// They are good until the next call.
#[unsafe(no_mangle)]
pub extern "C" fn agon_paint(session: u32, width: u32, height: u32) -> *const u8 {
    with(session, |session| session.paint(width.max(1), height.max(1)).data().as_ptr())
}

/// Makes the title the text.
#[unsafe(no_mangle)]
pub extern "C" fn agon_title(session: u32) {
    set_text(with(session, |session| session.title()));
}

/// Makes the state, as JSON, the text.
#[unsafe(no_mangle)]
pub extern "C" fn agon_state(session: u32) {
    set_text(with(session, |session| session.state().to_string()));
}

/// # Safety
/// `bytes` is from [`agon_alloc`] with this length, and not used afterwards.
unsafe fn take_bytes(bytes: *mut u8, length: usize) -> Vec<u8> {
    // SAFETY: `agon_alloc` made it from a boxed slice of this length, and gave it away.
    unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(bytes, length)) }.into_vec()
}

fn theme_of(theme: u32) -> ThemeName {
    ThemeName::ALL.get(theme as usize).copied().unwrap_or_default()
}

fn keep(session: Session) -> u32 {
    SESSIONS.with_borrow_mut(|sessions| {
        let place = sessions.iter().position(Option::is_none).unwrap_or_else(|| {
            sessions.push(None);
            sessions.len() - 1
        });
        sessions[place] = Some(session);
        place as u32 + 1
    })
}

/// Does something with a session.
///
/// # Panics
/// If there is no such session: the page's mistake.
fn with<T>(session: u32, action: impl FnOnce(&mut Session) -> T) -> T {
    SESSIONS.with_borrow_mut(|sessions| {
        let place =
            session.checked_sub(1).and_then(|index| sessions.get_mut(index as usize)?.as_mut());
        action(place.expect("the page calls only for sessions that it has opened"))
    })
}

fn input(session: u32, input: Input) -> u32 {
    with(session, |session| u32::from(session.input(input) == Redraw::Yes))
}

fn set_text(text: String) {
    *TEXT.lock().unwrap_or_else(PoisonError::into_inner) = text;
}
