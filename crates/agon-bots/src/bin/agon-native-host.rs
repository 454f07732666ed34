//! The process that loads a native library, as a separate program for the tests of this crate. In a
//! match it is a hidden subcommand of `agon`.

fn main() -> std::process::ExitCode {
    agon_bots::native::child_main(std::env::args_os().skip(1))
}
