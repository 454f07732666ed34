//! Two versions of a bot to compare. The tuner hands them out, and `agon tune` plays them.

/// Two versions of a bot to compare; values are in steps of the parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Duel {
    /// Its number, from 0.
    pub number: u64,
    /// The values of the one version.
    pub plus: Vec<i64>,
    /// The values of the other version.
    pub minus: Vec<i64>,
    /// Whether each value of `plus` was meant to be greater than that of `minus`.
    pub(crate) up: Vec<bool>,
}
