//! Which server is meant, and as whom.

use std::{env, path::PathBuf};

use agon_console::client_options::ServerArgs;
use agon_core::text::escape;
use agon_sandbox::secret;
use anyhow::{Context, Result, bail, ensure};

use crate::servers::{Address, KnownServer, ServersFile, TOKEN_VARIABLE as TOKEN, Token};
use crate::{http::Client, log, nonces};

/// The variable with the address of the server.
const SERVER: &str = "AGON_SERVER_URL";

/// A server with a client for it.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) client: Client,
    /// What is known of the server.
    pub(crate) known: KnownServer,
    pub(crate) file: ServersFile,
}

impl Session {
    /// Opens a session at the server that is meant, signed in if that is possible. Checks that the
    /// server's public log only grew since it was last seen.
    ///
    /// # Errors
    /// If nobody can tell which server is meant, a token would cross the network readable, or the
    /// log was rewritten.
    pub(crate) fn open(args: &ServerArgs) -> Result<Session> {
        let session = Session::unchecked(args)?;
        log::follow(&session.client, session.known.log.as_ref(), &session.file)?;
        Ok(session)
    }

    /// Opens a session without a look at the log.
    pub(crate) fn unchecked(args: &ServerArgs) -> Result<Session> {
        let file = ServersFile::of_user()?;
        let servers = file.read()?.servers;
        let environment = Environment::read()?;
        let mut known = choose(args.server.as_deref(), environment.address.as_ref(), &servers)?;
        if environment.address.as_ref() == Some(&known.url) && environment.token.is_some() {
            known.token = environment.token;
        }
        let connection = &args.connection;
        if known.token.is_some() {
            known.url.check_secrecy(connection.insecure_http || known.insecure_http)?;
        }
        let ca: Option<PathBuf> = connection.ca.clone().or_else(|| known.ca.clone());
        let client = Client::new(known.url.clone(), ca.as_deref(), known.token.clone())?;
        Ok(Session { client, known, file })
    }

    /// Opens a session that is signed in.
    ///
    /// # Errors
    /// As [`Session::open`], and if there is no token.
    pub(crate) fn signed_in(args: &ServerArgs) -> Result<Session> {
        let session = Session::unchecked(args)?;
        ensure!(
            session.client.has_token(),
            "you are not signed in at {0}: type `agon login {0}`",
            session.known.url
        );
        log::follow(&session.client, session.known.log.as_ref(), &session.file)?;
        nonces::reveal(&session);
        Ok(session)
    }
}

/// What the environment says.
struct Environment {
    address: Option<Address>,
    token: Option<Token>,
}

impl Environment {
    fn read() -> Result<Environment> {
        let text = |name: &str| match secret(name).or_else(|| env::var_os(name)) {
            Some(text) if !text.is_empty() => {
                let text = text.into_string().ok();
                text.with_context(|| format!("{name}: it is not UTF-8")).map(Some)
            }
            _ => Ok(None),
        };
        let address = text(SERVER)?.map(|text| text.parse().context(SERVER)).transpose()?;
        let token = text(TOKEN)?.map(|text| Token::parse(&text).context(TOKEN)).transpose()?;
        ensure!(
            token.is_none() || address.is_some(),
            "{TOKEN} is set, and {SERVER} is not: set it to the address of the token's server"
        );
        Ok(Environment { address, token })
    }
}

/// Returns the server that is meant: by `--server`, by the environment, or the only one.
fn choose(
    typed: Option<&str>,
    environment: Option<&Address>,
    servers: &[KnownServer],
) -> Result<KnownServer> {
    let of = |address: Address| {
        let known = servers.iter().find(|known| known.url == address);
        known.cloned().unwrap_or_else(|| KnownServer::new(address))
    };
    if let Some(text) = typed {
        // Without a scheme, a server that is known comes first.
        let known = servers.iter().find(|known| known.url.host.eq_ignore_ascii_case(text));
        return known.cloned().map_or_else(|| text.parse().map(of).context("--server"), Ok);
    }
    if let Some(address) = environment {
        return Ok(of(address.clone()));
    }
    let signed_in: Vec<&KnownServer> =
        servers.iter().filter(|known| known.token.is_some()).collect();
    match signed_in.as_slice() {
        [known] => Ok((*known).clone()),
        [] => bail!(
            "you are signed in at no server: type `agon login URL`, or name a server with \
             --server URL"
        ),
        several => {
            let hosts: Vec<_> = several.iter().map(|known| escape(&known.url.host)).collect();
            bail!(
                "you are signed in at several servers: name one with --server, such as --server \
                 {} (or {})",
                hosts[0],
                hosts[1..].join(", ")
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(url: &str, token: Option<&str>) -> KnownServer {
        let token = token.map(|text| Token::parse(text).unwrap());
        KnownServer { token, ..KnownServer::new(url.parse().unwrap()) }
    }

    #[test]
    fn the_only_server_needs_no_name() {
        let one =
            [known("https://a.example", None), known("https://b.example:8420", Some("agon_b"))];
        assert_eq!(choose(None, None, &one).unwrap(), one[1]);
        assert_eq!(choose(Some("B.example:8420"), None, &one).unwrap(), one[1]);
        assert_eq!(choose(Some("https://a.example/x"), None, &one).unwrap(), one[0]);
        assert_eq!(
            choose(Some("c.example"), None, &one).unwrap(),
            known("https://c.example", None)
        );
        let address: Address = "https://c.example".parse().unwrap();
        assert_eq!(choose(None, Some(&address), &one).unwrap().url, address);
        assert_eq!(choose(Some("a.example"), Some(&address), &one).unwrap(), one[0]);
    }

    #[test]
    fn none_and_several_need_a_word() {
        let error = |servers: &[KnownServer]| choose(None, None, servers).unwrap_err().to_string();
        assert!(error(&[]).contains("agon login URL"));
        let two = [known("https://a.example", Some("agon_a")), known("https://b", Some("agon_b"))];
        assert!(error(&two).contains("--server a.example (or b)"), "{}", error(&two));
    }
}
