//! The program `agon-sandbox`, which starts the programs of bots. It is for tests and for other
//! programs that use `agon-bots`; `agon` starts itself instead, with a hidden subcommand.

fn main() -> std::process::ExitCode {
    agon_sandbox::zygote_main()
}
