//! What pages share.

pub(crate) mod admin;
pub(crate) mod arena_frame;
pub(crate) mod avatar;
pub(crate) mod badge;
pub(crate) mod bot;
pub(crate) mod chart;
pub(crate) mod faults;
pub(crate) mod form;
pub(crate) mod inline;
pub(crate) mod layout;
pub(crate) mod link;
pub(crate) mod log;
pub(crate) mod match_list;
pub(crate) mod number;
pub(crate) mod paging;
pub(crate) mod seats;
pub(crate) mod sparkline;
pub(crate) mod time;
pub(crate) mod viewer;
