//! The functions of the WebAssembly module, which the page's script `web/agon.js` calls.
//!
//! Only numbers and pointers cross the border. A session is a number from 1. Text comes as the
//! pointer and length of the last text. Bytes go into memory from [`agon_alloc`]. Every change of
//! this interface changes `agon_interface`, so that a page does not call another version's
//! functions that a browser has kept.

use std::sync::{Mutex, Once, PoisonError};
use std::{cell::RefCell, fmt::Display, panic, time::Duration};

use agon_view::paint::{Appearance, ThemeName};
use agon_view::{Button, Input, Key, Redraw};

use crate::{carried, session::Session};

/// The version of this interface.
const INTERFACE: u32 = 7;

thread_local! {
    static SESSIONS: RefCell<Vec<Option<Session>>> = const { RefCell::new(Vec::new()) };
    /// The last bytes for the page.
    static BYTES: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// The last text for the page.
///
/// It is not stored with the sessions, which stay borrowed after a panic. The page still needs the
/// reason then.
static TEXT: Mutex<String> = Mutex::new(String::new());

/// Returns the version of this interface; the page calls it first.
#[unsafe(no_mangle)]
pub extern "C" fn agon_interface() -> u32 {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| panic::set_hook(Box::new(|info| set_text(info.to_string()))));
    INTERFACE
}

/// Allocates `length` bytes. The next call that takes bytes frees them.
#[unsafe(no_mangle)]
pub extern "C" fn agon_alloc(length: usize) -> *mut u8 {
    Box::<[u8]>::into_raw(vec![0; length].into_boxed_slice()).cast()
}

/// Returns the address of the last text, in UTF-8.
#[unsafe(no_mangle)]
pub extern "C" fn agon_text() -> *const u8 {
    TEXT.lock().unwrap_or_else(PoisonError::into_inner).as_ptr()
}

/// Returns its length in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn agon_text_length() -> usize {
    TEXT.lock().unwrap_or_else(PoisonError::into_inner).len()
}

/// Opens a replay with a theme: 0 dark, 1 light, 2 classic. With `patterns` 1 all players have
/// patterns.
///
/// Returns 0 if it cannot be shown; the text is then the reason.
///
/// # Safety
/// `bytes` is from [`agon_alloc`] with this length, and not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agon_open(
    bytes: *mut u8,
    length: usize,
    theme: u32,
    patterns: u32,
) -> u32 {
    // SAFETY: the caller's promise is the same.
    let bytes = unsafe { take_bytes(bytes, length) };
    or_zero(Session::open(bytes, appearance(theme, patterns)).map(keep))
}

/// Returns 1 if a file is or shows a replay whose game this page does not know, but which carries
/// its rules. [`agon_bytes`] is then the replay, for a worker.
///
/// # Safety
/// `bytes` is from [`agon_alloc`] with this length, and not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agon_carries(bytes: *mut u8, length: usize) -> u32 {
    // SAFETY: the caller's promise is the same.
    let bytes = unsafe { take_bytes(bytes, length) };
    carried::replay(&bytes).map_or(0, |replay| {
        BYTES.with_borrow_mut(|last| *last = replay.to_vec());
        1
    })
}

/// Plays such a replay, in a worker. The text is then what is verified, as JSON, and [`agon_bytes`]
/// a file that shows the match.
///
/// Returns 0 if it cannot be played; the text is then the reason.
///
/// # Safety
/// `bytes` is from [`agon_alloc`] with this length, and not used afterwards.
#[cfg(target_arch = "wasm32")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agon_play(bytes: *mut u8, length: usize) -> u32 {
    // SAFETY: the caller's promise is the same.
    let bytes = unsafe { take_bytes(bytes, length) };
    or_zero(carried::play(bytes, worker::start).map(|(scenes, verified)| {
        set_text(serde_json::to_string(&verified).expect("texts can be written as JSON"));
        BYTES.with_borrow_mut(|last| *last = scenes.messages);
        1
    }))
}

/// Takes what a worker has verified of the match that a session shows: the text of [`agon_play`].
///
/// # Safety
/// `bytes` is from [`agon_alloc`] with this length, and not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agon_proof(session: u32, bytes: *mut u8, length: usize) {
    // SAFETY: the caller's promise is the same.
    let bytes = unsafe { take_bytes(bytes, length) };
    let proof = serde_json::from_slice(&bytes).expect("it is what a worker has said");
    with(session, |session| session.prove(proof));
}

/// Opens a session for a running match; theme and patterns are those of [`agon_open`].
///
/// With `follow` 1 it stays at the newest state, otherwise it plays from the start.
#[unsafe(no_mangle)]
pub extern "C" fn agon_live(theme: u32, patterns: u32, follow: u32) -> u32 {
    keep(Session::live(appearance(theme, patterns), follow == 1))
}

