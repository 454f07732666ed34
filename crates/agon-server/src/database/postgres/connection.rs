//! Connections: where a database is, how long to wait for it, what its errors mean, and the
//! connection that writes, which keeps other programs from it.
//!
//! A server whose processes are stopped, or whose disk hangs, takes connections and answers
//! nothing. Nobody waits for it much longer than these times.

use std::time::{Duration, Instant};
use std::{fmt, fs, io, path::Path};

use agon_console::serve_options::{DATABASE_VARIABLE, DatabaseOptions};
use anyhow::{Context, Result, anyhow, ensure};
use deadpool_postgres::ClientWrapper;
use tokio::time::{sleep, timeout};
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::{Client, Config, Error};
use tokio_postgres_rustls::MakeRustlsConnect;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};
use tokio_rustls::{rustls::pki_types::CertificateDer, rustls::pki_types::pem::PemObject};

use crate::database::{DatabaseError, POSTGRES, missing};

/// How long a connection may take.
pub(super) const CONNECT: Duration = Duration::from_secs(5);

/// How long a question may take, with the wait for a free connection; and each transaction of a
/// group that is written.
pub(super) const QUESTION: Duration = Duration::from_secs(20);

/// How long a connection that writes waits for the lock: a server that ended just now may still
/// have it.
const LOCKED: Duration = Duration::from_secs(10);

/// The lock of those who write, one in each database: "agon" in ASCII.
const LOCK: i64 = 0x6167_6f6e;

/// The oldest release of PostgreSQL with all that is used here.
const OLDEST: i32 = 130_000;

/// How long what was sent may stay unacknowledged before the connection counts as dead.
const SILENCE: Duration = Duration::from_secs(20);

/// Where a database is, and how to connect to it. It is shown without the password.
#[derive(Clone, Debug)]
pub(crate) struct Address {
    config: Config,
    /// Certificates to believe.
    roots: RootCertStore,
}

impl Address {
    /// Reads the flags; `None` if they name no database.
    pub(crate) fn of(options: &DatabaseOptions) -> Result<Option<Address>> {
        let variable = || agon_sandbox::secret(DATABASE_VARIABLE)?.into_string().ok();
        let Some(url) = options.database.clone().or_else(variable) else { return Ok(None) };
        // The library's words do not repeat the address, which may have a password.
        let mut config: Config = url.parse().map_err(|error| {
            anyhow!("the address of `--database` cannot be read: {}", causes(&error))
        })?;
        ensure!(!config.get_hosts().is_empty(), "the address of `--database` names no host");
        ensure!(config.get_dbname().is_some(), "the address of `--database` names no database");
        let is_said = url.contains("sslmode=");
        if !is_said && !config.get_hosts().iter().all(is_here) {
            config.ssl_mode(SslMode::Require);
        }
        config.connect_timeout(CONNECT).keepalives_idle(SILENCE).tcp_user_timeout(SILENCE);
        config.application_name("agon-server");
        let mut roots = RootCertStore::empty();
        match &options.database_ca {
            Some(path) => add_roots(&mut roots, path)?,
            // Those that the system believes.
            None => {
                roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
            }
        }
        Ok(Some(Address { config, roots }))
    }

    /// Returns how to connect for writing.
    pub(crate) fn for_writing(&self) -> Config {
        self.with("-c synchronous_commit=on -c default_transaction_isolation=read\\ committed")
    }

    /// Returns how to connect for reading.
    pub(super) fn for_reading(&self) -> Config {
        self.with("-c default_transaction_read_only=on")
    }

    fn with(&self, options: &str) -> Config {
        let mut config = self.config.clone();
        let own = config.get_options().unwrap_or_default();
        config.options(format!("{own} {options}").trim());
        config
    }

    /// Returns what encrypts the connection, if the address demands it.
    pub(super) fn tls(&self) -> MakeRustlsConnect {
        let config = ClientConfig::builder().with_root_certificates(self.roots.clone());
        MakeRustlsConnect::new(config.with_no_client_auth())
    }
}

/// Returns whether a host is this machine, so that nobody else reads what is sent.
fn is_here(host: &Host) -> bool {
    match host {
        Host::Unix(_) => true,
        Host::Tcp(name) => {
            name == "localhost" || name.parse().is_ok_and(|ip: std::net::IpAddr| ip.is_loopback())
        }
    }
}

fn add_roots(roots: &mut RootCertStore, path: &Path) -> Result<()> {
    let shown = path.display();
    let text = fs::read(path).with_context(|| format!("{shown} cannot be read"))?;
    for certificate in CertificateDer::pem_slice_iter(&text) {
        let certificate = certificate.with_context(|| format!("{shown} is no PEM file"))?;
        roots.add(certificate).with_context(|| format!("a certificate of {shown}"))?;
    }
    ensure!(!roots.is_empty(), "{shown} has no certificate");
    Ok(())
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.config.get_dbname().unwrap_or_default();
        let host = |host: &Host| match host {
            Host::Tcp(name) => name.clone(),
            Host::Unix(path) => path.display().to_string(),
        };
        let hosts: Vec<String> = self.config.get_hosts().iter().map(host).collect();
        let shown = format!("{name} on {}", hosts.join(", "));
        f.write_str(&agon_core::text::escape(&shown))
    }
}

