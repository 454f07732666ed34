//! `agon worker revoke`: takes credentials back.

use std::{fs, path::Path};

use agon_files::write_whole;
use agon_remote::RevokeOptions;
use agon_text::shell_word;
use anyhow::{Context, Result, ensure};

use super::{
    CONFIGURATION, OPERATOR_SEED, SEED, check_user,
    configuration::account_in,
    key_in,
    token::{account_token, issuer_of, now, revocations, revoked_in},
};
use crate::{
    nats::{REVOCATIONS, user_of},
    say::say,
};

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
    say(&format!(
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
