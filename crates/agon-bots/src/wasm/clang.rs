//! Compiles bots in C and C++ to WebAssembly with clang.
//!
//! Sources that know nothing of WebAssembly work unmodified. The arena compiles its own part along
//! with them; definitions in the source take precedence over it.

use std::env;
use std::path::{Path, PathBuf};

use agon_games::any::GameKind;

use crate::compile::{Compiler, Header, Language, Recipe, compile};
use crate::tools::{Found, Tool, not_on_path, version_in};
use crate::{HostOptions, OpenError, hosting, program::on_path};

/// The variable that names the compiler.
const CLANG_VARIABLE: &str = "AGON_CLANG";

/// The Debian packages with a compiler, the C library and the C++ library.
const PACKAGES: &str = "clang lld";
const LIBRARY_PACKAGES: &str = "wasi-libc libclang-rt-dev-wasm32";
const CPP_LIBRARY_PACKAGES: &str = "libc++-dev-wasm32";

/// The linker, and the names of the libraries as tools.
const LINKER: &str = "wasm-ld";
pub(crate) const C_LIBRARY: &str = "C library for WebAssembly";
pub(crate) const CPP_LIBRARY: &str = "C++ library for WebAssembly";

/// The compilers to try. The first one with a linker for WebAssembly is used.
const CLANGS: [&str; 10] = [
    "clang", "clang-22", "clang-21", "clang-20", "clang-19", "clang-18", "clang-17", "clang-16",
    "clang-15", "clang-14",
];

/// C++ without exceptions, which the arena's WebAssembly does not have.
///
/// C accepts the flag, too. There is no debug information, but faults need the names of functions.
/// The stack comes first, so that its overflow is out of bounds. Functions with two different
/// declarations are an error here instead of a trap later.
const FLAGS: [&str; 9] = [
    "-O2",
    // The preprocessor alone gets the linker's flags as well.
    "-Wno-unused-command-line-argument",
    "-fno-exceptions",
    "-mbulk-memory",
    "-Wl,--gc-sections",
    "-Wl,--strip-debug",
    "-Wl,--stack-first",
    "-Wl,-z,stack-size=1048576",
    "-Wl,--fatal-warnings",
];

/// Flags for a module with a C library, whose functions are called; it is not run once.
const WITH_LIBRARY: [&str; 2] = ["--target=wasm32-wasi", "-mexec-model=reactor"];

const WITHOUT_LIBRARY: [&str; 4] =
    ["--target=wasm32", "-nostdlib", "-Wl,--no-entry", "-ffreestanding"];

/// Compiles a source to a module and returns its path.
pub(crate) fn build(
    kind: &dyn GameKind,
    source: &Path,
    options: &HostOptions,
) -> Result<PathBuf, OpenError> {
    let Clang { program: clang, .. } = Clang::find(source, options)?.map_err(|missing| {
        OpenError::Machine(format!(
            "`{missing}`, which should compile `{}` to WebAssembly, is not there; install it (on \
             Debian and Ubuntu: `apt install {PACKAGES}`, and `{LIBRARY_PACKAGES}` for the C \
             library) or name a compiler in the environment variable {CLANG_VARIABLE}",
            source.display(),
        ))
    })?;
    let library = has_library(&clang, source, options)?;
    let mode = if library { WITH_LIBRARY.as_slice() } else { &WITHOUT_LIBRARY };
    let cpp = if Language::of(source) == Some(Language::Cpp) {
        cpp_library(&clang, source, options)?
    } else {
        Vec::new()
    };
    let flags: Vec<&str> =
        mode.iter().chain(&FLAGS).copied().chain(cpp.iter().map(String::as_str)).collect();
    let mut along = vec![("agon_room.c", include_str!("room.c"))];
    along.extend(hosting(kind).c_shim.map(|text| ("agon_shim.c", text)));
    let recipe = Recipe {
        compiler: Compiler::at(clang, source, options),
        flags: &flags,
        along: &along,
        suffix: "wasm",
    };
    compile(source, &Header::all(kind), &recipe, options).map_err(|error| match error {
        OpenError::Compile { path, mut message } => {
            if !library {
                message.push_str(&no_library("C", "string.h, malloc", LIBRARY_PACKAGES));
            } else if cpp.is_empty() && Language::of(&path) == Some(Language::Cpp) {
                message.push_str(&no_library("C++", "algorithm, vector", CPP_LIBRARY_PACKAGES));
            }
            OpenError::Compile { path, message }
        }
        other => other,
    })
}

fn no_library(language: &str, examples: &str, packages: &str) -> String {
    format!(
        "\nThere is no {language} library for WebAssembly here: if that is what is missing \
         ({examples}, ...), `apt install {packages}` helps on Debian and Ubuntu"
    )
}

/// A compiler that can link.
struct Clang {
    /// The command.
    program: String,
    linker: PathBuf,
}

