//! `agon-package`: writes packages of a tree of files that was laid out for them.
//!
//! The tree has the form of `/usr`: `bin/agon`, `libexec/agon/agon-wasm-host` and so on.
//! `cargo xtask package` builds the programs, lays out the tree and calls this program, once for
//! each kind of package. The same tree gives the same bytes.

mod archive;
mod deb;
mod licences;
mod oci;
mod release;
mod tree;
mod wheel;

use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, Parser, Subcommand};

use crate::{release::Release, tree::Tree};

#[derive(Parser)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Write an archive to unpack anywhere.
    Tar(PackageArgs),
    /// Write a package for Debian and systems like it.
    Deb(PackageArgs),
    /// Write a wheel for pip.
    Wheel(PackageArgs),
    /// Write an image for containers.
    Oci {
        #[command(flatten)]
        package: PackageArgs,
        /// The files below Agon, as a tar: a system with what bots need.
        #[arg(long)]
        base: PathBuf,
    },
    /// Write the licences of all libraries in the programs to a file.
    Licences {
        /// The packages of the workspace whose programs are packaged.
        #[arg(long, required = true)]
        of: Vec<String>,
        /// The file.
        file: PathBuf,
    },
}

#[derive(Args)]
struct PackageArgs {
    /// The tree.
    tree: PathBuf,
    /// The folder for the package.
    to: PathBuf,
    #[command(flatten)]
    release: Release,
}

fn main() -> Result<()> {
    let written = match Cli::parse().command {
        Command::Tar(PackageArgs { tree, to, release }) => {
            archive::write(&Tree::read(&tree)?, &release, &to)?
        }
        Command::Deb(PackageArgs { tree, to, release }) => {
            deb::write(&Tree::read(&tree)?, &release, &to)?
        }
        Command::Wheel(PackageArgs { tree, to, release }) => {
            wheel::write(&Tree::read(&tree)?, &release, &to)?
        }
        Command::Oci { package: PackageArgs { tree, to, release }, base } => {
            oci::write(&Tree::read(&tree)?, &base, &release, &to)?
        }
        Command::Licences { of, file } => licences::write(&of, &file)?,
    };
    eprintln!("{}", written.display());
    Ok(())
}
