//! Servers: their addresses, and the file with those that are known.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::{env, fmt, net::IpAddr, str::FromStr};

use agon_core::text::{escape, shell_word};
use agon_ladder::{api::TOKEN_PREFIX, ledger::Remembered};
use anyhow::{Context, Result, anyhow, bail, ensure};
use serde::{Deserialize, Serialize};
use ureq::{http::Uri, http::uri::Authority};

/// The address of a server. Equal servers have equal addresses, however they were typed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(crate) struct Address {
    /// Whether it speaks HTTPS.
    pub(crate) is_secure: bool,
    /// The host in small letters, and the port if it is not the usual one.
    pub(crate) host: String,
}

impl Address {
    /// Returns whether it is this machine.
    pub(crate) fn is_loopback(&self) -> bool {
        self.host.parse::<Authority>().is_ok_and(|authority| is_loopback(authority.host()))
    }

    /// Checks that others cannot read what is sent, or that this is wanted.
    pub(crate) fn check_secrecy(&self, insecure_http: bool) -> Result<()> {
        if self.is_secure || self.is_loopback() || insecure_http {
            return Ok(());
        }
        bail!(
            "over plain HTTP, the network can read your password and token. Use \
             `https://{}`, or add --insecure-http if you trust the network",
            self.host
        )
    }
}

impl FromStr for Address {
    type Err = anyhow::Error;

    /// Reads what people type: a path behind the host is left out, and so may be the scheme.
    fn from_str(text: &str) -> Result<Address> {
        let wrong = || anyhow!("`{}` is no address; type https://agon.example", escape(text));
        let whole = match text.contains("://") {
            true => text.to_owned(),
            false => format!("//{text}"),
        };
        let (scheme, rest) = whole.split_once("//").ok_or_else(wrong)?;
        let authority: Authority = rest
            .split(['/', '?', '#'])
            .next()
            .and_then(|part| part.parse().ok())
            .ok_or_else(wrong)?;
        if authority.as_str().contains('@') || authority.host().is_empty() {
            return Err(wrong());
        }
        let is_secure = match scheme.to_lowercase().as_str() {
            "https:" => true,
            "http:" => false,
            "" => !is_loopback(authority.host()),
            _ => return Err(wrong()),
        };
        let host = authority.host().to_lowercase();
        let usual = if is_secure { 443 } else { 80 };
        let host = match authority.as_str()[authority.host().len()..].strip_prefix(':') {
            Some(port) => match port.parse::<u16>().map_err(|_| wrong())? {
                port if port == usual => host,
                port => format!("{host}:{port}"),
            },
            None => host,
        };
        let address = Address { is_secure, host };
        address.to_string().parse::<Uri>().map_err(|_| wrong())?;
        Ok(address)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", if self.is_secure { "https" } else { "http" }, self.host)
    }
}

impl TryFrom<String> for Address {
    type Error = anyhow::Error;

    fn try_from(text: String) -> Result<Address> {
        text.parse()
    }
}

impl From<Address> for String {
    fn from(address: Address) -> String {
        address.to_string()
    }
}

fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || bare.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// The variable with a token for the server of `AGON_SERVER_URL`.
pub(crate) const TOKEN_VARIABLE: &str = "AGON_TOKEN";

/// The most bytes of a token.
const MAX_TOKEN: usize = 256;

/// A token. Its debug form does not have the secret.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Token(String);

impl Token {
    /// Reads a token that somebody has pasted.
    pub(crate) fn parse(text: &str) -> Result<Token> {
        let text = text.trim();
        let rest = text.strip_prefix(TOKEN_PREFIX).unwrap_or_default();
        let is_token = rest.bytes().all(|byte| byte.is_ascii_alphanumeric());
        ensure!(
            !rest.is_empty() && is_token && text.len() <= MAX_TOKEN,
            "this is no token: tokens start with `{TOKEN_PREFIX}`; make one on the page *Account* \
             of the server"
        );
        Ok(Token(text.to_owned()))
    }

    /// Returns whether the environment has a token.
    pub(crate) fn is_in_environment() -> bool {
        agon_sandbox::secret(TOKEN_VARIABLE).is_some_and(|text| !text.is_empty())
    }

    /// Returns the value of the header `Authorization`.
    pub(crate) fn header(&self) -> String {
        format!("Bearer {}", self.0)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Token({TOKEN_PREFIX}…)")
    }
}

/// The most bytes of the file.
const MAX_FILE: u64 = 1 << 20;

/// All servers that are known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Servers {
    /// In the order in which they became known.
    #[serde(default, rename = "server", skip_serializing_if = "Vec::is_empty")]
    pub(crate) servers: Vec<KnownServer>,
}

