//! Bots whose files everybody may see.

use std::path::{Path, PathBuf};

use agon_arena::BotEntry;
use agon_text::escape;
use anyhow::{Result, bail};

/// A bot of a plan.
pub(super) struct Checked<'a> {
    pub(super) name: &'a str,
    /// What starts it.
    pub(super) text: &'a str,
    pub(super) is_public: bool,
    /// `None` if it cannot be read: it does not play, but its files may be there.
    pub(super) read: Option<&'a BotEntry>,
}

/// Checks that no public bot has files of one that is not public: a program travels with all files
/// of its folder, and volunteers could read them. Bots start in `folder`.
///
/// # Errors
/// If one has, with the names of both.
pub(super) fn check(folder: &Path, bots: &[Checked<'_>]) -> Result<()> {
    for open in bots.iter().filter(|bot| bot.is_public) {
        let shared = open.read.and_then(|read| read.spec.shared_folder()).map(whole);
        let Some(shared) = shared else { continue };
        for secret in bots.iter().filter(|bot| !bot.is_public) {
            let places = places(folder, secret);
            if let Some(place) = places.iter().find(|place| place.starts_with(&shared)) {
                let open = escape(open.name);
                let secret = escape(secret.name);
                bail!(
                    "the bot {open} is public and travels with all files of {}, and {}, of the \
                     bot {secret}, is among them; move one of the two to a folder of its own, or \
                     make {secret} public, too",
                    escape(&shared.display().to_string()),
                    escape(&place.display().to_string()),
                );
            }
        }
    }
    Ok(())
}

/// Returns the folders and files of a bot.
fn places(folder: &Path, bot: &Checked<'_>) -> Vec<PathBuf> {
    match bot.read {
        Some(read) => read.spec.places().map(whole).collect(),
        // Whatever its text may name.
        None => {
            let words = bot.text.split([' ', '\t', '"', '\'', ':', '=']);
            let paths = words.filter(|word| !word.is_empty()).map(|word| folder.join(word));
            paths.filter(|path| path.exists()).map(|path| whole(&path)).collect()
        }
    }
}

fn whole(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use std::{fs, sync::Arc};

    use agon_bots::{BotSpec, HostOptions};

    use super::*;

    fn read(run: &str) -> Option<Arc<BotEntry>> {
        let spec: BotSpec = run.parse().ok()?;
        BotEntry::of(spec.named("x").read(&HostOptions::default(), &[]).ok()?).ok()
    }

    /// Returns why these bots of a folder are refused, of which the first is public.
    fn refusal(dir: &Path, public: &str, secrets: &[&str]) -> Option<String> {
        let here = |run: &str| run.replace("DIR", &dir.display().to_string());
        let runs: Vec<String> = [public].iter().chain(secrets).map(|run| here(run)).collect();
        let entries: Vec<_> = runs.iter().map(|run| read(run)).collect();
        let bot = |(at, (run, entry)): (usize, (&String, &Option<Arc<BotEntry>>))| Checked {
            name: if at == 0 { "fox" } else { "owl" },
            text: Box::leak(run.clone().into_boxed_str()),
            is_public: at == 0,
            read: entry.as_deref().map(|entry| Box::leak(Box::new(entry.clone())) as &BotEntry),
        };
        let bots: Vec<Checked<'_>> = runs.iter().zip(&entries).enumerate().map(bot).collect();
        check(dir, &bots).err().map(|error| error.to_string())
    }

    #[test]
    fn a_public_bot_does_not_take_secrets_with_it() {
        let dir = tempfile::tempdir().unwrap();
        for path in ["bots/fox.sh", "bots/owl.sh", "bots/own/bee.sh", "other/owl.sh"] {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "#!/bin/sh\n").unwrap();
        }
        let refusal = |public: &str, secret: &str| refusal(dir.path(), public, &[secret]);
        let fox = "sh DIR/bots/fox.sh";
        let error = refusal(fox, "sh DIR/bots/owl.sh").unwrap();
        assert!(error.starts_with("the bot fox is public and travels with"), "{error}");
        assert!(error.contains("of the bot owl, is among them"), "{error}");
        for secret in [
            // Further down, without a named file, and one that cannot be read.
            "sh DIR/bots/own/bee.sh",
            "sh -c 'exec sh DIR/bots/owl.sh'",
            "DIR/bots/owl.sh",
            "jsonl:DIR/bots/owl.sh",
        ] {
            assert!(refusal(fox, secret).is_some(), "{secret}");
        }
        for (public, secret) in [
            (fox, "sh DIR/other/owl.sh"),
            (fox, "builtin:greedy"),
            ("sh DIR/bots/own/bee.sh", "sh DIR/bots/owl.sh"),
            ("builtin:greedy", "sh DIR/bots/owl.sh"),
        ] {
            assert_eq!(refusal(public, secret), None, "{public}, {secret}");
        }
    }
}
