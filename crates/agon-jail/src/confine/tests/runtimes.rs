//! Runtimes of languages, confined.
