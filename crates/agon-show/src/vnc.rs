//! Shows a match or replay to VNC clients, for `--view vnc`.
//!
//! It finds the password, starts the server of `agon-vnc`, and prints its address.

use std::{env, net::Ipv4Addr};

use agon_view::App;
use agon_vnc::{BindError, Notice, Options, Password, Server};
use anyhow::{Context, Result, anyhow};

use crate::{Environment, VncOptions};

/// The variable with the password, if there is no file with it.
const VARIABLE: &str = "AGON_VNC_PASSWORD";

/// Listens for VNC clients, and prints the address.
///
/// # Errors
/// If the port is taken, or the password is invalid, or is missing although it is required.
pub(crate) fn listen(
    port: Option<u16>,
    options: &VncOptions,
    environment: &Environment<'_>,
) -> Result<Server> {
    let password = password(options)?;
    let address = options.address.unwrap_or(Ipv4Addr::LOCALHOST.into());
    let is_open = password.is_none();
    let server = Server::bind(Options { address, port, password, ..Options::default() });
    let server = server.map_err(|error| match &error {
        BindError::NeedsPassword(_) => anyhow!(
            "{error}: name a file with one by --vnc-password-file, set {VARIABLE}, or leave \
             --vnc-address out and use an ssh tunnel"
        ),
        BindError::Io { .. } => anyhow!("{error}; `--view vnc` takes a port that is free"),
        _ => anyhow!("{error}; `--view vnc:PORT` names another"),
    })?;
    let who = if is_open { "users of this machine need no password" } else { "with a password" };
    let url = server.url();
    environment
        .say(format!("{url} shows it to VNC clients ({who}); q there or Ctrl-C here ends it"));
    Ok(server)
}

/// Shows an app to VNC clients until one of them leaves by key, or `is_over`.
///
/// # Errors
/// If no thread can be started.
pub(crate) fn show(
    mut app: Box<dyn App>,
    server: Server,
    environment: &Environment<'_>,
    is_over: impl Fn() -> bool,
) -> Result<()> {
    let mut tell = |notice: &Notice| environment.say(format!("vnc: {notice}"));
    let shown = server.run(&mut *app, &is_over, &mut tell);
    shown.context("cannot show it over VNC")
}

fn password(options: &VncOptions) -> Result<Option<Password>> {
    if let Some(path) = &options.password_file {
        let place = || format!("the VNC password in {}", path.display());
        return Password::read(path).map(Some).with_context(place);
    }
    let Some(text) = env::var_os(VARIABLE) else { return Ok(None) };
    let password = Password::new(text.as_encoded_bytes());
    password.map(Some).with_context(|| format!("the VNC password in {VARIABLE}"))
}
