//! HTTPS: whose certificates are accepted.

use std::{path::Path, sync::Arc};

use anyhow::{Context, Result, ensure};
use rustls::pki_types::{CertificateDer, pem::PemObject};
use ureq::tls::{Certificate, RootCerts, TlsConfig};

/// The most bytes of a file with certificates.
const MAX: u64 = 4 << 20;

/// Returns the settings of HTTPS: the machine's authorities are accepted (or those of the variables
/// SSL_CERT_FILE and SSL_CERT_DIR), and those of `ca`.
///
/// # Errors
/// If there are none, or the file has none.
pub(super) fn config(ca: Option<&Path>) -> Result<TlsConfig> {
    let machine = rustls_native_certs::load_native_certs();
    let own = ca.map(read).transpose()?.unwrap_or_default();
    let problems: Vec<String> = machine.errors.iter().map(ToString::to_string).collect();
    ensure!(
        !machine.certs.is_empty() || !own.is_empty(),
        "this machine has no certificates of authorities{}. Install them (on Debian the package \
         ca-certificates), or name a file with --ca or SSL_CERT_FILE",
        if problems.is_empty() { String::new() } else { format!(" ({})", problems.join("; ")) }
    );
    let all = machine.certs.into_iter().chain(own);
    let all: Vec<_> = all.map(|der| Certificate::from_der(&der).to_owned()).collect();
    let config = TlsConfig::builder()
        .root_certs(RootCerts::Specific(Arc::new(all)))
        .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()));
    Ok(config.build())
}

fn read(path: &Path) -> Result<Vec<CertificateDer<'static>>> {
    let bytes = agon_text::read_bytes(path, MAX)?;
    let all: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&bytes).collect();
    let all = all.with_context(|| format!("{} is no PEM file", path.display()))?;
    ensure!(
        !all.is_empty(),
        "{} has no certificate; it must be a PEM file with lines `BEGIN CERTIFICATE`",
        path.display()
    );
    Ok(all)
}
