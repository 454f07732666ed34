//! The program `agon-wasm-host`: the process that runs a WebAssembly bot. The arena starts it.

fn main() -> std::process::ExitCode {
    agon_wasm::host_main(std::env::args_os().skip(1))
}
