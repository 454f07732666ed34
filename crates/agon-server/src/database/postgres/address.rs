//! Where a database is, and how to connect to it.

use std::{fmt, fs, path::Path, time::Duration};

use agon_console::serve_options::{DATABASE_VARIABLE, DatabaseOptions};
use anyhow::{Context, Result, anyhow, ensure};
use tokio_postgres::{
    Config,
    config::{Host, SslMode},
};
use tokio_postgres_rustls::MakeRustlsConnect;
use tokio_rustls::rustls::{
    ClientConfig, RootCertStore,
    pki_types::{CertificateDer, pem::PemObject},
};

use super::connection::{CONNECT, causes};

/// How long what was sent may stay unacknowledged before the connection counts as dead.
const SILENCE: Duration = Duration::from_secs(20);

/// Where a database is, and how to connect to it. It is shown without the password.
#[derive(Clone, Debug)]
pub(crate) struct Address {
    config: Config,
    /// Certificates to believe; `None`: those that the system believes.
    roots: Option<RootCertStore>,
}

impl Address {
    /// Reads the flags; `None` if they name no database.
    ///
    /// # Errors
    /// If the address or the certificates cannot be read.
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
        let roots = options.database_ca.as_deref().map(roots).transpose()?;
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
    ///
    /// # Errors
    /// If the system has no certificates.
    pub(super) fn tls(&self) -> Result<MakeRustlsConnect> {
        let roots = match (&self.roots, self.config.get_ssl_mode()) {
            (Some(roots), _) => roots.clone(),
            (None, SslMode::Disable) => RootCertStore::empty(),
            (None, _) => {
                let mut roots = RootCertStore::empty();
                let found = rustls_native_certs::load_native_certs();
                roots.add_parsable_certificates(found.certs);
                roots
            }
        };
        let config = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
        Ok(MakeRustlsConnect::new(config))
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

fn roots(path: &Path) -> Result<RootCertStore> {
    let shown = path.display();
    let text = fs::read(path).with_context(|| format!("{shown} cannot be read"))?;
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(&text) {
        let certificate = certificate.with_context(|| format!("{shown} is no PEM file"))?;
        roots.add(certificate).with_context(|| format!("a certificate of {shown}"))?;
    }
    ensure!(!roots.is_empty(), "{shown} has no certificate");
    Ok(roots)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn of(url: &str) -> Result<Address> {
        let options = DatabaseOptions { database: Some(url.to_owned()), database_ca: None };
        Ok(Address::of(&options)?.unwrap())
    }

    #[test]
    fn passwords_are_not_shown() {
        let address = of("postgres://ada:swordfish@127.0.0.1:5433/agon").unwrap();
        assert_eq!(address.to_string(), "agon on 127.0.0.1");
        assert!(!format!("{address:?}").contains("swordfish"));
        for url in ["postgres://ada:swordfish@h/agon?no=1", "postgres://ada:swordfish@h:x/agon"] {
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

    #[test]
    fn an_address_names_host_and_database() {
        for url in ["postgres://127.0.0.1", "postgres:///agon", "mysql://127.0.0.1/agon"] {
            assert!(of(url).is_err(), "{url}");
        }
    }
}
