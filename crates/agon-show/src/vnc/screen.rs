//! The picture that a client shows, and the next update for it.
//!
//! The client's writing thread asks for updates. They contain only the areas that have changed, and
//! come in parts if that is much.

use std::borrow::Cow;

use agon_view::paint::{Area, Frame, Rgb};

use crate::vnc::connection::{Job, SizeAnswer, around};
use crate::vnc::encoding::{self, Encoder};

// Reasons for a size: numbers of ExtendedDesktopSize.
const BY_SERVER: u16 = 0;
const BY_THIS_CLIENT: u16 = 1;

/// The most pixels of one update, so that the unread output stays small.
///
/// The rest of a larger picture comes with the client's next requests.
const MAX_PIXELS: u32 = 1 << 19;

/// The most unknown areas. If there are more, everything between them becomes unknown, too.
const MAX_UNKNOWN: usize = 64;

/// The screen of a client.
#[derive(Debug)]
pub(crate) struct Screen {
    /// Width and height.
    size: (u32, u32),
    /// Its picture, except for `unknown`; `None` if all of it is unknown.
    shown: Option<Frame>,
    /// Areas in which the client may show anything.
    unknown: Vec<Area>,
    encoder: Encoder,
    has_cursor: bool,
    /// Whether it knows that it may ask for another size.
    may_resize: bool,
}

impl Screen {
    /// Makes the screen of a client that knows this size and nothing else.
    pub(crate) fn new(width: u32, height: u32) -> Screen {
        let size = (width, height);
        let encoder = Encoder::default();
        Screen {
            size,
            shown: None,
            unknown: Vec::new(),
            encoder,
            has_cursor: false,
            may_resize: false,
        }
    }

    /// Returns the bytes of memory for the screen's picture.
    pub(crate) fn bytes(&self) -> usize {
        4 * self.size.0 as usize * self.size.1 as usize
    }

    /// Forgets the screen's picture, which frees its memory.
    ///
    /// The client then gets everything again.
    pub(crate) fn drop_picture(&mut self) {
        (self.shown, self.unknown) = (None, Vec::new());
    }

    /// Returns the next update for the client as a message; `None` if there is none.
    pub(crate) fn update(&mut self, job: &Job) -> Option<Vec<u8>> {
        self.encoder.set_format(job.format);
        if let Some(forced) = job.request.forced {
            self.forget(forced);
        }
        // A new size is sent alone: the rest belongs to the next update.
        let mut message = vec![0; 4];
        let mut count = u32::from(self.write_size(job, &mut message));
        if count == 0 {
            count = self.write_picture(job, &mut message);
        }
        // Areas are of 32 by 32 pixels or larger, or there are few of them.
        let count = u16::try_from(count).expect("there are less than 65536 areas");
        message[2..4].copy_from_slice(&count.to_be_bytes());
        (count > 0).then_some(message)
    }

    /// Marks an area as unknown.
    fn forget(&mut self, area: Area) {
        if let Some(shown) = &self.shown {
            let area = area.intersection(shown.area());
            self.unknown = except(&self.unknown, area);
            self.unknown.extend((!area.is_empty()).then_some(area));
        }
    }

    fn write_size(&mut self, job: &Job, to: &mut Vec<u8>) -> bool {
        let (width, height) = (job.frame.width(), job.frame.height());
        let is_other = self.size != (width, height);
        let encodings = job.encodings;
        if encodings.extended_desktop_size {
            if !is_other && self.may_resize && job.size_answer.is_none() {
                return false;
            }
            let reason = match job.size_answer {
                None => (BY_SERVER, 0),
                Some(answer) => (BY_THIS_CLIENT, answer as u16),
            };
            // A client whose request is refused keeps its size. So it must notice that another
            // size exists.
            self.may_resize = job.size_answer != Some(SizeAnswer::Invalid) || !is_other;
            encoding::extended_desktop_size(reason, width, height, to);
        } else if encodings.desktop_size && is_other {
            encoding::desktop_size(width, height, to);
        } else {
            return false;
        }
        if is_other && job.size_answer != Some(SizeAnswer::Invalid) {
            self.size = (width, height);
            self.drop_picture();
        }
        true
    }

