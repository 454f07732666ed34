//! `/admin/log`: what was done, and by whom.

use maud::{Markup, html};

use crate::{
    model::{AuditLog, Context},
    parts::layout::page,
};

/// Writes the page `/admin/log`: what was done, and by whom.
pub fn audit_log(context: &Context, model: &AuditLog) -> Markup {
    let _ = model;
    page(context, "audit_log", html! { h1 { "audit_log" } })
}
