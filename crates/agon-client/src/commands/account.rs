//! `agon login`: gets a token, and keeps it.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, IsTerminal, Read, Write};

use agon_console::client_options::{LoginArgs, LogoutArgs};
use agon_core::text::escape;
use agon_ladder::api::{ProblemCode, Scope, Time, TokenRequest};
use anyhow::{Context, Result, ensure};
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

use crate::servers::{Address, ServersFile, Token};
use crate::{api, http::Client, log, session::Session};

/// The most bytes of a line that is read.
const MAX_LINE: u64 = 4 << 10;

/// A token with what the server says about it.
struct SignedIn {
    token: Token,
    id: Option<i64>,
    person: String,
    expires: Option<Time>,
}

/// Signs in.
pub(super) fn login(args: &LoginArgs) -> Result<()> {
    let file = ServersFile::of_user()?;
    let address: Address = args.url.parse()?;
    let before = file.read()?.servers.into_iter().find(|known| known.url == address);
    let insecure_http = args.connection.insecure_http;
    address.check_secrecy(insecure_http)?;
    // Commands start in other folders later.
    let ca = args.connection.ca.as_ref().map(|path| {
        fs::canonicalize(path).with_context(|| format!("cannot read {}", path.display()))
    });
    let ca = ca.transpose()?;
    let client = Client::new(address.clone(), ca.as_deref(), None)?;
    let server = api::server(&client)?;
    say!("{}: {}, Agon {}", address, escape(&server.title), escape(&server.version));
    if args.accept_new_log {
        log::forget(&client, &file)?;
    }
    let seen = before.as_ref().and_then(|known| known.log.as_ref());
    log::follow(&client, seen.filter(|_| !args.accept_new_log), &file)?;
    let signed_in = if args.token_stdin {
        with_token(&address, ca.as_deref(), &line_of_stdin()?)?
    } else {
        with_password(&client, args)?
    };
    let name = signed_in.person.clone();
    file.change(|servers| {
        let entry = servers.entry(&address);
        entry.name = Some(name);
        entry.token = Some(signed_in.token);
        entry.token_id = signed_in.id;
        entry.ca = ca.clone();
        entry.insecure_http = insecure_http;
    })?;
    let until = signed_in.expires.map(|time| format!(" until {}", time.machine()));
    say!("signed in as {}{}", escape(&signed_in.person), until.unwrap_or_default());
    // The token of before is of no use to anybody now. That it may stay is no reason to fail.
    if let Some(known) = before
        && let (Some(token), Some(id)) = (known.token, known.token_id)
        && let Ok(client) = Client::new(address, ca.as_deref(), Some(token))
    {
        let _ = api::forget_token(&client, id);
    }
    Ok(())
}

fn with_token(address: &Address, ca: Option<&std::path::Path>, text: &str) -> Result<SignedIn> {
    let token = Token::parse(text)?;
    let client = Client::new(address.clone(), ca, Some(token.clone()))?;
    let me = api::owner(&client)?;
    let facts = me.token;
    Ok(SignedIn {
        token,
        id: facts.as_ref().map(|facts| facts.id),
        person: me.name,
        expires: facts.map(|facts| facts.expires),
    })
}

fn with_password(client: &Client, args: &LoginArgs) -> Result<SignedIn> {
    let name = match &args.name {
        Some(name) => name.clone(),
        None => ask_for_name()?,
    };
    let password = ask_silently(&format!("password of {}: ", escape(&name)));
    let password = password.context(
        "there is no terminal to ask for the password; use --token-stdin with a token from the \
         page *Account* of the server",
    )?;
    let request = TokenRequest {
        name,
        password,
        label: label(),
        scopes: vec![Scope::Read, Scope::Submit],
        days: args.days,
    };
    let new = api::new_token(client, &request)?;
    Ok(SignedIn {
        token: Token::parse(&new.secret)?,
        id: Some(new.token.id),
        person: new.person,
        expires: Some(new.token.expires),
    })
}

/// A terminal that shows nothing of what is typed. Dropping it ends that.
struct Silent {
    terminal: File,
    before: Termios,
}

impl Silent {
    /// Has the terminal of this program show nothing.
    fn new() -> io::Result<Silent> {
        let terminal = File::options().read(true).write(true).open("/dev/tty")?;
        let before = tcgetattr(&terminal)?;
        let mut silent = before.clone();
        silent.local_modes.remove(LocalModes::ECHO);
        silent.local_modes.insert(LocalModes::ECHONL);
        tcsetattr(&terminal, OptionalActions::Now, &silent)?;
        Ok(Silent { terminal, before })
    }
}

impl Drop for Silent {
    fn drop(&mut self) {
        // Nothing else can be done for a terminal that is gone.
        let _ = tcsetattr(&self.terminal, OptionalActions::Now, &self.before);
    }
}

/// Asks for a password.
fn ask_silently(question: &str) -> io::Result<String> {
    // Before the question: people and programs answer as soon as they see it.
    let mut silent = Silent::new()?;
    silent.terminal.write_all(question.as_bytes())?;
    silent.terminal.flush()?;
    let mut line = String::new();
    BufReader::new(&silent.terminal).take(MAX_LINE).read_line(&mut line)?;
    if line.is_empty() {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}

fn ask_for_name() -> Result<String> {
    ensure!(io::stdin().is_terminal(), "there is no terminal to ask for your name; use --name");
    agon_console::say_part(format_args!("name: "));
    let name = line_of_stdin()?;
    ensure!(!name.is_empty(), "no name was typed");
    Ok(name)
}

/// Reads a line, without the blanks around it.
fn line_of_stdin() -> Result<String> {
    let mut line = String::new();
    io::stdin().lock().take(MAX_LINE).read_line(&mut line).context("cannot read standard input")?;
    Ok(line.trim().to_owned())
}

/// Returns what the token is for, so that people know it on their page *Account*.
fn label() -> String {
    let system = rustix::system::uname();
    let host = system.nodename().to_string_lossy().into_owned();
    let label = format!("agon login on {}", escape(&host));
    agon_core::text::name::cut(&label, 80).to_owned()
}

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
