//! Bots whose files everybody may see.

use std::path::{Path, PathBuf};

use agon_arena::BotEntry;
use agon_text::escape;
use anyhow::{Result, bail};

/// Checks that no public bot has files of one that is not public: a program travels with all files
/// of its folder, and volunteers could read them.
///
/// # Errors
/// If one has, with the names of both.
pub(super) fn check<'a>(bots: impl IntoIterator<Item = &'a BotEntry>) -> Result<()> {
    let whole = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let (public, others): (Vec<_>, Vec<_>) = bots.into_iter().partition(|bot| bot.is_public);
    for open in public {
        let Some(folder) = open.spec.shared_folder().map(whole) else { continue };
        for secret in &others {
            let own = secret.spec.shared_folder().filter(|own| whole(own) != folder);
            let files = secret.spec.files().iter().map(PathBuf::as_path).chain(own);
            if let Some(file) = files.map(whole).find(|file| file.starts_with(&folder)) {
                bail!(
                    "the bot {} is public and travels with all files of {}, and {} of the bot {} \
                     is among them; move one of the two to a folder of its own, or make {} public, \
                     too",
                    escape(&open.info.name),
                    escape(&folder.display().to_string()),
                    escape(&file.display().to_string()),
                    escape(&secret.info.name),
                    escape(&secret.info.name),
                );
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use agon_bots::{BotSpec, HostOptions};

    use super::*;

    fn entry(name: &str, run: &str, is_public: bool) -> BotEntry {
        let spec: BotSpec = run.parse().unwrap();
        let spec = spec.named(name).read(&HostOptions::default(), &[]).unwrap();
        marked(&BotEntry::of(spec).unwrap(), is_public)
    }

    fn marked(bot: &BotEntry, is_public: bool) -> BotEntry {
        let mut bot = bot.clone();
        bot.is_public = is_public;
        bot
    }

    #[test]
    fn a_public_bot_does_not_take_secrets_with_it() {
        let dir = tempfile::tempdir().unwrap();
        let file = |path: &str| {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, "#!/bin/sh\n").unwrap();
            path.display().to_string()
        };
        let owl = entry("owl", &format!("sh {}", file("bots/owl.sh")), false);
        let fox = entry("fox", &format!("sh {}", file("bots/fox.sh")), true);
        let bee = entry("bee", &format!("sh {}", file("bots/own/bee.sh")), true);
        let greedy = entry("greedy", "builtin:greedy", false);
        let error = check([&owl, &fox, &greedy]).unwrap_err().to_string();
        assert!(error.starts_with("the bot fox is public and travels with"), "{error}");
        assert!(error.contains("owl.sh of the bot owl"), "{error}");
        check([&owl, &bee, &greedy]).unwrap();
        check([&marked(&owl, true), &fox, &bee]).unwrap();
        check([&marked(&fox, false), &owl]).unwrap();
        // The other one is further down.
        let error = check([&fox, &marked(&bee, false)]).unwrap_err().to_string();
        assert!(error.contains("bee.sh of the bot bee"), "{error}");
    }
}
