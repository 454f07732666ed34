//! [`Battlefield`]: all cells that a player sees, linked with their neighbours, and the orders
//! given so far. The built-in bots `marshal` and `horde` plan their turns on it.

use crate::binfection::{Answer, Cell, Direction, Move, View};

/// The content of a visible cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    Empty,
    Own,
    Enemy,
}

/// A visible cell.
#[derive(Clone, Debug)]
pub(super) struct Site {
    pub(super) x: u32,
    pub(super) y: u32,
    pub(super) content: Content,
    pub(super) units: u64,
    /// Its visible neighbours by direction, as numbers of sites.
    beside: [Option<u32>; 4],
    /// Where half of its units go.
    pub(super) order: Option<Direction>,
    /// Units that orders bring here.
    pub(super) arriving: u64,
}

/// All visible cells, and the orders of the own ones.
pub(super) struct Battlefield {
    /// In order of rows, then columns.
    pub(super) sites: Vec<Site>,
    /// The own cells among them.
    pub(super) own: Vec<usize>,
}

impl Battlefield {
    pub(super) fn new(view: &View<'_>) -> Battlefield {
        let me = Some(view.me());
        let site = |Cell { x, y, owner, units }: Cell| {
            let content = match owner {
                None => Content::Empty,
                owner if owner == me => Content::Own,
                Some(_) => Content::Enemy,
            };
            Site { x, y, content, units, beside: [None; 4], order: None, arriving: 0 }
        };
        let mut sites: Vec<Site> = view.seen().into_iter().map(site).collect();
        link(&mut sites);
        let own = (0..sites.len()).filter(|&i| sites[i].content == Content::Own).collect();
        Battlefield { sites, own }
    }

    /// The neighbour of a site in a direction; `None` if it is outside of the field or out of
    /// sight.
    #[inline]
    pub(super) fn beside(&self, site: usize, direction: Direction) -> Option<usize> {
        self.sites[site].beside[usize::from(u8::from(direction))].map(|number| number as usize)
    }

    /// The neighbours of a site with this content, with their directions.
    #[inline]
    pub(super) fn around(
        &self,
        site: usize,
        content: Content,
    ) -> impl Iterator<Item = (Direction, usize)> + '_ {
        let beside = move |direction| Some((direction, self.beside(site, direction)?));
        let all = Direction::ALL.into_iter().filter_map(beside);
        all.filter(move |&(_, next)| self.sites[next].content == content)
    }

    /// Whether a neighbour of a site has this content.
    #[inline]
    pub(super) fn is_beside(&self, site: usize, content: Content) -> bool {
        self.around(site, content).next().is_some()
    }

    /// Whether a cell is empty and an enemy may move there as well.
    #[inline]
    pub(super) fn is_contested(&self, site: usize) -> bool {
        self.sites[site].content == Content::Empty && self.is_beside(site, Content::Enemy)
    }

    /// Whether an own cell can move and has no order yet.
    #[inline]
    pub(super) fn is_idle(&self, site: usize) -> bool {
        self.sites[site].order.is_none() && self.sites[site].units > 1
    }

    /// The units that leave a cell if it moves.
    #[inline]
    pub(super) fn force(&self, site: usize) -> u64 {
        self.sites[site].units / 2
    }

    /// The units of an own cell that stay on it.
    pub(super) fn staying(&self, site: usize) -> u64 {
        let Site { units, order, .. } = self.sites[site];
        if order.is_some() { units.div_ceil(2) } else { units }
    }

    /// The own units on a cell after the orders so far, before a meeting.
    pub(super) fn strength(&self, site: usize) -> u64 {
        let here = &self.sites[site];
        here.arriving + if here.content == Content::Own { self.staying(site) } else { 0 }
    }

    /// The units that visible enemies can send to a site at once.
    pub(super) fn threat(&self, site: usize) -> u64 {
        self.around(site, Content::Enemy).map(|(_, enemy)| self.force(enemy)).sum()
    }

    /// Whether a cell withstands `percent` of the threat even if it sends half of its units.
    pub(super) fn is_safe(&self, site: usize, percent: u64) -> bool {
        let threat = self.threat(site);
        let held = self.sites[site].units.div_ceil(2) + self.sites[site].arriving;
        threat == 0 || 100 * u128::from(held) > u128::from(threat) * u128::from(percent)
    }

    /// Sends half of an own cell's units.
    pub(super) fn send(&mut self, site: usize, direction: Direction) {
        self.order(site, Some(direction));
    }

    /// Replaces the order of an own cell. Without a direction it stays.
    pub(super) fn order(&mut self, site: usize, direction: Option<Direction>) {
        let force = self.force(site);
        let old = std::mem::replace(&mut self.sites[site].order, direction);
        if let Some(target) = old.and_then(|old| self.beside(site, old)) {
            self.sites[target].arriving -= force;
        }
        if let Some(target) = direction.and_then(|new| self.beside(site, new)) {
            self.sites[target].arriving += force;
        }
    }

    /// Whether an enemy is in sight.
    pub(super) fn is_met(&self) -> bool {
        self.sites.iter().any(|site| site.content == Content::Enemy)
    }

    /// The same cells as an enemy sees them, without orders. All enemies count as one.
    pub(super) fn mirrored(&self) -> Battlefield {
        let mirrored = |site: &Site| {
            let content = match site.content {
                Content::Empty => Content::Empty,
                Content::Own => Content::Enemy,
                Content::Enemy => Content::Own,
            };
            Site { content, order: None, arriving: 0, ..site.clone() }
        };
        let sites: Vec<Site> = self.sites.iter().map(mirrored).collect();
        let own = (0..sites.len()).filter(|&i| sites[i].content == Content::Own).collect();
        Battlefield { sites, own }
    }

    pub(super) fn answer(&self) -> Answer {
        let all = self.own.iter().map(|&site| &self.sites[site]);
        let ordered =
            all.filter_map(|site| Some(Move { x: site.x, y: site.y, direction: site.order? }));
        let mut moves = Vec::with_capacity(self.own.len());
        moves.extend(ordered);
        Answer { moves }
    }
}

