//! The JSON API below `/api/v1`.
//!
//! `routes` is the table of all routes. It registers the handlers, and the OpenAPI document is made
//! of it: path, query, request and reply of a route are the types of its handler.
//!
//! | module | contents |
//! | --- | --- |
//! | `gate` | what holds for all requests: who asks, limits, headers, failures as problems |
//! | `route` | a route: its handler, what the document says of it, and its `Idempotency-Key` |
//! | `call` | what a handler gets and returns |
//! | `routes` | all routes |
//! | `prelude` | what most handlers use |
//! | others | handlers, a module for each area |

mod arenas;
mod bots;
mod call;
mod events;
mod export;
mod gate;
mod matches;
mod prelude;
mod route;
mod routes;
mod server;

pub(super) use gate::{gate, is_below, unless_known};
pub(super) use routes::router;
