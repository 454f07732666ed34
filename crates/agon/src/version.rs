//! The text of `agon --version`: the release, its commit, and the versions of the rules.

use agon_games::GameId;

/// The number of this release.
pub(crate) const RELEASE: &str = env!("CARGO_PKG_VERSION");

/// The commit that this program was built from and its date; `None` if there was no git.
pub(crate) const COMMIT: Option<&str> = option_env!("AGON_COMMIT");

/// Returns the text after the program's name.
pub(crate) fn text() -> String {
    let commit = COMMIT.map(|commit| format!(" ({commit})")).unwrap_or_default();
    let rules = GameId::ALL.map(GameId::meta).map(|m| format!("{} {}", m.id, m.rules_version));
    format!(
        "{RELEASE}{commit}\nrules: {}\n{}, {}-{}",
        rules.join(", "),
        origin(),
        std::env::consts::ARCH,
        std::env::consts::OS
    )
}

/// Returns where this program comes from.
pub(crate) fn origin() -> &'static str {
    if agon_files::parts::is_packaged() { "from a package" } else { "built from source" }
}
