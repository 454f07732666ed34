//! The process that a native library runs in, as a program of its own for tests of this crate.

fn main() -> std::process::ExitCode {
    agon_bots::native::child_main(std::env::args_os().skip(1))
}
