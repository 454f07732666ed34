//! Charts of numbers over time: data in, an SVG or a picture out.
//!
//! The viewer shows one below the board. `agon replay chart` and `agon tune` write them to files.
//!
//! | module | noun |
//! | --- | --- |
//! | `plot` | [`Chart`]: title, axes and lines, and where they go |
//! | `axis` | ticks at round numbers |
//! | `line` | [`Line`]: values over turns; no more points than can be seen |
//! | `pen` | what draws: [`Chart::svg`] and [`Chart::paint`] look alike since both use one layout |

mod pen;
mod plot;

pub use pen::Line;
pub use plot::{Chart, Colors, Scale};
