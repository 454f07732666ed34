//! Finds the part of a picture that differs from the picture before it.
//!
//! GIF and APNG store only this part.

use agon_paint::Frame;

/// A rectangle of a picture, in pixels; never empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rect {
    pub(crate) x: u32,
    pub(crate) y: u32,
    pub(crate) width: u32,
    pub(crate) height: u32,
}

/// A picture, and its differences from the one before.
#[derive(Debug)]
pub(crate) struct Changes<'a> {
    before: Option<&'a Frame>,
    now: &'a Frame,
    /// The smallest rectangle with all differences; a single pixel if there are none.
    pub(crate) rect: Rect,
}

impl<'a> Changes<'a> {
    /// Compares two pictures of the same size; without `before` everything differs.
    pub(crate) fn between(before: Option<&'a Frame>, now: &'a Frame) -> Changes<'a> {
        let rect = match before {
            Some(before) => differing(before, now),
            None => Rect { x: 0, y: 0, width: now.width(), height: now.height() },
        };
        Changes { before, now, rect }
    }

    /// Returns the pixels of the rectangle; `None` for each unchanged one.
    pub(crate) fn pixels(&self) -> impl Iterator<Item = Option<[u8; 4]>> + '_ {
        let Rect { x, y, width, height } = self.rect;
        let all = self.now.width() as usize;
        let row = move |frame: &'a Frame, y: u32| {
            let start = y as usize * all + x as usize;
            &frame.data().as_chunks::<4>().0[start..start + width as usize]
        };
        (y..y + height).flat_map(move |y| {
            let before = self.before.map(|before| row(before, y));
            let now = row(self.now, y);
            now.iter().enumerate().map(move |(x, pixel)| {
                let same = before.is_some_and(|before| before[x] == *pixel);
                (!same).then_some(*pixel)
            })
        })
    }
}

fn differing(before: &Frame, now: &Frame) -> Rect {
    let stride = 4 * now.width() as usize;
    let rows = || before.data().chunks_exact(stride).zip(now.data().chunks_exact(stride));
    let Some(top) = rows().position(|(a, b)| a != b) else {
        return Rect { x: 0, y: 0, width: 1, height: 1 };
    };
    let bottom = rows().rposition(|(a, b)| a != b).unwrap_or(top);
    let (mut left, mut right) = (now.width() as usize, 0);
    for (a, b) in rows().skip(top).take(bottom + 1 - top) {
        let (a, b) = (a.as_chunks::<4>().0, b.as_chunks::<4>().0);
        // Only differences outside of the columns found so far can change them.
        if let Some(first) = a[..left].iter().zip(&b[..left]).position(|(a, b)| a != b) {
            left = first;
        }
        if let Some(last) = a[right..].iter().zip(&b[right..]).rposition(|(a, b)| a != b) {
            right += last;
        }
    }
    let right = right.max(left);
    Rect {
        x: left as u32,
        y: top as u32,
        width: (right + 1 - left) as u32,
        height: (bottom + 1 - top) as u32,
    }
}

#[cfg(test)]
mod tests {
    use agon_paint::{Area, Rgb};

    use super::*;

    #[test]
    fn the_rectangle_is_the_smallest() {
        let before = Frame::new(9, 7);
        assert_eq!(
            Changes::between(Some(&before), &before).rect,
            Rect { x: 0, y: 0, width: 1, height: 1 }
        );
        assert_eq!(Changes::between(None, &before).rect, Rect { x: 0, y: 0, width: 9, height: 7 });
        let dots = [(0, 0), (8, 6), (3, 2), (5, 4), (8, 0), (0, 6), (4, 3)];
        for a in dots {
            for b in dots {
                let mut now = before.clone();
                for (x, y) in [a, b] {
                    now.fill(Area { x, y, width: 1, height: 1 }, Rgb(9, 9, 9));
                }
                let changes = Changes::between(Some(&before), &now);
                let (x, y) = (a.0.min(b.0) as u32, a.1.min(b.1) as u32);
                let (width, height) = (a.0.abs_diff(b.0) + 1, a.1.abs_diff(b.1) + 1);
                assert_eq!(changes.rect, Rect { x, y, width, height }, "{a:?} {b:?}");
                let expected = if a == b { 1 } else { 2 };
                assert_eq!(changes.pixels().flatten().count(), expected);
            }
        }
    }
}
