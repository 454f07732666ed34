//! `agon worker --install`: a unit for systemd that starts a worker.

use std::{env, io::Write, path::Path};

use agon_remote::{ServerArgs, WorkerOptions, login_of};
use anyhow::{Context, Result, bail};

/// The name of the credentials within the service.
const CREDENTIALS: &str = "worker.creds";

/// The name of the authority's certificate within the service.
const AUTHORITY: &str = "authority.pem";

/// Prints a unit that starts a worker with these flags.
///
/// # Errors
/// If a file is missing that they name.
pub(crate) fn print(options: &WorkerOptions) -> Result<()> {
    let program = env::current_exe().context("this program has no path")?;
    let mut out = agon_console::stdout();
    out.write_all(text(options, &program)?.as_bytes())?;
    Ok(out.flush()?)
}

/// Returns the unit.
fn text(options: &WorkerOptions, program: &Path) -> Result<String> {
    let WorkerOptions { slots, games, label, verbose, bot_store, .. } = options;
    let ServerArgs { server, credentials, authority } = options.server_args();
    if login_of(server.secret()).is_some() {
        bail!(
            "everybody on a machine can read a unit, and this address has a password; use \
             credentials: `agon worker secure --help`"
        );
    }
    let mut words = vec![shown(program)?, server.secret().to_owned()];
    let mut flag = |name: &str, value: String| words.extend([name.to_owned(), value]);
    let mut service = Vec::new();
    if let Some(path) = &credentials {
        // The service's user cannot read the file itself.
        service.push(format!("LoadCredential={CREDENTIALS}:{}", specifiers(&real(path)?)));
        flag("--credentials", format!("${{CREDENTIALS_DIRECTORY}}/{CREDENTIALS}"));
    }
    if let Some(path) = &authority {
        service.push(format!("LoadCredential={AUTHORITY}:{}", specifiers(&real(path)?)));
        flag("--authority", format!("${{CREDENTIALS_DIRECTORY}}/{AUTHORITY}"));
    }
    if let Some(path) = bot_store {
        flag("--bot-store", real(path)?);
    }
    if let Some(slots) = slots {
        flag("--slots", slots.to_string());
    }
    if !games.is_empty() {
        let games: Vec<&str> = games.iter().map(|game| game.meta().id).collect();
        flag("--games", games.join(","));
    }
    if let Some(label) = label {
        flag("--label", label.clone());
    }
    service.push("CacheDirectory=agon-worker".to_owned());
    flag("--cache", "${CACHE_DIRECTORY}".to_owned());
    words.extend((0..*verbose).map(|_| "-v".to_owned()));
    let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    let (words, service) = (words.join(" "), service.join("\n"));
    Ok(format!(
        "\
# A worker of Agon as a service of systemd:
#
#   agon worker ... --install > /etc/systemd/system/agon-worker.service
#   systemctl enable --now agon-worker
#   journalctl -u agon-worker

[Unit]
Description=Agon worker
Wants=network-online.target
After=network-online.target

[Service]
Type=exec
DynamicUser=yes
ExecStart={words}
{service}
# What bots may use: the languages that are installed here.
Environment=PATH=/usr/local/bin:/usr/bin:/bin LANG=C.UTF-8
Restart=always
RestartSec=10

# The worker alone gets SIGTERM. It finishes its running matches; others play what takes longer.
KillMode=mixed
TimeoutStopSec=1h

# The kernel may end a bot that takes too much memory. The worker continues.
OOMPolicy=continue
TasksMax=4000
LimitNOFILE=65536

# Bots are confined in namespaces of their own, with mounts and a /proc. So these are not here:
# RestrictNamespaces, SystemCallFilter, ProtectKernelTunables, ProtectKernelLogs, ProtectHostname,
# ProtectProc, ProcSubset.
CapabilityBoundingSet=
AmbientCapabilities=
PrivateDevices=yes
ProtectKernelModules=yes
ProtectControlGroups=yes
ProtectClock=yes
LockPersonality=yes
RestrictRealtime=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6

[Install]
WantedBy=multi-user.target
"
    ))
}

/// Returns the whole path of a file that must be there.
fn real(path: &Path) -> Result<String> {
    shown(&path.canonicalize().with_context(|| path.display().to_string())?)
}

fn shown(path: &Path) -> Result<String> {
    let text = path.to_str();
    text.map(str::to_owned).with_context(|| format!("{} is not UTF-8", path.display()))
}

/// Doubles what begins a specifier of systemd.
fn specifiers(text: &str) -> String {
    text.replace('%', "%%")
}

/// Returns a word of a command line as systemd reads it. Its own variables stay.
fn quoted(word: &str) -> String {
    let mut text = String::from("\"");
    let is_own = |rest: &str| rest.starts_with("${CREDENTIALS_") || rest.starts_with("${CACHE_");
    for (at, c) in word.char_indices() {
        match c {
            '"' | '\\' => text.extend(['\\', c]),
            '%' => text.push_str("%%"),
            '$' if !is_own(&word[at..]) => text.push_str("$$"),
            c if c.is_control() => text.push_str(&format!("\\x{:02x}", u32::from(c))),
            c => text.push(c),
        }
    }
    text.push('"');
    text
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_unit_starts_the_worker_with_the_same_flags() {
        let dir = tempfile::tempdir().unwrap();
        let creds = dir.path().join("lab %1.creds");
        fs::write(&creds, "x").unwrap();
        let options = WorkerOptions {
            bot_store: None,
            server: "tls://queue.example".parse().unwrap(),
            credentials: Some(creds.clone()),
            authority: None,
            slots: "3".parse().ok(),
            games: vec![agon_games::GameId::Cluster, agon_games::GameId::Rezzo],
            label: Some("a \"b$c".to_owned()),
            cache: None,
            install: true,
            verbose: 1,
        };
        let unit = text(&options, Path::new("/opt/agon/agon-nats")).unwrap();
        let start = [
            "ExecStart=\"/opt/agon/agon-nats\" \"tls://queue.example\"",
            "\"--credentials\" \"${CREDENTIALS_DIRECTORY}/worker.creds\" \"--slots\" \"3\"",
            "\"--games\" \"cluster,rezzo\" \"--label\" \"a \\\"b$$c\"",
            "\"--cache\" \"${CACHE_DIRECTORY}\" \"-v\"",
        ];
        let start = start.join(" ");
        assert!(unit.lines().any(|line| line == start), "{unit}");
        assert!(unit.contains("lab %%1.creds\n") && unit.contains("CacheDirectory=agon-worker\n"));
        let secret = "tls://ada:secret@queue.example".parse().unwrap();
        let refused = text(&WorkerOptions { server: secret, ..options.clone() }, Path::new("/a"));
        assert!(refused.unwrap_err().to_string().contains("has a password"));
        let missing = WorkerOptions { credentials: Some("gone".into()), ..options };
        assert!(text(&missing, Path::new("/a")).is_err());
    }
}
