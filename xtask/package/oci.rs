//! The image for containers: `agon-0.1.0-oci.tar`, which `podman load` and `docker load` take.
//!
//! The format is that of the OCI image specification: blobs named by their SHA-256, and an index.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use data_encoding::HEXLOWER;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::{LICENCE, Release, SUMMARY, compressed, tree::Tree};

/// A layer: compressed, and the digest of what it was.
struct Layer {
    bytes: Vec<u8>,
    plain: String,
}

/// Writes it to a folder and returns its path.
pub(crate) fn write(tree: &Tree, base: &Path, release: &Release, to: &Path) -> Result<PathBuf> {
    let base = fs::read(base).with_context(|| base.display().to_string())?;
    let own = tree.moved(|path| format!("usr/{path}")).write_tar(Vec::new(), release.time)?;
    let layers = [layer(&base)?, layer(&own)?];
    let mut blobs = Tree::default();
    let config = add(&mut blobs, &config(&layers, release)?);
    let mut described = Vec::new();
    for Layer { bytes, .. } in &layers {
        let size = bytes.len();
        let digest = add(&mut blobs, bytes);
        described.push(json!({
            "mediaType": "application/vnd.oci.image.layer.v1.tar+gzip",
            "digest": digest.0,
            "size": size,
        }));
    }
    let manifest = serde_json::to_vec(&json!({
        "schemaVersion": 2,
        "mediaType": MANIFEST,
        "config": {
            "mediaType": "application/vnd.oci.image.config.v1+json",
            "digest": config.0,
            "size": config.1,
        },
        "layers": described,
    }))?;
    let (digest, size) = add(&mut blobs, &manifest);
    let name = format!("agon:{}", release.release);
    let index = json!({
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.index.v1+json",
        "manifests": [{
            "mediaType": MANIFEST,
            "digest": digest,
            "size": size,
            "annotations": {
                "org.opencontainers.image.ref.name": name,
                "io.containerd.image.name": format!("localhost/{name}"),
            },
        }],
    });
    blobs.add("index.json", serde_json::to_vec(&index)?);
    blobs.add("oci-layout", br#"{"imageLayoutVersion":"1.0.0"}"#.as_slice());
    let path = to.join(format!("agon-{}-oci.tar", release.release));
    xtask::write(&path, blobs.write_tar(Vec::new(), release.time)?)?;
    Ok(path)
}

const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";

/// Adds a blob; returns its digest and size.
fn add(blobs: &mut Tree, bytes: &[u8]) -> (String, usize) {
    let digest = HEXLOWER.encode(&Sha256::digest(bytes));
    blobs.add(&format!("blobs/sha256/{digest}"), bytes);
    (format!("sha256:{digest}"), bytes.len())
}

fn layer(tar: &[u8]) -> io::Result<Layer> {
    let mut to = compressed(Vec::new());
    to.write_all(tar)?;
    let plain = HEXLOWER.encode(&Sha256::digest(tar));
    Ok(Layer { bytes: to.finish()?, plain: format!("sha256:{plain}") })
}

fn config(layers: &[Layer], Release { release, .. }: &Release) -> Result<Vec<u8>> {
    let plain: Vec<&str> = layers.iter().map(|layer| layer.plain.as_str()).collect();
    let config: Value = json!({
        "architecture": "amd64",
        "os": "linux",
        "config": {
            "Entrypoint": ["/usr/bin/agon"],
            "Cmd": ["play"],
            "Env": ["PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8"],
            "WorkingDir": "/work",
            "Labels": {
                "org.opencontainers.image.title": "agon",
                "org.opencontainers.image.description": SUMMARY,
                "org.opencontainers.image.version": release,
                "org.opencontainers.image.licenses": LICENCE,
            },
        },
        "rootfs": { "type": "layers", "diff_ids": plain },
    });
    Ok(serde_json::to_vec(&config)?)
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, io::Read};

    use flate2::read::GzDecoder;

    use super::*;
    use crate::{some_release, tree};

    #[test]
    fn each_blob_has_the_digest_that_names_it() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().join("base.tar");
        fs::write(&base, Tree::default().write_tar(Vec::new(), 0).unwrap()).unwrap();
        let path = write(&tree::tests::small(), &base, &some_release(), folder.path()).unwrap();
        let mut files = BTreeMap::new();
        for entry in tar::Archive::new(fs::File::open(path).unwrap()).entries().unwrap() {
            let mut entry = entry.unwrap();
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).unwrap();
            files.insert(entry.path().unwrap().display().to_string(), bytes);
        }
        let blob = |digest: &Value| {
            let digest = digest.as_str().unwrap().strip_prefix("sha256:").unwrap();
            let bytes = &files[&format!("blobs/sha256/{digest}")];
            assert_eq!(HEXLOWER.encode(&Sha256::digest(bytes)), digest);
            bytes
        };
        let json = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).unwrap();
        let index = json(&files["index.json"]);
        let manifest = json(blob(&index["manifests"][0]["digest"]));
        let config = json(blob(&manifest["config"]["digest"]));
        let layers = manifest["layers"].as_array().unwrap();
        assert_eq!(layers.len(), 2);
        for (number, layer) in layers.iter().enumerate() {
            let bytes = blob(&layer["digest"]);
            assert_eq!(layer["size"], bytes.len());
            let mut plain = Vec::new();
            GzDecoder::new(bytes.as_slice()).read_to_end(&mut plain).unwrap();
            let digest = format!("sha256:{}", HEXLOWER.encode(&Sha256::digest(&plain)));
            assert_eq!(config["rootfs"]["diff_ids"][number], digest);
        }
    }
}
