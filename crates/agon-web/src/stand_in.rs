use std::time::Duration;
use agon_core::Game;
use agon_games::{with_game, GameId};
use agon_paint::{Area, Frame, Rgb};
use agon_replay::Replay;
use agon_view::*;

pub(crate) fn open(replay: &Replay) -> Result<Box<dyn App>, ReelError> {
    let game: GameId = replay.header().game.parse().expect("x");
    Ok(with_game!(game, G => viewer::<G>(FileReel::<G>::new(replay)?)))
}
pub(crate) fn viewer<G: Game>(reel: impl Reel<G> + 'static) -> Box<dyn App> {
    Box::new(Stand { reel: Box::new(reel), playing: false, next: Duration::ZERO, at: (0.0, 0.0), selection: None, size: (1, 1) })
}
struct Stand<G: Game> { reel: Box<dyn Reel<G>>, playing: bool, next: Duration, at: (f32, f32), selection: Option<u32>, size: (u32, u32) }
impl<G: Game> App for Stand<G> {
    fn title(&self) -> String { format!("{} – Agon", G::META.id) }
    fn input(&mut self, input: Input) -> Redraw {
        match input {
            Input::Key(Key::Char(' ')) => self.playing = !self.playing,
            Input::Key(Key::Right) => { let _ = self.reel.advance(); }
            Input::Key(Key::End) => { let n = self.reel.steps(); let _ = self.reel.seek(n); }
            Input::Key(Key::Home) => { let _ = self.reel.seek(0); }
            Input::Move { x, y } => { self.at = (x, y); return Redraw::No; }
            Input::Press(Button::Left) => {
                let n = (self.at.0 / self.size.0 as f32 * 16.0) as u32 + 16 * (self.at.1 / self.size.1 as f32 * 16.0) as u32;
                self.selection = Some(n);
            }
            _ => return Redraw::No,
        }
        Redraw::Yes
    }
    fn tick(&mut self, now: Duration) -> Redraw {
        if !self.playing || now < self.next { return Redraw::No; }
        self.next = now + Duration::from_millis(50);
        if !self.reel.advance().unwrap_or(false) { self.playing = false; }
        Redraw::Yes
    }
    fn idle(&self) -> Option<Duration> { if self.playing { Some(Duration::ZERO) } else { None } }
    fn paint(&mut self, frame: &mut Frame) {
        frame.fill(frame.area(), Rgb(14, 17, 23));
        self.size = (frame.width(), frame.height());
        let hash = self.reel.game().state_hash();
        let (w, h) = (frame.width() / 8, frame.height() / 8);
        for i in 0..64 {
            if hash >> i & 1 == 1 { frame.fill(Area { x: (i % 8 * w) as i32, y: (i / 8 * h) as i32, width: w - 2, height: h - 2 }, Rgb(0, 114, 178)); }
        }
    }
    fn is_closed(&self) -> bool { false }
    fn status(&self) -> Status {
        Status { step: self.reel.step(), steps: self.reel.steps(), turn: self.reel.game().progress().turn, playing: self.playing, following: false, live: !self.reel.is_complete(), speed: String::new(), theme: String::new(), fits: true, selected: self.selection, inspector: vec![], help: false, trouble: None }
    }
}