/// Passes messages of a match to its session.
///
/// Returns 0 if they cannot be followed; the text is then the reason.
///
/// # Safety
/// `bytes` is from [`agon_alloc`] with this length, and not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agon_feed(session: u32, bytes: *mut u8, length: usize) -> u32 {
    // SAFETY: the caller's promise is the same.
    let bytes = unsafe { take_bytes(bytes, length) };
    or_zero(with(session, |session| session.feed(&bytes)).map(|()| 1))
}

/// Returns 1 if there are orders to send to the arena, else 0; the text is then the message.
#[unsafe(no_mangle)]
pub extern "C" fn agon_orders(session: u32) -> u32 {
    let Some(orders) = with(session, |session| session.take_orders()) else { return 0 };
    set_text(serde_json::to_string(&orders).expect("numbers and names can be written as JSON"));
    1
}

/// Asks a person again, because their orders did not arrive.
#[unsafe(no_mangle)]
pub extern "C" fn agon_ask_again(session: u32) {
    with(session, |session| session.ask_again());
}

/// Opens a replay at a turn, or where it is if the turn is negative. With `plays` 1 it plays from
/// there, otherwise it pauses.
#[unsafe(no_mangle)]
pub extern "C" fn agon_go(session: u32, turn: f64, plays: u32) {
    // The page passes a whole number, or a negative one.
    let turn = (turn >= 0.0).then_some(turn as u64);
    with(session, |session| session.app().map(|app| app.open_at(turn, plays == 1)));
}

/// Opens a replay at a step, and pauses there.
#[unsafe(no_mangle)]
pub extern "C" fn agon_go_to_step(session: u32, step: f64) {
    // The page passes a whole number.
    with(session, |session| session.app().map(|app| app.open_at_step(step as u64)));
}

/// Makes the replay of a match that is over, for [`agon_bytes`].
///
/// Returns 0 if that is not possible; the text is then the reason.
#[unsafe(no_mangle)]
pub extern "C" fn agon_replay(session: u32) -> u32 {
    or_zero(with(session, |session| session.replay()).map(|bytes| {
        BYTES.with_borrow_mut(|last| *last = bytes);
        1
    }))
}

/// Returns the address of the last bytes for the page.
#[unsafe(no_mangle)]
pub extern "C" fn agon_bytes() -> *const u8 {
    BYTES.with_borrow(|bytes| bytes.as_ptr())
}

/// Returns their number.
#[unsafe(no_mangle)]
pub extern "C" fn agon_bytes_length() -> usize {
    BYTES.with_borrow(Vec::len)
}

/// Closes a session.
#[unsafe(no_mangle)]
pub extern "C" fn agon_close(session: u32) {
    SESSIONS.with_borrow_mut(|sessions| sessions[session as usize - 1] = None);
}

/// Handles a key: a character, or one of `KEYS`, which are numbered from `0x11_0000` on.
///
/// Returns 1 if a new picture is needed, like all inputs.
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

/// Moves the pointer to a pixel.
#[unsafe(no_mangle)]
pub extern "C" fn agon_move(session: u32, x: f32, y: f32) -> u32 {
    input(session, Input::Move { x, y })
}

/// Presses (`down` is 1) or releases a button: 0 left, 1 middle, 2 right, as in browsers.
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

/// Turns the wheel by notches; up is positive.
#[unsafe(no_mangle)]
pub extern "C" fn agon_wheel(session: u32, notches: f32) -> u32 {
    input(session, Input::Wheel(notches))
}

/// Sets the screen's pixels per pixel of a plain screen.
#[unsafe(no_mangle)]
pub extern "C" fn agon_scale(session: u32, scale: f32) -> u32 {
    input(session, Input::Scale(scale))
}

/// Says that the person uses fingers: buttons become large.
#[unsafe(no_mangle)]
pub extern "C" fn agon_touch(session: u32) -> u32 {
    input(session, Input::Touch)
}

/// Changes the theme, by number as for [`agon_open`]; patterns stay as they are.
#[unsafe(no_mangle)]
pub extern "C" fn agon_theme(session: u32, theme: u32) -> u32 {
    input(session, Input::Theme(theme_of(theme)))
}

/// Advances the time, in milliseconds since the start of the page; 1 for a new picture.
#[unsafe(no_mangle)]
pub extern "C" fn agon_tick(session: u32, now: f64) -> u32 {
    // A browser's clock is neither negative nor beyond all years, but a broken one must not end
    // the viewer.
    let now = Duration::try_from_secs_f64(now / 1000.0).unwrap_or_default();
    with(session, |session| {
        u32::from(session.app().is_some_and(|app| app.tick(now) == Redraw::Yes))
    })
}

/// Returns the milliseconds without any event; infinity if an input is needed.
#[unsafe(no_mangle)]
pub extern "C" fn agon_idle(session: u32) -> f64 {
    with(session, |session| {
        session
            .app()
            .and_then(|app| app.idle())
            .map_or(f64::INFINITY, |idle| idle.as_secs_f64() * 1000.0)
    })
}

