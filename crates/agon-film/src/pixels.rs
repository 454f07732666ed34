//! The size of a picture, as error messages show it: `640x480`.

use std::fmt;

/// The size of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pixels(pub u32, pub u32);

impl fmt::Display for Pixels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.0, self.1)
    }
}
