//! Reports: their numbers, files and pages.

mod common;
mod dom;
mod files;
mod numbers;
mod page;
mod workers;