/// Links neighbours. In a row they follow each other; a second pass finds those below, for which
/// one more number runs through the list.
fn link(sites: &mut [Site]) {
    let mut below = 0;
    for here in 0..sites.len() {
        let Site { x, y, .. } = sites[here];
        if sites.get(here + 1).is_some_and(|next| (next.x, next.y) == (x + 1, y)) {
            sites[here].beside[usize::from(u8::from(Direction::Right))] = Some(here as u32 + 1);
            sites[here + 1].beside[usize::from(u8::from(Direction::Left))] = Some(here as u32);
        }
        while sites.get(below).is_some_and(|next| (next.y, next.x) < (y + 1, x)) {
            below += 1;
        }
        if sites.get(below).is_some_and(|next| (next.x, next.y) == (x, y + 1)) {
            sites[here].beside[usize::from(u8::from(Direction::Down))] = Some(below as u32);
            sites[below].beside[usize::from(u8::from(Direction::Up))] = Some(here as u32);
        }
    }
}

#[cfg(test)]
mod tests {
    use agon_core::{Game, GameExt, Seed};

    use super::*;
    use crate::binfection::{Binfection, Rules};

    #[test]
    fn neighbours_are_the_visible_cells_beside() {
        let rules = Rules { field_width: 9, field_height: 7, ..Rules::default() };
        let mut game = Binfection::new(&rules, 2, Seed(3)).unwrap();
        for _ in 0..12 {
            assert!(!game.is_over(), "the test needs cells of both");
            for &decision in game.decisions() {
                let field = Battlefield::new(&game.view(decision));
                for (site, cell) in field.sites.iter().enumerate() {
                    for direction in Direction::ALL {
                        let (dx, dy) = direction.offset();
                        let at = (cell.x.checked_add_signed(dx), cell.y.checked_add_signed(dy));
                        let found = field.sites.iter().position(|s| (Some(s.x), Some(s.y)) == at);
                        assert_eq!(field.beside(site, direction), found);
                    }
                }
            }
            game.step_with(|game, decision| {
                let view = game.view(decision);
                let to = |cell: Cell| Direction::ALL[(cell.x + cell.y) as usize % 4];
                let moves =
                    view.own().map(|cell| Move { x: cell.x, y: cell.y, direction: to(cell) });
                Answer { moves: moves.collect() }
            });
        }
    }

    #[test]
    fn orders_move_half_of_the_units() {
        let rules = Rules { field_width: 9, field_height: 7, ..Rules::default() };
        let game = Binfection::new(&rules, 2, Seed(3)).unwrap();
        let mut field = Battlefield::new(&game.view(game.decisions()[0]));
        let start = field.own[0];
        assert!(field.is_idle(start) && field.is_safe(start, 100) && field.threat(start) == 0);
        field.send(start, Direction::Up);
        let up = field.beside(start, Direction::Up).unwrap();
        assert_eq!((field.staying(start), field.sites[up].arriving), (5, 5));
        assert!(!field.is_idle(start));
        assert_eq!(field.answer().moves.len(), 1);
    }
}
