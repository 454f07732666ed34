//! Names of files and folders.

/// The folder of replays in a tournament's folder, and in a site.
pub(super) const REPLAYS: &str = "replays";
