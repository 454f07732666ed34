//! The process of a native library, as a separate program for the tests of this crate.

fn main() -> std::process::ExitCode {
    agon_bots::native::child_main(std::env::args_os().skip(1))
}
