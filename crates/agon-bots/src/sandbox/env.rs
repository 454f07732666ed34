//! Chooses the environment variables of a confined program: those that runtimes need, and no
//! secrets.

use std::ffi::OsString;

/// Variables that are passed on.
const NAMES: [&str; 16] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "LANG",
    "LANGUAGE",
    "TZ",
    "CLASSPATH",
    "GOROOT",
    "GOMAXPROCS",
    "VIRTUAL_ENV",
    "LD_LIBRARY_PATH",
    "RUST_BACKTRACE",
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
];

/// Prefixes of the names of variables that are passed on, unless they sound like secrets.
const BEGINNINGS: [&str; 20] = [
    "LC_", "AGON_", "PYTHON", "PYENV_", "NODE_", "NVM_", "JAVA_", "JDK_", "DOTNET_", "MONO_",
    "RUBY", "GEM_", "PERL", "LUA_", "GUILE_", "CONDA_", "ASDF_", "MISE_", "SDKMAN_", "ASAN_",
];

/// Parts of the names of variables that are not passed on.
const SECRETS: [&str; 7] = ["TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "AUTH", "KEY"];

/// Returns the environment of a confined program.
pub(super) fn passed_on(
    all: impl Iterator<Item = (OsString, OsString)>,
) -> Vec<(OsString, OsString)> {
    let mut env: Vec<_> = all.filter(|(name, _)| name.to_str().is_some_and(is_passed_on)).collect();
    env.push(("TMPDIR".into(), "/tmp".into()));
    env
}

fn is_passed_on(name: &str) -> bool {
    let usual =
        NAMES.contains(&name) || BEGINNINGS.iter().any(|beginning| name.starts_with(beginning));
    usual && !SECRETS.iter().any(|secret| name.contains(secret))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_stay_at_home() {
        let all = [
            "PATH",
            "AWS_SECRET_ACCESS_KEY",
            "NODE_AUTH_TOKEN",
            "PYTHONPATH",
            "SSH_AUTH_SOCK",
            "TMPDIR",
        ];
        let env = passed_on(all.into_iter().map(|name| (name.into(), "x".into())));
        let names: Vec<_> = env.iter().map(|(name, _)| name.to_str().unwrap()).collect();
        assert_eq!(names, ["PATH", "PYTHONPATH", "TMPDIR"]);
        assert_eq!(env[2].1, "/tmp");
    }
}
