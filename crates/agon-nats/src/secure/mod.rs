//! `agon worker secure`, `agon worker credential` and `agon worker revoke`: a server with TLS, and
//! users with as few rights as their roles need.
//!
//! The server knows one account. Its key signs the users' credentials, so that new users need no
//! restart of the server. The key of the operator signs the account, anew when a user is revoked.
//!
//! | module | contents |
//! | --- | --- |
//! | `certificates` | the server's certificate, and the authority that signs it |
//! | `permissions` | the subjects that each role may use |
//! | `token` | the signed texts (JWT) that name account and users |

mod certificates;
mod permissions;
mod token;

use std::fs::{self, DirBuilder, OpenOptions, Permissions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::{collections::BTreeMap, fmt::Write as _, num::NonZero, path::Path};

use agon_console::say_line;
use agon_core::text::number::plural;
use agon_core::text::{check_name, escape, shell_word};
use agon_files::write_whole;
use agon_remote::{CredentialOptions, RevokeOptions, Role, SecureOptions};
use anyhow::{Context, Result, bail, ensure};
use clap::ValueEnum;
use nkeys::KeyPair;

use self::certificates::Certificates;
use self::token::{
    Tokens, User, account_token, credentials, issuer_of, now, revocations, revoked_in,
};
use crate::nats::{REVOCATIONS, user_of};

/// The file with the key that signs credentials.
const SEED: &str = "account.seed";

/// The file with the key that signs the account.
const OPERATOR_SEED: &str = "operator.seed";

/// Credentials of a worker expire after so many days: machines come and go.
const WORKER_DAYS: NonZero<u32> = NonZero::new(400).expect("it is not 0");

/// The file with the server's configuration.
const CONFIGURATION: &str = "nats-server.conf";

/// The file with the certificate of the authority.
const AUTHORITY: &str = "authority.pem";

/// The file with the server's certificate.
const CERTIFICATE: &str = "server.pem";

/// The file with the key of the server's certificate.
const KEY: &str = "server-key.pem";

/// Writes a folder for a server.
///
/// # Errors
/// If the folder has files, or cannot be written.
pub(crate) fn secure(options: &SecureOptions) -> Result<()> {
    let folder = &options.folder;
    let shown = shell_word(folder);
    // Before anything is written.
    let certificates = Certificates::new(&options.host)?;
    make_folder(folder)?;
    let place = folder.canonicalize()?;
    let [operator, account, system] =
        [KeyPair::new_operator(), KeyPair::new_account(), KeyPair::new_account()];
    let tokens = Tokens::new(&operator, &account, &system)?;
    let text = configuration(&place, options.port, &tokens, &account, &system)?;
    write(&place.join(CONFIGURATION), text.as_bytes(), 0o600)?;
    let Certificates { authority, server, key } = certificates;
    write(&place.join(AUTHORITY), authority.as_bytes(), 0o644)?;
    write(&place.join(CERTIFICATE), server.as_bytes(), 0o644)?;
    write(&place.join(KEY), key.as_bytes(), 0o600)?;
    write(&place.join(SEED), account.seed()?.as_bytes(), 0o600)?;
    write(&place.join(OPERATOR_SEED), operator.seed()?.as_bytes(), 0o600)?;
    let nobody = revocations(&account, &BTreeMap::new())?;
    write(&place.join(REVOCATIONS), nobody.as_bytes(), 0o644)?;
    for &role in Role::value_variants() {
        add(&place, &account, &User { role, name: role.name(), days: days_of(role) })?;
    }
    let host = &options.host[0];
    let host = if host.contains(':') { format!("[{host}]") } else { host.clone() };
    let server = format!("tls://{}:{}", escape(&host), options.port);
    say_line(format_args!(
        "wrote {shown}; the certificate is valid for ten years\n\
         start the server:  nats-server -c {shown}/{CONFIGURATION}\n\
         start workers:     agon worker {server} --authority {shown}/authority.pem --credentials \
         {shown}/worker.creds\n\
         play on them:      agon tournament PLAN --on {server} --authority {shown}/authority.pem \
         --credentials {shown}/coordinator.creds"
    ));
    Ok(())
}

/// Writes credentials for one more user.
///
/// # Errors
/// If the folder has no key, or the user is there already.
pub(crate) fn credential(options: &CredentialOptions) -> Result<()> {
    let CredentialOptions { folder, role, name, days } = options;
    check_user(name)?;
    let account = key_in(folder, SEED)?;
    let days = days.or(days_of(*role));
    add(folder, &account, &User { role: *role, name, days })?;
    let shown = shell_word(folder.join(format!("{name}.creds")));
    match days {
        Some(days) => {
            let days = plural(u64::from(days.get()), "day");
            say_line(format_args!("wrote {shown}; they expire in {days}"));
        }
        None => say_line(format_args!("wrote {shown}")),
    }
    Ok(())
}

/// Revokes the credentials of a user.
///
/// # Errors
/// If the folder has no such user, or no keys.
pub(crate) fn revoke(options: &RevokeOptions) -> Result<()> {
    let RevokeOptions { folder, name } = options;
    check_user(name)?;
    let credentials = folder.join(format!("{name}.creds"));
    ensure!(
        credentials.exists() || !folder.join(format!("{name}.creds.revoked")).exists(),
        "the credentials of {name} are revoked already"
    );
    let text = fs::read_to_string(&credentials)
        .with_context(|| format!("{}, which names the user's key", credentials.display()))?;
    let user =
        user_of(&text).with_context(|| format!("{} has no credentials", credentials.display()))?;
    let account_key = key_in(folder, SEED)?;
    let account = account_key.public_key();
    let operator = key_in(folder, OPERATOR_SEED)
        .context("a folder of an older Agon cannot revoke; write a new one")?;

    let path = folder.join(CONFIGURATION);
    let before = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let old = account_in(&before, &account)
        .with_context(|| format!("{} does not name the account {account}", path.display()))?;
    ensure!(
        issuer_of(old).as_deref() == Some(operator.public_key().as_str()),
        "{OPERATOR_SEED} is not the key that has signed the account in {}",
        path.display()
    );
    let mut revoked = revoked_in(old)?;
    revoked.insert(user, now()?);
    let new = account_token(&operator, &account, &revoked)?;
    let list = folder.join(REVOCATIONS);
    write_whole(&list, revocations(&account_key, &revoked)?.as_bytes())?;
    write_whole(&path, before.replace(old, &new).as_bytes())?;

    let kept = kept_name(folder, name);
    fs::rename(&credentials, folder.join(&kept))
        .with_context(|| format!("{} cannot be renamed", credentials.display()))?;
    let conf = shell_word(&path);
    say_line(format_args!(
        "revoked {name}; its credentials are now {}\n\
         have the server read {conf} again:  nats-server --signal reload\n\
         (or stop and start it). It then closes the connections of {name}\n\
         copy {} beside the credentials of coordinators on other machines",
        shell_word(folder.join(kept)),
        shell_word(list)
    ));
    Ok(())
}

/// Returns a name for revoked credentials that no file has.
fn kept_name(folder: &Path, name: &str) -> String {
    let first = format!("{name}.creds.revoked");
    let others = (2..).map(|number| format!("{first}-{number}"));
    let mut all = std::iter::once(first.clone()).chain(others);
    all.find(|name| !folder.join(name).exists()).expect("numbers do not end")
}

/// Returns after how many days credentials of a role expire, unless somebody wants another time.
fn days_of(role: Role) -> Option<NonZero<u32>> {
    (role == Role::Worker).then_some(WORKER_DAYS)
}

/// Checks the name of a user, which becomes that of a file.
fn check_user(name: &str) -> Result<()> {
    check_name(name)?;
    if name.is_empty() || name.contains(['/', '.']) {
        bail!("`{}`: a name needs at least one character, without `/` and `.`", escape(name));
    }
    Ok(())
}

/// Returns a key in a folder that `secure` has written.
fn key_in(folder: &Path, file: &str) -> Result<KeyPair> {
    let path = folder.join(file);
    let seed = fs::read_to_string(&path).with_context(|| {
        format!("{} (agon worker secure writes it with the server's folder)", path.display())
    })?;
    KeyPair::from_seed(seed.trim()).with_context(|| format!("{} has no key", path.display()))
}

fn add(folder: &Path, account: &KeyPair, user: &User<'_>) -> Result<()> {
    let text = credentials(account, user)?;
    let path = folder.join(format!("{}.creds", user.name));
    if path.exists() {
        bail!(
            "{} is there already; choose another name, or revoke these credentials first (agon \
             worker revoke {} {})",
            path.display(),
            shell_word(folder),
            escape(user.name)
        );
    }
    write(&path, text.as_bytes(), 0o600)
}

fn make_folder(folder: &Path) -> Result<()> {
    match fs::read_dir(folder) {
        Ok(mut entries) => {
            if entries.next().is_some() {
                bail!("{} has files; name a new folder", folder.display());
            }
            // Others must not read the keys in it.
            fs::set_permissions(folder, Permissions::from_mode(0o700))?;
            Ok(())
        }
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| folder.display().to_string())
        }
        Err(_) => DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)
            .with_context(|| format!("{} cannot be made", folder.display())),
    }
}

