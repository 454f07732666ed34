//! The shape of the pointer, an arrow, for clients that draw the pointer themselves.
//!
//! `screen` sends it to such a client with the first picture.

use agon_paint::Rgb;

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

/// Its width in pixels.
pub(crate) const WIDTH: usize = ARROW[0].len();

/// Returns its pixels, row by row.
pub(crate) fn pixels() -> Vec<Option<Rgb>> {
    let pixel = |byte| match byte {
        b'#' => Some(Rgb(0, 0, 0)),
        b'.' => Some(Rgb(255, 255, 255)),
        _ => None,
    };
    ARROW.iter().flat_map(|row| row.bytes()).map(pixel).collect()
}
