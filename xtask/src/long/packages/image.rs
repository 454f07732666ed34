//! Unpacks an image for containers as an engine does: layer by layer, each checked.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::archive::unpack as untar;

/// Unpacks the image to a folder and returns its root of files.
pub(super) fn unpack(image: &Path, to: &Path) -> Result<PathBuf> {
    let layout = to.join("layout");
    let root = to.join("root");
    fs::create_dir_all(&root)?;
    untar(image, &layout)?;
    let blob = |digest: &Value| -> Result<PathBuf> {
        let digest = digest.as_str().and_then(|digest| digest.strip_prefix("sha256:"));
        let digest = digest.context("a blob has a digest")?;
        let path = layout.join("blobs").join("sha256").join(digest);
        let sum = Command::new("sha256sum").arg(&path).output()?;
        ensure!(sum.stdout.starts_with(digest.as_bytes()), "{} is damaged", path.display());
        Ok(path)
    };
    let json = |path: PathBuf| -> Result<Value> {
        let bytes = fs::read(&path).with_context(|| path.display().to_string())?;
        serde_json::from_slice(&bytes).with_context(|| path.display().to_string())
    };
    let index = json(layout.join("index.json"))?;
    let manifest = json(blob(&index["manifests"][0]["digest"])?)?;
    let config = json(blob(&manifest["config"]["digest"])?)?;
    ensure!(config["config"]["Entrypoint"][0] == "/usr/bin/agon", "{config}");
    for layer in manifest["layers"].as_array().context("an image has layers")? {
        untar(&blob(&layer["digest"])?, &root)?;
    }
    Ok(root)
}
