//! What a client has on its screen, and what it must be told to see what is there now.

use agon_paint::{Area, Frame};

use crate::{
    cursor,
    damage::{copy, damage},
    encoding::{self, Encoder},
    mailbox::{Job, SizeAnswer, around},
};

// Why a size is told: numbers of ExtendedDesktopSize.
const BY_SERVER: u16 = 0;
const BY_THIS_CLIENT: u16 = 1;

/// The screen of a client.
#[derive(Debug)]
pub(crate) struct Screen {
    /// What it shows, but for `unknown`.
    shown: Frame,
    /// Where the client has nothing to be relied on.
    unknown: Option<Area>,
    encoder: Encoder,
    has_cursor: bool,
    /// Whether it knows that it may ask for another size.
    may_resize: bool,
}

impl Screen {
    /// The screen of a client that was told this size, and nothing else.
    pub(crate) fn new(width: u32, height: u32) -> Screen {
        let shown = Frame::new(width, height);
        let unknown = Some(shown.area());
        Screen { shown, unknown, encoder: Encoder::default(), has_cursor: false, may_resize: false }
    }

    /// The update that a client is to get, as a message; `None` if there is nothing to be told.
    pub(crate) fn update(&mut self, job: &Job) -> Option<Vec<u8>> {
        self.encoder.set_format(job.format);
        if let Some(anew) = job.wish.anew {
            self.forget(anew);
        }
        // A new size stands alone: what follows belongs to the next update.
        let mut message = vec![0; 4];
        let mut count = u32::from(self.tell_size(job, &mut message));
        if count == 0 {
            count = self.tell_picture(job, &mut message);
        }
        // Areas are of 32 by 32 pixels or larger, or there are fewer of them.
        let count = u16::try_from(count).expect("there are less than 65536 areas");
        message[2..4].copy_from_slice(&count.to_be_bytes());
        (count > 0).then_some(message)
    }

    /// The client does not know any more what is there.
    fn forget(&mut self, area: Area) {
        let area = area.intersection(self.shown.area());
        if !area.is_empty() {
            self.unknown = Some(self.unknown.map_or(area, |unknown| around(unknown, area)));
        }
    }

    fn tell_size(&mut self, job: &Job, to: &mut Vec<u8>) -> bool {
        let (width, height) = (job.frame.width(), job.frame.height());
        let is_other = (self.shown.width(), self.shown.height()) != (width, height);
        let encodings = job.encodings;
        if encodings.extended_desktop_size {
            if !is_other && self.may_resize && job.size_answer.is_none() {
                return false;
            }
            let reason = match job.size_answer {
                None => (BY_SERVER, 0),
                Some(answer) => (BY_THIS_CLIENT, answer as u16),
            };
            // A client whose wish is refused keeps its size, so it must not miss that there is another.
            self.may_resize = job.size_answer != Some(SizeAnswer::Invalid) || !is_other;
            encoding::extended_desktop_size(reason, width, height, to);
        } else if encodings.desktop_size && is_other {
            encoding::desktop_size(width, height, to);
        } else {
            // Who cannot do with another size sees the upper left part, or black beside it.
            return false;
        }
        if is_other && job.size_answer != Some(SizeAnswer::Invalid) {
            self.shown = Frame::new(width, height);
            self.unknown = Some(self.shown.area());
        }
        true
    }

    fn tell_picture(&mut self, job: &Job, to: &mut Vec<u8>) -> u32 {
        let within = job.wish.within;
        let mut count = 0;
        if job.encodings.cursor && !self.has_cursor {
            self.encoder.cursor((0, 0), cursor::WIDTH, &cursor::pixels(), to);
            self.has_cursor = true;
            count += 1;
        }
        let mut tell = |shown: &mut Frame, area: Area| {
            copy(&job.frame, shown, area);
            self.encoder.rectangle(&job.frame, area, job.encodings.best, to);
            count += 1;
        };
        let unknown = self.unknown.map(|area| area.intersection(within)).filter(|area| !area.is_empty());
        if let Some(area) = unknown {
            tell(&mut self.shown, area);
            self.unknown = self.unknown.filter(|&unknown| unknown != area);
        }
        for area in damage(&self.shown, &job.frame, within) {
            tell(&mut self.shown, area);
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use agon_paint::Rgb;

    use super::*;
    use crate::{encoding::Encodings, mailbox::Wish, pixel::PixelFormat};

    fn job(frame: &Frame, anew: bool, encodings: Encodings) -> Job {
        let within = Area { x: 0, y: 0, width: 65535, height: 65535 };
        let wish = Wish { within, anew: anew.then_some(within) };
        let frame = Arc::new(frame.clone());
        Job { frame, wish, format: PixelFormat::default(), encodings, size_answer: None }
    }

    /// Where the first rectangle of an update is, its encoding, and how many there are.
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
        let larger = Frame::new(120, 60);
        // Not at all: only what fits.
        let mut screen = Screen::new(100, 50);
        assert_eq!(first(&screen.update(&job(&larger, false, encodings(&[]))).unwrap()).0, [0, 0, 100, 50]);
        // DesktopSize, then everything.
        let plain = encodings(&[-223]);
        assert_eq!(first(&screen.update(&job(&larger, false, plain)).unwrap()), ([0, 0, 120, 60], -223, 1));
        assert_eq!(first(&screen.update(&job(&larger, false, plain)).unwrap()), ([0, 0, 120, 60], 0, 1));
        // ExtendedDesktopSize is told at once, so that the client knows that it may ask.
        let extended = encodings(&[-223, -308]);
        let told = screen.update(&job(&larger, false, extended)).unwrap();
        assert_eq!((first(&told), told.len()), (([0, 0, 120, 60], -308, 1), 36));
        assert_eq!(screen.update(&job(&larger, false, extended)), None);
        let refused = Job { size_answer: Some(SizeAnswer::Invalid), ..job(&larger, false, extended) };
        assert_eq!(first(&screen.update(&refused).unwrap()), ([1, 3, 120, 60], -308, 1));
        assert_eq!(screen.update(&job(&larger, false, extended)), None);
        let done = Job { size_answer: Some(SizeAnswer::Done), ..job(&Frame::new(80, 50), false, extended) };
        assert_eq!(first(&screen.update(&done).unwrap()), ([1, 0, 80, 50], -308, 1));
        assert_eq!(first(&screen.update(&done).unwrap()).1, -308);
        let then = screen.update(&job(&Frame::new(80, 50), false, extended)).unwrap();
        assert_eq!(first(&then), ([0, 0, 80, 50], 0, 1));
    }
}
