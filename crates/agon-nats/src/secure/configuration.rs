//! What the server reads.

use std::{fmt::Write, path::Path};

use anyhow::{Context, Result};
use nkeys::KeyPair;

use super::token::Tokens;

/// The file with the certificate of the authority.
pub(super) const AUTHORITY: &str = "authority.pem";

/// The file with the server's certificate.
pub(super) const CERTIFICATE: &str = "server.pem";

/// The file with the key of the server's certificate.
pub(super) const KEY: &str = "server-key.pem";

/// Returns the configuration of a server whose files are in a folder.
pub(super) fn configuration(
    folder: &Path,
    port: u16,
    tokens: &Tokens,
    account: &KeyPair,
    system: &KeyPair,
) -> Result<String> {
    let path = |name: &str| -> Result<String> {
        let path = folder.join(name);
        let text = path.to_str().context("the path of the folder is not UTF-8")?;
        // A text in quotes, as in JSON.
        Ok(serde_json::to_string(text)?)
    };
    let mut text = String::new();
    writeln!(text, "# The server of a queue of matches: nats-server -c THIS_FILE")?;
    writeln!(text, "port: {port}")?;
    writeln!(text, "# Credentials name all subjects of a role, which makes them long.")?;
    writeln!(text, "max_control_line: 16KB")?;
    writeln!(text, "jetstream {{ store_dir: {} }}", path("jetstream")?)?;
    writeln!(text, "tls {{\n  cert_file: {}\n  key_file: {}\n}}", path(CERTIFICATE)?, path(KEY)?)?;
    writeln!(text, "# `agon worker credential` adds users; the server need not be restarted.")?;
    writeln!(text, "operator: {}", tokens.operator)?;
    writeln!(text, "system_account: {}", system.public_key())?;
    writeln!(text, "resolver: MEMORY\nresolver_preload {{")?;
    writeln!(text, "  {}: {}", account.public_key(), tokens.account)?;
    writeln!(text, "  {}: {}\n}}", system.public_key(), tokens.system)?;
    Ok(text)
}

/// Returns the text in a configuration that names an account.
pub(super) fn account_in<'a>(configuration: &'a str, account: &str) -> Option<&'a str> {
    let begin = format!("{account}:");
    let line = configuration.lines().find_map(|line| line.trim().strip_prefix(&begin))?;
    Some(line.trim())
}