/// A server that is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct KnownServer {
    /// Where it is.
    pub(crate) url: Address,
    /// The person's name there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    /// The token; none after `agon logout`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) token: Option<Token>,
    /// The token's id, with which the server forgets it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) token_id: Option<i64>,
    /// A file with certificates of authorities that are accepted there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ca: Option<PathBuf>,
    /// Whether the person accepts that the network can read the token.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) insecure_http: bool,
    /// The arenas in which a nonce of this person is not revealed yet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) nonces: Vec<Nonce>,
    /// What was last seen of its public log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) log: Option<Remembered>,
}

/// The person's nonce for the final of an arena.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Nonce {
    /// The arena's name in addresses.
    pub(crate) arena: String,
    /// 64 hexadecimal digits.
    pub(crate) nonce: String,
}

impl KnownServer {
    /// Returns a server of which only the address is known.
    pub(crate) fn new(url: Address) -> KnownServer {
        KnownServer {
            url,
            name: None,
            token: None,
            token_id: None,
            ca: None,
            insecure_http: false,
            nonces: Vec::new(),
            log: None,
        }
    }
}

impl Servers {
    /// Returns the entry of a server, and makes one if there is none.
    pub(crate) fn entry(&mut self, url: &Address) -> &mut KnownServer {
        let at = self.servers.iter().position(|known| known.url == *url).unwrap_or_else(|| {
            self.servers.push(KnownServer::new(url.clone()));
            self.servers.len() - 1
        });
        &mut self.servers[at]
    }
}

/// The file.
#[derive(Clone, Debug)]
pub(crate) struct ServersFile {
    path: PathBuf,
}

impl ServersFile {
    /// Returns the file of the user: `$XDG_CONFIG_HOME/agon/servers.toml`.
    pub(crate) fn of_user() -> Result<ServersFile> {
        let folder = |name: &str| env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
        let settings = folder("XDG_CONFIG_HOME")
            .or_else(|| folder("HOME").map(|home| home.join(".config")))
            .context("there is no place for settings; set HOME or XDG_CONFIG_HOME")?;
        Ok(ServersFile { path: settings.join("agon").join("servers.toml") })
    }

    /// Reads it. No file means no servers.
    ///
    /// # Errors
    /// If others may read it, it cannot be read, or it has something else in it.
    pub(crate) fn read(&self) -> Result<Servers> {
        let shown = self.path.display();
        let file = match File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Servers::default()),
            Err(error) => return Err(error).with_context(|| format!("cannot read {shown}")),
        };
        let facts = file.metadata().with_context(|| format!("cannot read {shown}"))?;
        if facts.permissions().mode() & 0o077 != 0 {
            bail!(
                "other users may read {shown}, which has your tokens. Type `chmod 600 {}`; if \
                 others have read it, sign out with `agon logout` and in again",
                shell_word(&self.path)
            );
        }
        let text = agon_files::input::read_bytes(&self.path, MAX_FILE)
            .and_then(|bytes| agon_files::input::decode(bytes, &self.path))?;
        // Not the whole error: it shows lines of the file.
        toml::from_str(&text).map_err(|error| {
            anyhow!("{shown}: {}. A newer Agon may have written the file", error.message())
        })
    }

    /// Changes it.
    pub(crate) fn change(&self, change: impl FnOnce(&mut Servers)) -> Result<()> {
        let written = |error: io::Error| {
            anyhow::Error::new(error).context(format!("cannot write {}", self.path.display()))
        };
        let folder = self.path.parent().unwrap_or(Path::new("/"));
        DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(written)?;
        // Dropping the file ends the lock.
        let lock = lock(&self.path.with_extension("lock")).map_err(written)?;
        let before = self.read()?;
        let mut servers = before.clone();
        change(&mut servers);
        if servers != before {
            let text = toml::to_string(&servers).context("servers can be written as TOML")?;
            replace(&self.path, text.as_bytes()).map_err(written)?;
        }
        drop(lock);
        Ok(())
    }
}

fn lock(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().create(true).append(true).mode(0o600).open(path)?;
    file.lock()?;
    Ok(file)
}

