//! What pages share.

pub(crate) mod avatar;
pub(crate) mod layout;