/// Writes a new file. Nothing is overwritten: credentials that somebody uses would be lost.
fn write(path: &Path, bytes: &[u8], mode: u32) -> Result<()> {
    let new = OpenOptions::new().write(true).create_new(true).mode(mode).open(path);
    let mut file = new.with_context(|| path.display().to_string())?;
    file.write_all(bytes).and_then(|()| file.sync_all()).context("it cannot be written")
}

/// Returns the configuration of a server whose files are in a folder.
fn configuration(
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
fn account_in<'a>(configuration: &'a str, account: &str) -> Option<&'a str> {
    let begin = format!("{account}:");
    let line = configuration.lines().find_map(|line| line.trim().strip_prefix(&begin))?;
    Some(line.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_all_that_a_server_needs_and_nothing_is_overwritten() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("queue");
        let options = SecureOptions {
            folder: folder.clone(),
            host: vec!["queue.example".to_owned(), "::1".to_owned()],
            port: 4222,
        };
        secure(&options).unwrap();
        let mode = |name: &str| fs::metadata(folder.join(name)).unwrap().permissions().mode();
        for name in [SEED, OPERATOR_SEED, "server-key.pem", "worker.creds", "nats-server.conf"] {
            assert_eq!(mode(name) & 0o777, 0o600, "{name}");
        }
        for name in ["authority.pem", REVOCATIONS] {
            assert_eq!(mode(name) & 0o777, 0o644, "{name}");
        }
        let refused = secure(&options).unwrap_err().to_string();
        assert!(refused.contains("has files"), "{refused}");
        let more = |name: &str| {
            let (folder, name) = (folder.clone(), name.to_owned());
            credential(&CredentialOptions { folder, role: Role::Worker, name, days: None })
        };
        more("lab-7").unwrap();
        assert!(folder.join("lab-7.creds").is_file());
        for wrong in ["lab-7", "../x", "a/b", "", "worker"] {
            assert!(more(wrong).is_err(), "{wrong}");
        }
        let refused = more("lab-7").unwrap_err().to_string();
        assert!(refused.contains("is there already; choose another name"), "{refused}");
        fs::remove_file(folder.join(SEED)).unwrap();
        let refused = format!("{:#}", more("ada").unwrap_err());
        assert!(refused.contains("agon worker secure"), "{refused}");
    }

    #[test]
    fn hosts_that_are_none_are_refused_before_anything_is_written() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("queue");
        for host in ["", "grün.example", "a b", "nats://x", "x:4222", "..-.x", "-a", "a..b"] {
            let options =
                SecureOptions { folder: folder.clone(), host: vec![host.to_owned()], port: 1 };
            assert!(secure(&options).is_err(), "{host}");
            assert!(!folder.exists(), "{host}");
        }
    }
}