/// Replaces a file by another one that only the owner may read, all at once.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // The file that a link leads to: people keep settings elsewhere.
    let place = match fs::canonicalize(path) {
        Ok(place) => place,
        Err(error) if error.kind() == io::ErrorKind::NotFound => path.to_owned(),
        Err(error) => return Err(error),
    };
    let folder = place.parent().unwrap_or(Path::new("/"));
    // Temporary files have the mode 600.
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(&place)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_a_server_are_equal() {
        for (typed, address) in [
            ("https://Agon.Example/", "https://agon.example"),
            ("https://agon.example:443/arenas/cluster?x#y", "https://agon.example"),
            ("agon.example", "https://agon.example"),
            ("agon.example:8420", "https://agon.example:8420"),
            ("localhost:8420", "http://localhost:8420"),
            ("127.0.0.1", "http://127.0.0.1"),
            ("http://[::1]:80/", "http://[::1]"),
            ("HTTP://192.168.1.5:8420", "http://192.168.1.5:8420"),
        ] {
            let read: Address = typed.parse().unwrap();
            assert_eq!(read.to_string(), address, "{typed}");
            assert_eq!(address.parse::<Address>().unwrap(), read);
        }
    }

    #[test]
    fn other_texts_are_no_addresses() {
        for text in [
            "",
            "ftp://x",
            "https://",
            "https://a@b",
            "a b",
            "x:port",
            "x:99999",
            "x:",
            "\u{1b}[2J",
        ] {
            let error = text.parse::<Address>().unwrap_err().to_string();
            assert!(error.contains("https://agon.example"), "{text}: {error}");
            assert!(!error.contains('\u{1b}'));
        }
    }

    #[test]
    fn secrets_cross_no_network_readable() {
        let check = |text: &str, flag| text.parse::<Address>().unwrap().check_secrecy(flag);
        assert!(check("https://agon.example", false).is_ok());
        assert!(check("http://127.0.0.1:8420", false).is_ok());
        assert!(check("http://localhost", false).is_ok() && check("http://[::1]", false).is_ok());
        assert!(check("http://192.168.1.5", true).is_ok());
        for text in ["http://192.168.1.5", "http://localhost.evil.example", "http://127.0.0.1.a.b"]
        {
            let error = check(text, false).unwrap_err().to_string();
            assert!(error.contains("--insecure-http"), "{error}");
        }
    }

    #[test]
    fn only_tokens_are_tokens() {
        let token = Token::parse(" agon_0123456789abcdef\n").unwrap();
        assert_eq!(token.header(), "Bearer agon_0123456789abcdef");
        assert!(!format!("{token:?}").contains("0123"));
        for text in ["", "agon_", "secret", "agon_a\r\nX: y", "agon_ä", &"agon_a".repeat(99)] {
            assert!(Token::parse(text).is_err(), "{text}");
        }
    }

    fn file() -> (tempfile::TempDir, ServersFile) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("agon/servers.toml");
        (folder, ServersFile { path })
    }

    fn sign_in(file: &ServersFile, url: &str, token: &str) {
        let change = |servers: &mut Servers| {
            let entry = servers.entry(&url.parse().unwrap());
            entry.token = Some(Token::parse(token).unwrap());
        };
        file.change(change).unwrap();
    }

    #[test]
    fn only_the_owner_can_read_it() {
        let (_folder, file) = file();
        assert_eq!(file.read().unwrap(), Servers::default());
        sign_in(&file, "https://agon.example", "agon_1");
        sign_in(&file, "https://b.example", "agon_2");
        sign_in(&file, "https://agon.example/", "agon_3");
        let servers = file.read().unwrap().servers;
        let tokens: Vec<_> = servers.iter().map(|known| known.token.clone().unwrap()).collect();
        assert_eq!(tokens, [Token::parse("agon_3").unwrap(), Token::parse("agon_2").unwrap()]);
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&file.path), 0o600);
        assert_eq!(mode(file.path.parent().unwrap()), 0o700);
        for mode in [0o640, 0o604, 0o620] {
            fs::set_permissions(&file.path, fs::Permissions::from_mode(mode)).unwrap();
            let error = file.read().unwrap_err().to_string();
            assert!(error.contains("chmod 600") && !error.contains("agon_3"), "{error}");
            assert!(file.change(|_| ()).is_err());
        }
    }

    #[test]
    fn a_link_stays_a_link() {
        let (folder, file) = file();
        sign_in(&file, "https://agon.example", "agon_1");
        let elsewhere = folder.path().join("elsewhere.toml");
        fs::rename(&file.path, &elsewhere).unwrap();
        std::os::unix::fs::symlink(&elsewhere, &file.path).unwrap();
        sign_in(&file, "https://agon.example", "agon_2");
        assert!(fs::symlink_metadata(&file.path).unwrap().is_symlink());
        assert!(fs::read_to_string(&elsewhere).unwrap().contains("agon_2"));
    }

    #[test]
    fn changes_of_several_commands_are_all_kept() {
        let (_folder, file) = file();
        std::thread::scope(|scope| {
            for number in 0..8 {
                let file = &file;
                scope.spawn(move || sign_in(file, &format!("https://s{number}"), "agon_1"));
            }
        });
        assert_eq!(file.read().unwrap().servers.len(), 8);
    }

    #[test]
    fn what_a_newer_agon_wrote_is_not_lost() {
        let (_folder, file) = file();
        sign_in(&file, "https://agon.example", "agon_1");
        let text = fs::read_to_string(&file.path).unwrap() + "later = 5\n";
        fs::write(&file.path, &text).unwrap();
        let error = file.change(|servers| servers.servers.clear()).unwrap_err().to_string();
        assert!(error.contains("newer Agon"), "{error}");
        assert_eq!(fs::read_to_string(&file.path).unwrap(), text);
    }
}
