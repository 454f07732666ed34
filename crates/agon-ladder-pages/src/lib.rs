//! The HTML pages of a ladder server, as pure functions from view models to HTML.
//!
//! No I/O, no clock. A server fills a struct of [`model`], and passes it with a
//! [`Context`](model::Context) to a function of [`pages`].
//!
//! | module | contents |
//! | --- | --- |
//! | [`model`] | view models: plain structs that a server fills |
//! | [`pages`] | a module for each page: from a model to a whole HTML document |
//! | `parts` | what pages share: layout, tables, forms, charts, avatars, times, numbers |
//! | [`files`] | static files: style, script, icon |
//!
//! # Forms
//!
//! All forms are sent with POST, and carry the field `csrf`. `A` is `/arenas/{arena}`, `B` is
//! `A/bots/{slug}`. Forms with files, and those with code, are `multipart/form-data`.
//!
//! | address | fields |
//! | --- | --- |
//! | `/sign-in` | `name`, `password`, `next` |
//! | `/sign-out` | |
//! | `/join/{code}` | `name`, `password` |
//! | `/reset/{code}` | `password` |
//! | `/account/password` | `old`, `password` |
//! | `/account/sessions/{id}/sign-out`, `/account/sessions/sign-out-others` | |
//! | `A/hand-in` (multipart) | `way` = `editor`: `language`, `code`, `file`; `way` = `files`: `files`, `folder` (0 or more files each, names are paths); both: `message`, `name` (new bots only) |
//! | `A/try` (multipart) | the fields of `A/hand-in` with `way` = `editor`, and `opponent` |
//! | `A/tries/{id}/hand-in` | `message`, `name` (new bots only) |
//! | `A/matches/{n}/check` | |
//! | `A/matches/{n}/annul` | `reason` |
//! | `B/activate` | `version` |
//! | `B/rename` | `name` |
//! | `B/compare` | `a`, `b`: versions |
//! | `B/pause`, `B/resume`, `B/reinstate` | |
//! | `B/disqualify` | `reason` |
//! | `/admin/people/{name}/role` | `role` |
//! | `/admin/people/{name}/reset`, `/admin/people/{name}/disable`, `/admin/people/{name}/enable` | |
//! | `/admin/people/upload` (multipart) | `list`: a CSV file |
//! | `/admin/invitations` | `role`, `uses`, `days`, `note` |
//! | `/admin/invitations/{code}/withdraw` | |
//! | `/admin/arenas/new`, `/admin/arenas/{arena}` | see [`ArenaValues`](model::ArenaValues); `language` and `boss` repeat |
//! | `/admin/arenas/{arena}/publish`, `/admin/arenas/{arena}/pause`, `/admin/arenas/{arena}/resume`, `/admin/arenas/{arena}/finish` | |
//!
//! # Headers
//!
//! Pages need nothing that [`POLICY`] forbids. The page of the viewer itself, `/viewer/`, needs a
//! policy of its own with `frame-ancestors 'self'` and `script-src 'self' 'wasm-unsafe-eval'`.

pub mod files;
pub mod model;
pub mod pages;
mod parts;

pub use files::{FILES, StaticFile};
pub use parts::avatar::{avatar, avatar_svg};

/// The `Content-Security-Policy` that all pages fit.
pub const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' \
                          data:; connect-src 'self'; frame-src 'self'; form-action 'self'; \
                          base-uri 'none'; frame-ancestors 'none'";
