//! Finds the areas in which two pictures differ.
//!
//! `screen` sends a client only these areas.

use agon_paint::{Area, Frame};

/// The side of the squares in which pictures are compared, in pixels.
const SIDE: u32 = 32;

/// Returns the areas within `within` where `new` differs from `old`. They do not overlap.
///
/// `old` has the same size or is smaller; everything outside of `new` is black. Neighbours in a row
/// become one area, cut to the rows and columns that differ. So a moving figure is one small area.
pub(crate) fn damage(old: &Frame, new: &Frame, within: Area) -> Vec<Area> {
    let within = within.intersection(old.area());
    let mut areas: Vec<Area> = Vec::new();
    for y in (0..within.height).step_by(SIDE as usize) {
        let row = Area { y: within.y + y as i32, height: SIDE.min(within.height - y), ..within };
        let mut open: Option<Area> = None;
        for x in (0..within.width).step_by(SIDE as usize) {
            let tile = Area { x: within.x + x as i32, width: SIDE.min(within.width - x), ..row };
            open = match (open, differs(old, new, tile)) {
                (None, true) => Some(tile),
                (Some(area), true) => Some(Area { width: area.width + tile.width, ..area }),
                (None, false) => None,
                (Some(area), false) => {
                    areas.push(trim(old, new, area));
                    None
                }
            };
        }
        areas.extend(open.map(|area| trim(old, new, area)));
    }
    areas
}

/// Copies an area; everything outside of `from` becomes black.
pub(crate) fn copy(from: &Frame, to: &mut Frame, area: Area) {
    let area = area.intersection(to.area());
    to.fill(area, agon_paint::Rgb(0, 0, 0));
    let area = area.intersection(from.area());
    if area.is_empty() {
        return;
    }
    for y in area.y..area.y + area.height as i32 {
        let range = |frame: &Frame| {
            let start = 4 * (y as usize * frame.width() as usize + area.x as usize);
            start..start + 4 * area.width as usize
        };
        let target = range(to);
        to.data_mut()[target].copy_from_slice(&from.data()[range(from)]);
    }
}

fn differs(old: &Frame, new: &Frame, area: Area) -> bool {
    (area.y..area.y + area.height as i32).any(|y| row_differs(old, new, area, y))
}

fn row_differs(old: &Frame, new: &Frame, area: Area, y: i32) -> bool {
    let row = Area { y, height: 1, ..area };
    let seen = row.intersection(new.area());
    let pixels = |frame: &'_ Frame, area: Area| {
        let start = 4 * (y as usize * frame.width() as usize + area.x as usize);
        start..start + 4 * area.width as usize
    };
    if seen.is_empty() {
        return !is_black(&old.data()[pixels(old, row)]);
    }
    let right = Area { x: seen.x + seen.width as i32, width: row.width - seen.width, ..row };
    old.data()[pixels(old, seen)] != new.data()[pixels(new, seen)]
        || !is_black(&old.data()[pixels(old, right)])
}

fn is_black(pixels: &[u8]) -> bool {
    pixels.as_chunks::<4>().0.iter().all(|pixel| pixel[..3] == [0; 3])
}

/// Returns the part of an area that differs; there must be one.
fn trim(old: &Frame, new: &Frame, area: Area) -> Area {
    let mut rows = area.y..area.y + area.height as i32;
    let top = rows.find(|&y| row_differs(old, new, area, y)).unwrap_or(area.y);
    let bottom = rows.rfind(|&y| row_differs(old, new, area, y)).unwrap_or(top);
    let area = Area { y: top, height: (bottom - top + 1) as u32, ..area };
    let column = |x: i32| Area { x, width: 1, ..area };
    let mut columns = area.x..area.x + area.width as i32;
    let left = columns.find(|&x| differs(old, new, column(x))).unwrap_or(area.x);
    let right = columns.rfind(|&x| differs(old, new, column(x))).unwrap_or(left);
    Area { x: left, width: (right - left + 1) as u32, ..area }
}

#[cfg(test)]
mod tests {
    use agon_paint::Rgb;
    use proptest::prelude::*;

    use super::*;

    const WHITE: Rgb = Rgb(255, 255, 255);

    #[test]
    fn one_pixel_is_one_pixel() {
        let old = Frame::new(100, 70);
        let mut new = old.clone();
        assert!(damage(&old, &new, old.area()).is_empty());
        let pixel = Area { x: 97, y: 69, width: 1, height: 1 };
        new.fill(pixel, WHITE);
        assert_eq!(damage(&old, &new, old.area()), [pixel]);
        assert!(damage(&old, &new, Area { width: 97, ..old.area() }).is_empty());
    }

    #[test]
    fn neighbours_become_one() {
        let old = Frame::new(200, 40);
        let mut new = old.clone();
        let bar = Area { x: 20, y: 5, width: 60, height: 3 };
        let far = Area { x: 150, y: 20, width: 2, height: 2 };
        new.fill(bar, WHITE);
        new.fill(far, WHITE);
        assert_eq!(damage(&old, &new, old.area()), [bar, far]);
    }

    fn area() -> impl Strategy<Value = Area> {
        (-10..120i32, -10..90i32, 1..80u32, 1..60u32).prop_map(|(x, y, width, height)| Area {
            x,
            y,
            width,
            height,
        })
    }

    proptest! {
        /// A copy of the changes gives the same picture, black outside of the new one.
        #[test]
        fn copies_of_the_damage_are_the_picture(
            parts in prop::collection::vec((area(), 0..3u8), 0..6),
            before in prop::collection::vec((area(), 0..3u8), 0..6),
            size in (40..130u32, 30..100u32),
        ) {
            let painted = |mut frame: Frame, parts: &[(Area, u8)]| {
                parts.iter().for_each(|&(area, color)| frame.fill(area, Rgb(color, 0, color)));
                frame
            };
            let mut old = painted(Frame::new(110, 80), &before);
            let new = painted(Frame::new(size.0, size.1), &parts);
            let areas = damage(&old, &new, old.area());
            for (index, area) in areas.iter().enumerate() {
                let others = &areas[..index];
                prop_assert!(others.iter().all(|other| other.intersection(*area).is_empty()));
                copy(&new, &mut old, *area);
            }
            for y in 0..80 {
                for x in 0..110 {
                    let is = if x < size.0 && y < size.1 { new.pixel(x, y) } else { Rgb(0, 0, 0) };
                    prop_assert_eq!(old.pixel(x, y), is);
                }
            }
        }
    }
}
