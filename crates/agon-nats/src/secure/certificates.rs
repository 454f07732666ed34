//! The server's certificate, and the authority that signs it.

use std::net::IpAddr;
use std::time::{SystemTime, UNIX_EPOCH};

use agon_core::text::escape;
use anyhow::{Context, Result, bail};
use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa,
    Issuer, KeyPair, KeyUsagePurpose, date_time_ymd,
};

/// A certificate is valid for so many years. Nothing renews it.
const YEARS: i32 = 10;

/// Seconds of a mean year.
const YEAR: u64 = 31_556_952;

/// Certificates and a key, as PEM.
pub(super) struct Certificates {
    /// That of the authority. Its key is kept by nobody.
    pub(super) authority: String,
    /// That of the server.
    pub(super) server: String,
    /// The server's key.
    pub(super) key: String,
}

impl Certificates {
    /// Makes an authority, and the certificate of a server with these names and addresses.
    pub(super) fn new(hosts: &[String]) -> Result<Certificates> {
        for host in hosts {
            if host.parse::<IpAddr>().is_err() && !is_name(host) {
                bail!(
                    "--host `{}` is neither a name nor an IP address; give it without protocol and \
                     port, as in queue.example",
                    escape(host)
                );
            }
        }
        let mut authority = params(Vec::new(), "Agon queue authority")?;
        authority.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        authority.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let key = KeyPair::generate()?;
        let certificate = authority.self_signed(&key)?;
        let issuer = Issuer::new(authority, key);
        let mut server = params(hosts.to_vec(), "Agon queue")?;
        server.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        server.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        server.use_authority_key_identifier_extension = true;
        let key = KeyPair::generate()?;
        Ok(Certificates {
            authority: certificate.pem(),
            server: server.signed_by(&key, &issuer)?.pem(),
            key: key.serialize_pem(),
        })
    }
}

/// Returns whether a text is the name of a machine.
fn is_name(host: &str) -> bool {
    let is_label = |label: &str| {
        let is_inner = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        (1..64).contains(&label.len())
            && label.bytes().all(is_inner)
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    host.len() < 254 && host.split('.').all(is_label)
}

fn params(hosts: Vec<String>, name: &str) -> Result<CertificateParams> {
    let mut params = CertificateParams::new(hosts)?;
    params.distinguished_name = DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, name);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).context("the clock is wrong")?;
    let year = 1970 + i32::try_from(now.as_secs() / YEAR)?;
    // From a year ago: clocks may differ.
    params.not_before = date_time_ymd(year - 1, 1, 1);
    params.not_after = date_time_ymd(year + YEARS, 12, 31);
    Ok(params)
}
