//! `agon logout`: has the server forget the token, and forgets it here.

use agon_console::client_options::LogoutArgs;
use agon_ladder::api::ProblemCode;
use anyhow::{Context, Result, ensure};

use crate::{api, log, session::Session};

/// Signs out.
///
/// # Errors
/// If the server does not forget the token, which this machine forgets all the same, or its public
/// log was rewritten.
pub(super) fn logout(args: &LogoutArgs) -> Result<()> {
    let Session { client, known, file } = Session::unchecked(&args.server)?;
    let kept = file.read()?.servers.into_iter().find(|one| one.url == known.url);
    let kept = kept.filter(|kept| kept.token.is_some());
    ensure!(kept.is_some(), "you are not signed in at {}", known.url);
    let forgotten = match known.token_id {
        Some(id) => api::forget_token(&client, id),
        None => Ok(()),
    };
    file.change(|servers| {
        let entry = servers.entry(&known.url);
        entry.token = None;
        entry.token_id = None;
    })?;
    if let Err(error) = forgotten {
        // A token that is not valid any more is forgotten already.
        if api::code(&error) != Some(ProblemCode::Unauthorized) {
            return Err(error).context(
                "this machine has forgotten the token, but the server has not; delete it on the \
                 page *Account*",
            );
        }
    }
    say!("signed out of {}", known.url);
    // Last: nobody stays signed in because a server's log is not what it was.
    log::follow(&client, known.log.as_ref(), &file)
}
