//! `agon worker secure` and `agon worker credential`: a server with TLS, and users with as few
//! rights as their roles need.
//!
//! The server knows one account. Its key signs the users' credentials, so that new users need no
//! restart of the server. Nobody keeps the key of the operator, which has signed the account.
//!
//! | module | contents |
//! | --- | --- |
//! | `certificates` | the server's certificate, and the authority that signs it |
//! | `configuration` | what the server reads |
//! | `permissions` | the subjects that each role may use |
//! | `token` | the signed texts (JWT) that name account and users |

mod certificates;
mod configuration;
mod permissions;
mod token;

use std::{
    fs::{self, DirBuilder, OpenOptions, Permissions},
    io::{ErrorKind, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt},
    path::Path,
};

use agon_remote::{CredentialOptions, Role, SecureOptions};
use agon_text::{check_name, escape, shell_word};
use anyhow::{Context, Result, bail};
use nkeys::KeyPair;

use self::{certificates::Certificates, configuration::configuration, token::credentials};
use crate::say::say;

/// The file with the key that signs credentials.
const SEED: &str = "account.seed";

/// The file with the server's configuration.
const CONFIGURATION: &str = "nats-server.conf";

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
    let tokens = token::Tokens::new(&operator, &account, &system)?;
    let text = configuration(&place, options.port, &tokens, &account, &system)?;
    write(&place.join(CONFIGURATION), text.as_bytes(), 0o600)?;
    let Certificates { authority, server, key } = certificates;
    write(&place.join(configuration::AUTHORITY), authority.as_bytes(), 0o644)?;
    write(&place.join(configuration::CERTIFICATE), server.as_bytes(), 0o644)?;
    write(&place.join(configuration::KEY), key.as_bytes(), 0o600)?;
    write(&place.join(SEED), account.seed()?.as_bytes(), 0o600)?;
    for role in Role::ALL {
        add(&place, &account, role, role.name())?;
    }
    let host = &options.host[0];
    let host = if host.contains(':') { format!("[{host}]") } else { host.clone() };
    let server = format!("tls://{}:{}", escape(&host), options.port);
    say(&format!(
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
    let CredentialOptions { folder, role, name } = options;
    check_name(name)?;
    if name.is_empty() || name.contains(['/', '.']) {
        bail!("`{}`: a name needs at least one character, without `/` and `.`", escape(name));
    }
    let path = folder.join(SEED);
    let seed = fs::read_to_string(&path).with_context(|| {
        format!("{} (agon worker secure writes it with the server's folder)", path.display())
    })?;
    let account = KeyPair::from_seed(seed.trim())
        .with_context(|| format!("{} has no key of an account", path.display()))?;
    add(folder, &account, *role, name)?;
    say(&format!("wrote {}", shell_word(folder.join(format!("{name}.creds")))));
    Ok(())
}

fn add(folder: &Path, account: &KeyPair, role: Role, name: &str) -> Result<()> {
    let text = credentials(account, role, name)?;
    write(&folder.join(format!("{name}.creds")), text.as_bytes(), 0o600)
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
        for name in [SEED, "server-key.pem", "worker.creds", "nats-server.conf"] {
            assert_eq!(mode(name) & 0o777, 0o600, "{name}");
        }
        assert_eq!(mode("authority.pem") & 0o777, 0o644);
        let refused = secure(&options).unwrap_err().to_string();
        assert!(refused.contains("has files"), "{refused}");
        let more = |name: &str| {
            let (folder, name) = (folder.clone(), name.to_owned());
            credential(&CredentialOptions { folder, role: Role::Worker, name })
        };
        more("lab-7").unwrap();
        assert!(folder.join("lab-7.creds").is_file());
        for wrong in ["lab-7", "../x", "a/b", "", "worker"] {
            assert!(more(wrong).is_err(), "{wrong}");
        }
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
