//! Takes secrets out of the environment of this process, before it starts anything.

use std::ffi::{CString, OsString};
use std::{env, sync::OnceLock};

/// The variables with secrets: the address of a server's database, a token for a ladder, the
/// password of a screen.
const NAMES: [&str; 3] = ["AGON_DATABASE", "AGON_TOKEN", "AGON_VNC_PASSWORD"];

static TAKEN: OnceLock<Vec<(&str, OsString)>> = OnceLock::new();

/// Removes all secrets from the environment of this process, also from what `/proc` shows of it;
/// [`secret`] still returns them.
///
/// Call it first in `main`: no other thread may run yet.
#[allow(unsafe_code)]
pub fn take_secrets() {
    TAKEN.get_or_init(|| {
        let secrets = NAMES.iter().filter_map(|&name| Some((name, env::var_os(name)?)));
        let secrets: Vec<_> = secrets.collect();
        for (name, _) in &secrets {
            let text = CString::new(*name).expect("there is no zero byte in these names");
            // SAFETY: no other thread runs that could use the environment. `getenv` returns the
            // value within the block of the environment, which ends with a zero byte and may be
            // changed; nobody holds a reference to it.
            unsafe {
                let value = libc::getenv(text.as_ptr());
                if !value.is_null() {
                    value.write_bytes(0, libc::strlen(value));
                }
                env::remove_var(name);
            }
        }
        secrets
    });
}

/// Returns a secret that was in the environment when this process started.
pub fn secret(name: &str) -> Option<OsString> {
    match TAKEN.get() {
        Some(all) => all.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone()),
        None => env::var_os(name),
    }
}
