//! HTTPS with a certificate from files.

use std::{fs, path::Path, sync::Arc};

use anyhow::{Context, Result, ensure};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{
        ServerConfig,
        pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
    },
};

/// Reads a certificate and its key, as PEM.
///
/// # Errors
/// If a file cannot be read, or the two do not belong together.
pub(crate) fn acceptor(certificate: &Path, key: &Path) -> Result<TlsAcceptor> {
    let read =
        |path: &Path| fs::read(path).with_context(|| format!("{} cannot be read", path.display()));
    let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_slice_iter(&read(certificate)?)
        .collect::<std::result::Result<_, _>>()
        .with_context(|| format!("{} is no PEM file", certificate.display()))?;
    ensure!(!chain.is_empty(), "{} has no certificate", certificate.display());
    let key_of = PrivateKeyDer::from_pem_slice(&read(key)?)
        .with_context(|| format!("{} has no private key", key.display()))?;
    let config = ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(chain, key_of)
        .with_context(|| format!("{} and {} do not fit", certificate.display(), key.display()))?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}
