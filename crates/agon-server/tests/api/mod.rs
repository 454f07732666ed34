//! The JSON API.

mod document;
mod journey;
mod standards;
