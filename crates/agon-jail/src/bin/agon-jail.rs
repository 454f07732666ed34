//! The program that starts programs: not to be called by hand.

fn main() -> std::process::ExitCode {
    agon_jail::zygote_main()
}
