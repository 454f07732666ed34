//! The process that runs a WebAssembly bot; the arena starts it.

fn main() -> std::process::ExitCode {
    agon_wasm::host_main(std::env::args_os().skip(1))
}
