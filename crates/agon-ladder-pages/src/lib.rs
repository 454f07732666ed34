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
//! | [`guide`] | plain texts for programs that read: `agents.txt` |
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
//! | `A/hand-in` (multipart) | `way`, `message`, `name` (new bots only) |
//! | … with `way` = `editor` | `language`, `code`, `file`: the name of the file |
//! | … with `way` = `files` | `files`, `folder`: 0 or more files each; file names are paths |
//! | `A/try` (multipart) | the fields of `A/hand-in` with `way` = `editor`, and `opponent` |
//! | `A/tries/{id}/hand-in` | `message`, `name` (new bots only) |
//! | `A/matches/{n}/check` | |
//! | `A/matches/{n}/annul` | `reason` |
//! | `A/matches/{n}/restore` | |
//! | `/admin/arenas/{arena}/extensions` | `name`, `until`, `until_zone` |
//! | `B/activate` | `version` |
//! | `B/rename` | `name` |
//! | `B/compare` | `a`, `b`: versions |
//! | `B/pause`, `B/resume`, `B/reinstate` | |
//! | `B/disqualify` | `reason` |
//! | `/admin/people/{name}/role` | `role` |
//! | `/admin/people/{name}/reset`, `…/disable`, `…/enable` | |
//! | `/admin/people/upload` (multipart) | `list`: a CSV file; `public` |
//! | `/admin/invitations` | `role`, `uses`, `days`, `note` |
//! | `/admin/invitations/{code}/withdraw` | |
//! | `/admin/arenas/new`, `/admin/arenas/{arena}` | those of [`ArenaValues`](model::ArenaValues) |
//! | `/admin/arenas/{arena}/publish`, `…/pause`, `…/resume`, `…/finish` | |
//!
//! # Parameters
//!
//! Pages link to these addresses, besides those of the pages themselves:
//!
//! | address | meaning |
//! | --- | --- |
//! | `A?tab=published` | the published table |
//! | `A?q=`, `/admin/people?q=`, `/admin/log?q=` | search |
//! | `?page=` | a page of a long list, from 1 |
//! | `A/matches?bot=&against=&faults=` | matches of a bot, by its slug; against another; with faults |
//! | `A/matches?before=` | a page of a list of a bot or with faults: matches before this one |
//! | `A/matches/{n}?turn=` | the viewer starts at this turn |
//! | `A/hand-in?language=` | the editor with a starter kit |
//! | `A/hand-in?try=` | the editor with the code of a trial match |
//! | `/sign-in?next=` | the path to return to; check that it begins with one `/` |
//! | `A/events` | server-sent events; an event `table` makes pages fetch themselves again |
//! | `A/matches/{n}/replay.agon`, `/viewer/?replay=&turn=` | replay and viewer |
//! | `/admin/arenas/{arena}/grades.csv` | grades |
//!
//! # Headers
//!
//! Pages need nothing that [`POLICY`] forbids. The page of the viewer itself, `/viewer/`, needs a
//! policy of its own with `frame-ancestors 'self'` and `script-src 'self' 'wasm-unsafe-eval'`.

pub mod files;
pub mod guide;
pub mod model;
pub mod pages;
mod parts;

pub use files::{FILES, StaticFile};
pub use parts::avatar::{avatar, avatar_svg};

/// The `Content-Security-Policy` that all pages fit.
pub const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' \
                          data:; connect-src 'self'; frame-src 'self'; form-action 'self'; \
                          base-uri 'none'; frame-ancestors 'none'";