/// Returns 1 if the person wants to leave, else 0.
#[unsafe(no_mangle)]
pub extern "C" fn agon_is_closed(session: u32) -> u32 {
    with(session, |session| u32::from(session.app().is_some_and(|app| app.is_closed())))
}

/// Verifies one more step; returns 1 if there is more to do now.
#[unsafe(no_mangle)]
pub extern "C" fn agon_verify(session: u32) -> u32 {
    with(session, |session| u32::from(session.verify()))
}

/// Paints the picture in this size, and returns its pixels: red, green, blue and 255.
///
/// They come row by row, and are valid until the next call.
#[unsafe(no_mangle)]
pub extern "C" fn agon_paint(session: u32, width: u32, height: u32) -> *const u8 {
    with(session, |session| session.paint(width.max(1), height.max(1)).data().as_ptr())
}

/// Puts the title into the text.
#[unsafe(no_mangle)]
pub extern "C" fn agon_title(session: u32) {
    set_text(with(session, |session| session.app().map(|app| app.title())).unwrap_or_default());
}

/// Puts the state, as JSON, into the text.
#[unsafe(no_mangle)]
pub extern "C" fn agon_state(session: u32) {
    set_text(with(session, |session| session.state().to_string()));
}

/// Takes ownership of bytes.
///
/// # Safety
/// `bytes` is from [`agon_alloc`] with this length, and not used afterwards.
unsafe fn take_bytes(bytes: *mut u8, length: usize) -> Vec<u8> {
    // SAFETY: `agon_alloc` made it from a boxed slice of this length, and gave it away.
    unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(bytes, length)) }.into_vec()
}

fn appearance(theme: u32, patterns: u32) -> Appearance {
    Appearance { theme: theme_of(theme), patterns: patterns == 1 }
}

/// Returns what the number of a theme stands for.
fn theme_of(number: u32) -> ThemeName {
    ThemeName::ALL.get(number as usize).copied().unwrap_or_default()
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

/// Runs an action on a session.
///
/// # Panics
/// If there is no such session, which is the page's mistake.
fn with<T>(session: u32, action: impl FnOnce(&mut Session) -> T) -> T {
    SESSIONS.with_borrow_mut(|sessions| {
        let place =
            session.checked_sub(1).and_then(|index| sessions.get_mut(index as usize)?.as_mut());
        action(place.expect("the page calls only for sessions that it has opened"))
    })
}

fn input(session: u32, input: Input) -> u32 {
    with(session, |session| {
        u32::from(session.app().is_some_and(|app| app.input(input) == Redraw::Yes))
    })
}

/// Returns the number; after an error 0, and the text is then the reason.
fn or_zero(result: Result<u32, impl Display>) -> u32 {
    result.unwrap_or_else(|error| {
        set_text(error.to_string());
        0
    })
}

fn set_text(text: String) {
    *TEXT.lock().unwrap_or_else(PoisonError::into_inner) = text;
}

/// The rules of a game in a worker, which `web/worker.js` runs.
#[cfg(target_arch = "wasm32")]
mod worker {
    use std::sync::{Mutex, PoisonError};

    use agon_games::file::{Caller, message::MAX_REPLY};

    #[link(wasm_import_module = "agon")]
    unsafe extern "C" {
        /// Makes an instance of a module. Writes why it cannot, and returns the length of that.
        fn rules_open(module: *const u8, length: usize, reply: *mut u8, room: usize) -> i32;
        /// Returns the length of the reply, or that of an error's text less than 0.
        fn rules_call(request: *const u8, length: usize, reply: *mut u8, room: usize) -> i32;
    }

    pub(super) fn start(module: &[u8]) -> Result<Rules, String> {
        let rules = Rules(Mutex::new(vec![0; MAX_REPLY]));
        rules.ask(rules_open, module).map(|_| rules)
    }

    /// The rules, with the place for their replies.
    pub(super) struct Rules(Mutex<Vec<u8>>);

    impl Caller for Rules {
        fn call(&self, request: &[u8], _: usize) -> Result<Vec<u8>, String> {
            self.ask(rules_call, request)
        }
    }

    type Import = unsafe extern "C" fn(*const u8, usize, *mut u8, usize) -> i32;

    impl Rules {
        fn ask(&self, import: Import, request: &[u8]) -> Result<Vec<u8>, String> {
            let mut reply = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let room = reply.len();
            // SAFETY: the script gets the true length of each place.
            let length =
                unsafe { import(request.as_ptr(), request.len(), reply.as_mut_ptr(), room) };
            let made = &reply[..length.unsigned_abs() as usize];
            match length {
                0.. => Ok(made.to_vec()),
                _ => Err(String::from_utf8_lossy(made).into_owned()),
            }
        }
    }
}
