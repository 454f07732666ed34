//! The program that starts programs. The arena starts it; people do not.

fn main() -> std::process::ExitCode {
    agon_jail::zygote_main()
}