impl Clang {
    /// Returns the compiler from the environment, or the first one on `PATH` that can link; inside,
    /// the program that is missing.
    fn find(source: &Path, options: &HostOptions) -> Result<Result<Clang, String>, OpenError> {
        let named = env::var(CLANG_VARIABLE).ok().filter(|clang| !clang.is_empty());
        let names = named.map_or_else(|| CLANGS.map(str::to_owned).to_vec(), |clang| vec![clang]);
        let here = |name: &String| {
            on_path(name).is_some() || (name.contains('/') && Path::new(name).is_file())
        };
        let mut missing = names[0].clone();
        for program in names.into_iter().filter(here) {
            if let Some(linker) = linker(&program, source, options)? {
                return Ok(Ok(Clang { program, linker }));
            }
            missing = LINKER.to_owned();
        }
        Ok(Err(missing))
    }
}

/// Returns a compiler's linker for WebAssembly: the last command that it shows.
fn linker(clang: &str, source: &Path, options: &HostOptions) -> Result<Option<PathBuf>, OpenError> {
    let commands = ask(
        clang,
        &["-###", "--target=wasm32", "-nostdlib", "-x", "c", "/dev/null"],
        source,
        options,
    )?;
    let last = commands.lines().last().and_then(shlex::split).unwrap_or_default();
    let here = |linker: &String| match Path::new(linker).is_file() {
        true => Some(PathBuf::from(linker)),
        false => on_path(linker),
    };
    Ok(last.first().and_then(here))
}

/// Returns the compiler, its linker and the libraries as tools, found or missing.
pub(crate) fn tools(options: &HostOptions) -> Vec<Tool> {
    let source = Path::new("bot.c");
    let here =
        |name, packages: &str, found| Tool::new(name, format!("apt install {packages}"), found);
    let compiler = |found| here("clang", PACKAGES, found);
    let linker = |found| here(LINKER, PACKAGES, found);
    let Clang { program, linker: place } = match Clang::find(source, options) {
        Ok(Ok(clang)) => clang,
        Ok(Err(missing)) if missing == LINKER => {
            return vec![linker(Err(not_on_path(LINKER)))];
        }
        Ok(Err(missing)) => {
            let place = on_path(LINKER).map(|path| Found { path, version: None });
            let place = place.ok_or_else(|| not_on_path(LINKER));
            return vec![compiler(Err(not_on_path(&missing))), linker(place)];
        }
        Err(error) => return vec![compiler(Err(error.to_string()))],
    };
    let path = on_path(&program).unwrap_or_else(|| PathBuf::from(&program));
    let version = ask(&program, &["--version"], source, options).map(|said| version_in(&said));
    let mut all = vec![
        compiler(version.map(|version| Found { path, version }).map_err(|error| error.to_string())),
        linker(Ok(Found { path: place, version: None })),
    ];
    let libraries =
        [(C_LIBRARY, LIBRARY_PACKAGES, "libc.a"), (CPP_LIBRARY, CPP_LIBRARY_PACKAGES, "libc++.a")];
    let c_library = has_library(&program, source, options);
    for (name, packages, file) in libraries {
        let question = format!("-print-file-name={file}");
        let place =
            ask(&program, &[WITH_LIBRARY[0], &question], source, options).map(PathBuf::from);
        // Neither library is useful without the compiler's own runtime, which C's packages
        // partly contain.
        let found = match (place, &c_library) {
            (Ok(path), Ok(true)) if path.is_file() => Ok(Found { path, version: None }),
            _ => Err(format!("clang does not find `{file}` and its companion files")),
        };
        all.push(here(name, packages, found));
    }
    all
}

/// Returns whether there are a C library for WebAssembly and the compiler's own runtime.
fn has_library(clang: &str, source: &Path, options: &HostOptions) -> Result<bool, OpenError> {
    let [target, _] = WITH_LIBRARY;
    let mut there = true;
    for question in ["-print-file-name=libc.a", "-print-libgcc-file-name"] {
        there &= Path::new(&ask(clang, &[target, question], source, options)?).is_file();
    }
    Ok(there)
}

/// Returns the flags for the C++ library; none if there is no such library.
fn cpp_library(
    clang: &str,
    source: &Path,
    options: &HostOptions,
) -> Result<Vec<String>, OpenError> {
    let [target, _] = WITH_LIBRARY;
    if !Path::new(&ask(clang, &[target, "-print-file-name=libc++.a"], source, options)?).is_file() {
        return Ok(Vec::new());
    }
    let mut flags = vec!["-lc++".to_owned(), "-lc++abi".to_owned()];
    // Debian keeps the headers beside the compiler, which does not search there.
    let resources = PathBuf::from(ask(clang, &["-print-resource-dir"], source, options)?);
    let headers = resources.ancestors().nth(3).map(|root| root.join("include/wasm32-wasi/c++/v1"));
    if let Some(headers) = headers.filter(|headers| headers.is_dir()) {
        flags.extend(["-isystem".to_owned(), headers.to_string_lossy().into_owned()]);
    }
    Ok(flags)
}

fn ask(
    clang: &str,
    flags: &[&str],
    source: &Path,
    options: &HostOptions,
) -> Result<String, OpenError> {
    let args = flags.iter().map(Into::into).collect();
    Ok(Compiler::at(clang.to_owned(), source, options).ask(args)?.trim().to_owned())
}