/// Connects.
pub(crate) async fn connect(address: &Address, config: &Config) -> Result<ClientWrapper> {
    let (client, driver) = config.connect(address.tls()).await.map_err(|error| {
        let text = causes(&error);
        match error.code() {
            Some(_) => anyhow!(text),
            None if text.contains("TLS") => {
                anyhow!("{text}; if the network is safe, add `sslmode=disable` to the address")
            }
            None => anyhow!("it cannot be reached: {text}"),
        }
    })?;
    // Its errors are also those of the client, which ends it. The server frees the lock then.
    let driver = tokio::spawn(async { drop(driver.await) });
    Ok(ClientWrapper::new(client, driver))
}

/// Connects, and takes the lock: while the connection is there, no other one writes.
pub(super) async fn connect_to_write(address: &Address) -> Result<ClientWrapper> {
    let opened = async {
        let client = connect(address, &address.for_writing()).await?;
        let sql = "SELECT current_setting('server_version_num')::int, \
            current_setting('server_encoding')";
        let row = client.query_one(sql, &[]).await?;
        let (version, encoding): (i32, String) = (row.get(0), row.get(1));
        ensure!(version >= OLDEST, "PostgreSQL 13 or later is needed, this is {version}");
        ensure!(encoding == "UTF8", "it must be made with the encoding UTF8, not {encoding}");
        let until = Instant::now() + LOCKED;
        let lock = "SELECT pg_try_advisory_lock($1)";
        while !client.query_one(lock, &[&LOCK]).await?.get::<_, bool>(0) {
            ensure!(
                Instant::now() < until,
                "another server uses it; stop that one, or name another database"
            );
            sleep(Duration::from_millis(100)).await;
        }
        Ok(client)
    };
    // A server that is stopped, but not gone, accepts connections and never answers.
    let limit = CONNECT + LOCKED;
    let silent = || format!("it takes connections, but has not answered for {limit:?}");
    timeout(limit, opened).await.with_context(silent)?
}

/// Brings the tables up to date.
pub(super) async fn migrate(client: &mut Client) -> Result<()> {
    let table = "CREATE TABLE IF NOT EXISTS migrations
        (version BIGINT PRIMARY KEY, digest TEXT NOT NULL)";
    let made = client.batch_execute(table).await;
    made.context("tables cannot be made; may the user do this?")?;
    for step in missing(POSTGRES, &steps_done(client).await?)? {
        let transaction = client.transaction().await?;
        transaction.batch_execute(step.sql).await.context("the tables cannot be made")?;
        let sql = "INSERT INTO migrations VALUES ($1, $2)";
        transaction.execute(sql, &[&step.version, &step.digest()]).await?;
        transaction.commit().await?;
    }
    Ok(())
}

/// Returns whether the connection is of no use any more, rather than a statement wrong.
pub(super) fn has_gone(error: &Error) -> bool {
    let is_broken =
        || std::error::Error::source(error).is_some_and(|cause| cause.is::<io::Error>());
    // Class 57P: the server stops, has crashed, or does not take connections yet.
    let is_stopping = || error.code().is_some_and(|code| code.code().starts_with("57P"));
    error.is_closed() || is_broken() || is_stopping()
}

/// Returns what the error of a statement means for whoever asked.
pub(crate) fn failed(error: &Error) -> DatabaseError {
    match error.code().map(|code| code.code()) {
        // Class 23: a constraint.
        Some(code) if code.starts_with("23") => DatabaseError::Taken,
        Some("53100") => DatabaseError::Full,
        _ => DatabaseError::Engine(causes(error)),
    }
}

/// Writes an error with its causes.
pub(super) fn causes(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        next = cause.source();
    }
    text
}

/// Returns the steps that the tables have had: version and digest.
async fn steps_done(client: &Client) -> Result<Vec<(i64, String)>> {
    let sql = "SELECT version, digest FROM migrations ORDER BY version";
    let rows = client.query(sql, &[]).await.context("it has no ladder")?;
    Ok(rows.iter().map(|row| (row.get(0), row.get(1))).collect())
}

/// Checks that the tables have the form that this program knows.
pub(crate) async fn check_form(client: &Client) -> Result<()> {
    let is_old = !missing(POSTGRES, &steps_done(client).await?)?.is_empty();
    ensure!(!is_old, "an older Agon made it; start the server once with this one");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(url: &str) -> Result<Address> {
        let options = DatabaseOptions { database: Some(url.to_owned()), database_ca: None };
        Ok(Address::of(&options)?.unwrap())
    }

    #[test]
    fn passwords_are_not_shown_and_an_address_names_host_and_database() {
        let address = of("postgres://ada:swordfish@127.0.0.1:5433/agon").unwrap();
        assert_eq!(address.to_string(), "agon on 127.0.0.1");
        assert!(!format!("{address:?}").contains("swordfish"));
        let wrong = [
            "postgres://ada:swordfish@h/agon?no=1",
            "postgres://ada:swordfish@h:x/agon",
            "postgres://ada:swordfish@h",
            "postgres://ada:swordfish@/agon",
            "mysql://h/agon",
        ];
        for url in wrong {
            let error = format!("{:#}", of(url).unwrap_err());
            assert!(!error.contains("swordfish") && error.contains("--database"), "{error}");
        }
    }

    #[test]
    fn other_machines_are_spoken_to_in_secret_unless_told_otherwise() {
        let mode = |url: &str| of(url).unwrap().config.get_ssl_mode();
        assert_eq!(mode("postgres://db.example/agon"), SslMode::Require);
        assert_eq!(mode("postgres://db.example/agon?sslmode=disable"), SslMode::Disable);
        for url in ["postgres://localhost/agon", "postgres:///agon?host=/run/postgresql"] {
            assert_eq!(mode(url), SslMode::Prefer);
        }
    }
}
