//! The JSON API below `/api/v1`.
//!
//! `routes` is the table of all routes. It registers the handlers, and the OpenAPI document is made
//! of it: path, query, request and reply of a route are the types of its handler.
//!
//! | module | contents |
//! | --- | --- |
//! | `gate` | what holds for all requests: who asks, limits, headers, failures as problems |
//! | `caller` | who asks, and what the token allows |
//! | `route` | a route: its handler, and what the document says of it |
//! | `call`, `body`, `reply` | what a handler gets and returns |
//! | `routes`, `openapi` | all routes; the document |
//! | `failures` | failures that many handlers share |
//! | `cursor`, `idempotency` | pages of lists; the same reply to the same request |
//! | others | handlers, a module for each area |

mod admin;
mod arenas;
mod body;
mod bots;
mod call;
mod caller;
mod cursor;
mod events;
mod export;
mod export_rows;
mod failures;
mod gate;
mod hand_in;
mod idempotency;
mod matches;
mod openapi;
mod reply;
mod route;
mod routes;
mod server;
mod tables;
mod tokens;
mod versions;

pub(super) use gate::{gate, is_below};
pub(super) use routes::router;