    fn write_picture(&mut self, job: &Job, to: &mut Vec<u8>) -> u32 {
        let within = job.request.within;
        let now = in_size(&job.frame, self.size);
        let mut count = 0;
        if job.encodings.cursor && !self.has_cursor {
            self.encoder.cursor((0, 0), ARROW[0].len(), &arrow(), to);
            self.has_cursor = true;
            count += 1;
        }
        let shown = self.shown.get_or_insert_with(|| {
            let shown = Frame::new(self.size.0, self.size.1);
            self.unknown = vec![shown.area()];
            shown
        });
        let mut left = MAX_PIXELS;
        let mut tell = |shown: &mut Frame, area: Area| {
            shown.copy(&now, area, (area.x, area.y));
            self.encoder.rectangle(&now, area, job.encodings.best, to);
            left = left.saturating_sub(area.width * area.height);
            count += 1;
            left
        };
        while let Some(area) =
            self.unknown.iter().map(|area| area.intersection(within)).find(is_some)
        {
            // At least a row, so that it comes to an end.
            let height = area.height.min((MAX_PIXELS / area.width).max(1));
            let area = Area { height, ..area };
            self.unknown = except(&self.unknown, area);
            if tell(shown, area) == 0 {
                return count;
            }
        }
        for area in damage(shown, &now, within) {
            if tell(shown, area) == 0 {
                break;
            }
        }
        count
    }
}

/// Returns the picture for a client of this size: with another, fixed size it sees the upper left
/// part, or black beside the picture.
fn in_size(frame: &Frame, (width, height): (u32, u32)) -> Cow<'_, Frame> {
    if (frame.width(), frame.height()) == (width, height) {
        return Cow::Borrowed(frame);
    }
    let mut seen = Frame::new(width, height);
    seen.copy(frame, frame.area(), (0, 0));
    Cow::Owned(seen)
}

fn is_some(area: &Area) -> bool {
    !area.is_empty()
}

/// Returns the rest of some areas without `hole`, in rows from above.
fn except(areas: &[Area], hole: Area) -> Vec<Area> {
    let mut left = Vec::with_capacity(areas.len());
    for &area in areas {
        let hole = hole.intersection(area);
        if hole.is_empty() {
            left.push(area);
            continue;
        }
        let rows = |from: i32, to: i32| Area { y: from, height: (to - from) as u32, ..area };
        let top = hole.y;
        let bottom = hole.y + hole.height as i32;
        let right = hole.x + hole.width as i32;
        let end = area.x + area.width as i32;
        let beside = rows(top, bottom);
        let parts = [
            rows(area.y, top),
            Area { width: (hole.x - area.x) as u32, ..beside },
            Area { x: right, width: (end - right) as u32, ..beside },
            rows(bottom, area.y + area.height as i32),
        ];
        left.extend(parts.into_iter().filter(is_some));
    }
    if left.len() > MAX_UNKNOWN {
        left = left.into_iter().reduce(around).into_iter().collect();
    }
    left
}

/// The side of the squares in which pictures are compared, in pixels.
const SIDE: u32 = 32;

/// Returns the areas within `within` where two pictures of the same size differ. They do not
/// overlap.
///
/// Neighbours in a row become one area, cut to the rows and columns that differ. So a moving figure
/// is one small area.
fn damage(old: &Frame, new: &Frame, within: Area) -> Vec<Area> {
    let within = within.intersection(old.area());
    let mut areas: Vec<Area> = Vec::new();
    for y in (0..within.height).step_by(SIDE as usize) {
        let row = Area { y: within.y + y as i32, height: SIDE.min(within.height - y), ..within };
        let tiles = (0..within.width).step_by(SIDE as usize).map(|x| {
            let tile = Area { x: within.x + x as i32, width: SIDE.min(within.width - x), ..row };
            (tile, new.difference(old, tile).is_some())
        });
        let tiles: Vec<(Area, bool)> = tiles.collect();
        for run in tiles.chunk_by(|one, next| one.1 && next.1).filter(|run| run[0].1) {
            let width = run.iter().map(|(tile, _)| tile.width).sum();
            areas.extend(new.difference(old, Area { width, ..run[0].0 }));
        }
    }
    areas
}

/// The pointer, for clients that draw it themselves.
///
/// `#` is black, `.` is white, the rest is invisible. The upper left pixel is the point.
const ARROW: [&str; 16] = [
    "#          ",
    "##         ",
    "#.#        ",
    "#..#       ",
    "#...#      ",
    "#....#     ",
    "#.....#    ",
    "#......#   ",
    "#.......#  ",
    "#........# ",
    "#.....#####",
    "#..#..#    ",
    "#.# #..#   ",
    "##  #..#   ",
    "#    #..#  ",
    "      ##   ",
];

