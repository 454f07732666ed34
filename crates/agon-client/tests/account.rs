//! Signing in and out.

use std::{fs, os::unix::fs::PermissionsExt, process::Stdio};

use crate::shell::{Shell, token};
use crate::support::Server;

fn mode(shell: &Shell) -> u32 {
    fs::metadata(shell.servers_file()).unwrap().permissions().mode() & 0o777
}

#[test]
fn a_token_is_kept_for_its_owner_until_the_sign_out() {
    let (server, _, _) = Server::with_ada();
    let shell = Shell::new();
    let secret = token(&server, "ada");
    let login = ["login", &server.address, "--token-stdin"];
    let done = shell.run_with(&login, &format!("{secret}\n"));
    assert_eq!(done.code, 0, "{done:?}");
    assert!(!done.err.contains(&secret), "{done:?}");
    assert_eq!(mode(&shell), 0o600);
    let kept = fs::read_to_string(shell.servers_file()).unwrap();
    assert!(kept.contains(&secret) && kept.contains("name = \"ada\""), "{kept}");
    shell.ok(&["status"]);

    // Others may not read it.
    fs::set_permissions(shell.servers_file(), fs::Permissions::from_mode(0o644)).unwrap();
    shell.run(&["status"]).ends(2).says("chmod 600");
    fs::set_permissions(shell.servers_file(), fs::Permissions::from_mode(0o600)).unwrap();

    // A new sign-in replaces the token, and the server forgets the one before.
    shell.sign_in(&server, "ada");
    let ci = Shell::new().with("AGON_SERVER_URL", &server.address);
    ci.ok(&["leaderboard"]);
    ci.run(&["status"]).ends(2).says("you are not signed in");
    let old = Shell::new().with("AGON_SERVER_URL", &server.address).with("AGON_TOKEN", &secret);
    old.run(&["status"]).ends(2).says("sign in again");

    // Programs need no sign-in.
    let fresh = token(&server, "ada");
    let ci = ci.with("AGON_TOKEN", &fresh);
    ci.ok(&["status"]);

    shell.ok(&["logout"]);
    assert!(!fs::read_to_string(shell.servers_file()).unwrap().contains("agon_"));
    shell.run(&["status"]).ends(2).says("agon login");
}

#[test]
fn a_password_is_asked_for_without_an_echo() {
    agon_testkit::needs!("script");
    let (server, _, _) = Server::with_ada();
    let shell = Shell::new();
    // `script` gives the command a terminal.
    let run = |password: &str| {
        let _ = fs::remove_file(shell.folder().join("terminal.txt"));
        let program = env!("CARGO_BIN_EXE_agon-client");
        let line = format!("{program} login {} --name ada", server.address);
        let mut child = shell
            .command(
                "script",
                &["--quiet", "--flush", "--return", "--command", &line, "terminal.txt"],
            )
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        // As soon as the question is there: the terminal echoes nothing then.
        let record = shell.folder().join("terminal.txt");
        crate::support::wait_until("the question", || {
            let text = fs::read_to_string(&record).unwrap_or_default();
            text.contains("password of ada: ")
        });
        std::io::Write::write_all(&mut input, format!("{password}\n").as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let (code, text) = run("wrong horse");
    assert_eq!(code, Some(2), "{text}");
    assert!(!text.contains("wrong horse"), "{text}");
    assert!(text.contains("Sign-in failed: Name or password is wrong."), "{text}");
    assert!(
        !shell.servers_file().exists()
            || !fs::read_to_string(shell.servers_file()).unwrap().contains("agon_")
    );
    let (code, text) = run("battery staple");
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("signed in as ada until "), "{text}");
    assert!(!text.contains("battery"), "{text}");
    shell.ok(&["status"]);
    assert_eq!(mode(&shell), 0o600);
}

#[test]
fn without_a_terminal_nobody_is_asked() {
    let server = Server::cluster();
    let shell = Shell::new();
    shell.run(&["login", &server.address]).ends(2).says("use --name");
    shell
        .run_with(&["login", &server.address, "--token-stdin"], "hunter2\n")
        .ends(2)
        .says("tokens start with `agon_`");
    let text = format!("agon_{}\n", "0".repeat(40));
    let done =
        shell.run_with(&["login", &server.address, "--token-stdin"], &text).ends(2).says("error: ");
    assert!(!done.err.contains("AGON_TOKEN") && !done.err.contains("agon login"), "{done:?}");
    let shell = Shell::new().with("AGON_TOKEN", text.trim());
    shell.run(&["status"]).ends(2).says("AGON_SERVER_URL is not");
}
