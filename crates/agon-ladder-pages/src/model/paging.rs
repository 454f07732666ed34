//! Long lists in pages.

/// Which page of a list this is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Paging {
    /// The number of this page, from 1.
    pub page: u64,
    /// The number of pages; 0 or 1 shows no links.
    pub pages: u64,
    /// The number of entries in all pages.
    pub total: u64,
    /// Other parameters that links keep, encoded, such as `tab=published&q=fox`; empty if none.
    pub query: String,
}