/// Returns the arrow's pixels, row by row.
fn arrow() -> Vec<Option<Rgb>> {
    let pixel = |byte| match byte {
        b'#' => Some(Rgb(0, 0, 0)),
        b'.' => Some(Rgb(255, 255, 255)),
        _ => None,
    };
    ARROW.iter().flat_map(|row| row.bytes()).map(pixel).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::vnc::connection::UpdateRequest;
    use crate::vnc::encoding::{Encodings, PixelFormat};

    fn job(frame: &Frame, forced: bool, encodings: Encodings) -> Job {
        let within = Area { x: 0, y: 0, width: 65535, height: 65535 };
        let request = UpdateRequest { within, forced: forced.then_some(within) };
        let frame = Arc::new(frame.clone());
        Job { frame, request, format: PixelFormat::default(), encodings, size_answer: None }
    }

    /// Returns an update's number of rectangles, and place and encoding of the first one.
    fn first(message: &[u8]) -> ([u16; 4], i32, u16) {
        let number = |at: usize| u16::from_be_bytes([message[at], message[at + 1]]);
        let encoding = i32::from_be_bytes(message[12..16].try_into().unwrap());
        ([number(4), number(6), number(8), number(10)], encoding, number(2))
    }

    #[test]
    fn only_what_has_changed_is_told() {
        let mut frame = Frame::new(100, 50);
        let mut screen = Screen::new(100, 50);
        let all = screen.update(&job(&frame, false, Encodings::default())).unwrap();
        assert_eq!((first(&all), all.len()), (([0, 0, 100, 50], 0, 1), 16 + 4 * 5000));
        assert_eq!(screen.update(&job(&frame, false, Encodings::default())), None);
        frame.fill(Area { x: 3, y: 4, width: 2, height: 1 }, Rgb(1, 2, 3));
        let change = screen.update(&job(&frame, false, Encodings::default())).unwrap();
        assert_eq!(first(&change), ([3, 4, 2, 1], 0, 1));
        assert_eq!(change[16..], [3, 2, 1, 0, 3, 2, 1, 0]);
        let again = screen.update(&job(&frame, true, Encodings::default())).unwrap();
        assert_eq!(first(&again).0, [0, 0, 100, 50]);
    }

    #[test]
    fn another_size_is_told_as_clients_know_it() {
        let encodings = |numbers: &[i32]| {
            let mut encodings = Encodings::default();
            numbers.iter().for_each(|&number| encodings.add(number));
            encodings
        };
        let (none, plain, extended) =
            (encodings(&[]), encodings(&[-223]), encodings(&[-223, -308]));
        let (larger, smaller) = (Frame::new(120, 60), Frame::new(80, 50));
        let (invalid, done) = (Some(SizeAnswer::Invalid), Some(SizeAnswer::Done));
        let mut screen = Screen::new(100, 50);
        for (number, (frame, encodings, size_answer, expected)) in [
            // Without resizing: the client sees only the part that fits.
            (&larger, none, None, Some(([0, 0, 100, 50], 0, 1))),
            // DesktopSize, then everything.
            (&larger, plain, None, Some(([0, 0, 120, 60], -223, 1))),
            (&larger, plain, None, Some(([0, 0, 120, 60], 0, 1))),
            // ExtendedDesktopSize is sent at once, so that the client knows that it may ask.
            (&larger, extended, None, Some(([0, 0, 120, 60], -308, 1))),
            (&larger, extended, None, None),
            (&larger, extended, invalid, Some(([1, 3, 120, 60], -308, 1))),
            (&larger, extended, None, None),
            (&smaller, extended, done, Some(([1, 0, 80, 50], -308, 1))),
            (&smaller, extended, done, Some(([1, 0, 80, 50], -308, 1))),
            (&smaller, extended, None, Some(([0, 0, 80, 50], 0, 1))),
        ]
        .into_iter()
        .enumerate()
        {
            let job = Job { size_answer, ..job(frame, false, encodings) };
            let update = screen.update(&job);
            assert_eq!(update.as_deref().map(first), expected, "job {number}");
            // A description of the only screen, and nothing else.
            let is_description = expected.is_some_and(|(_, encoding, _)| encoding == -308);
            assert!(!is_description || update.unwrap().len() == 36, "job {number}");
        }
    }

    #[test]
    fn a_large_picture_is_told_in_parts() {
        let mut frame = Frame::new(4096, 2304);
        let mut screen = Screen::new(4096, 2304);
        let mut rows = 0;
        while let Some(part) = screen.update(&job(&frame, false, Encodings::default())) {
            assert!(part.len() <= 4 * MAX_PIXELS as usize + 100, "{}", part.len());
            let ([x, y, width, height], _, _) = first(&part);
            assert_eq!((x, y, width), (0, rows, 4096));
            rows += height;
        }
        assert_eq!(rows, 2304);
        frame.fill(frame.area(), Rgb(1, 2, 3));
        let mut areas = 0;
        while let Some(part) = screen.update(&job(&frame, false, Encodings::default())) {
            assert!(part.len() <= 4 * (MAX_PIXELS as usize + 4096 * 32) + 1000, "{}", part.len());
            areas += first(&part).2;
        }
        assert_eq!(areas, 2304 / 32);
        screen.drop_picture();
        assert_eq!(
            first(&screen.update(&job(&frame, false, Encodings::default())).unwrap()).0[..2],
            [0, 0]
        );
    }

    #[test]
    fn who_asks_for_a_part_gets_that_part_once() {
        let frame = Frame::new(3000, 1000);
        let mut screen = Screen::new(3000, 1000);
        let within = Area { x: 10, y: 20, width: 2000, height: 900 };
        let job = || {
            let job = job(&frame, false, Encodings::default());
            Job { request: UpdateRequest { within, forced: None }, ..job }
        };
        let mut pixels = 0;
        while let Some(part) = screen.update(&job()) {
            // Each rectangle starts with twelve bytes, after the four of the update.
            pixels += (part.len() - 4 - 12 * usize::from(first(&part).2)) / 4;
        }
        assert_eq!(pixels, 2000 * 900);
    }

    #[test]
    fn holes_are_cut_out() {
        let area = |x, y, width, height| Area { x, y, width, height };
        let whole = [area(0, 0, 10, 10)];
        assert_eq!(except(&whole, area(0, 0, 10, 4)), [area(0, 4, 10, 6)]);
        assert_eq!(except(&whole, area(0, 0, 20, 20)), []);
        assert_eq!(except(&whole, area(20, 0, 1, 1)), whole);
        let around = [area(0, 0, 10, 3), area(0, 3, 2, 4), area(5, 3, 5, 4), area(0, 7, 10, 3)];
        assert_eq!(except(&whole, area(2, 3, 3, 4)), around);
        let mut many = whole.to_vec();
        for x in 0..100 {
            many = except(
                &[many, vec![area(20 * x, 40, 10, 10)]].concat(),
                area(20 * x + 2, 42, 2, 2),
            );
            assert!(many.len() <= MAX_UNKNOWN + 4, "{}", many.len());
        }
    }

    #[test]
    fn changes_become_few_and_small_areas() {
        let old = Frame::new(200, 70);
        let mut new = old.clone();
        assert!(damage(&old, &new, old.area()).is_empty());
        let areas = [(20, 5, 60, 3), (150, 20, 2, 2), (197, 69, 1, 1)];
        let areas = areas.map(|(x, y, width, height)| Area { x, y, width, height });
        areas.iter().for_each(|&area| new.fill(area, Rgb(255, 255, 255)));
        assert_eq!(damage(&old, &new, old.area()), areas);
        assert_eq!(damage(&old, &new, Area { width: 150, ..old.area() }), areas[..1]);
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
        /// A copy of the changes gives the same picture.
        #[test]
        fn copies_of_the_damage_are_the_picture(
            parts in prop::collection::vec((area(), 0..3u8), 0..6),
            before in prop::collection::vec((area(), 0..3u8), 0..6),
        ) {
            let painted = |mut frame: Frame, parts: &[(Area, u8)]| {
                parts.iter().for_each(|&(area, color)| frame.fill(area, Rgb(color, 0, color)));
                frame
            };
            let mut old = painted(Frame::new(110, 80), &before);
            let new = painted(Frame::new(110, 80), &parts);
            let areas = damage(&old, &new, old.area());
            for (index, area) in areas.iter().enumerate() {
                let others = &areas[..index];
                prop_assert!(others.iter().all(|other| other.intersection(*area).is_empty()));
                old.copy(&new, *area, (area.x, area.y));
            }
            prop_assert!(old == new);
        }
    }
}
