//! A rectangle of pixels.
//!
//! All painting and the layouts of viewers use it.

/// A rectangle of a frame, in pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Area {
    /// The left edge.
    pub x: i32,
    /// The upper edge.
    pub y: i32,
    /// Width.
    pub width: u32,
    /// Height.
    pub height: u32,
}

impl Area {
    /// Returns the common part of both; empty if there is none.
    pub fn intersection(self, other: Area) -> Area {
        let along = |from: i32, length: u32, other_from: i32, other_length: u32| {
            let start = from.max(other_from);
            let end = from
                .saturating_add_unsigned(length)
                .min(other_from.saturating_add_unsigned(other_length));
            (start, i64::from(end) - i64::from(start))
        };
        let (x, width) = along(self.x, self.width, other.x, other.width);
        let (y, height) = along(self.y, self.height, other.y, other.height);
        Area { x, y, width: width.max(0) as u32, height: height.max(0) as u32 }
    }

    /// Returns whether it has no pixel.
    pub fn is_empty(self) -> bool {
        self.width == 0 || self.height == 0
    }

    /// Returns the area without a border of this many pixels; empty if it is too small.
    pub fn inset(self, border: u32) -> Area {
        let (x, y) =
            (self.x.saturating_add_unsigned(border), self.y.saturating_add_unsigned(border));
        let less = |length: u32| length.saturating_sub(2 * border);
        Area { x, y, width: less(self.width), height: less(self.height) }
    }

    /// Returns whether it contains all of `other`.
    pub fn contains(self, other: Area) -> bool {
        self.intersection(other) == other
    }
}
