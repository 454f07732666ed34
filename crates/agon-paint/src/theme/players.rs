//! Tables with the first and the second colour of each player, on dark and on light ground.
//!
//! `palette` takes players' colours from here if the game has none of its own.

use crate::Rgb;

type Pairs<const COUNT: usize> = [(Rgb, Rgb); COUNT];

/// Colours on dark ground, found by the example `search_palette`.
///
/// The first six differ by colour alone, for colour-blind people as well. The others were added
/// one by one, each in the largest gap between the earlier ones. They have patterns, too.
pub(super) const DARK: Pairs<24> = [
    (Rgb(71, 204, 246), Rgb(43, 155, 191)),
    (Rgb(253, 90, 24), Rgb(244, 142, 124)),
    (Rgb(220, 252, 107), Rgb(142, 148, 79)),
    (Rgb(220, 137, 173), Rgb(251, 215, 220)),
    (Rgb(133, 130, 255), Rgb(192, 212, 243)),
    (Rgb(113, 172, 120), Rgb(197, 233, 196)),
    (Rgb(254, 178, 38), Rgb(166, 132, 16)),
    (Rgb(226, 19, 234), Rgb(249, 162, 255)),
    (Rgb(91, 138, 144), Rgb(146, 196, 175)),
    (Rgb(252, 18, 85), Rgb(247, 170, 177)),
    (Rgb(201, 194, 241), Rgb(117, 126, 161)),
    (Rgb(253, 184, 159), Rgb(181, 134, 97)),
    (Rgb(169, 169, 8), Rgb(232, 218, 142)),
    (Rgb(146, 139, 144), Rgb(208, 196, 186)),
    (Rgb(10, 142, 222), Rgb(162, 219, 234)),
    (Rgb(44, 246, 133), Rgb(15, 146, 83)),
    (Rgb(171, 112, 103), Rgb(193, 166, 176)),
    (Rgb(152, 114, 175), Rgb(195, 158, 205)),
    (Rgb(170, 184, 181), Rgb(118, 133, 113)),
    (Rgb(89, 142, 17), Rgb(172, 200, 123)),
    (Rgb(194, 114, 0), Rgb(214, 178, 131)),
    (Rgb(64, 186, 178), Rgb(58, 142, 124)),
    (Rgb(102, 196, 19), Rgb(179, 242, 149)),
    (Rgb(135, 181, 255), Rgb(89, 127, 201)),
];

/// Colours on light ground, found in the same way.
pub(super) const LIGHT: Pairs<24> = [
    (Rgb(22, 68, 145), Rgb(0, 18, 58)),
    (Rgb(103, 49, 1), Rgb(138, 102, 43)),
    (Rgb(50, 0, 52), Rgb(145, 115, 130)),
    (Rgb(117, 111, 10), Rgb(75, 64, 0)),
    (Rgb(167, 16, 245), Rgb(116, 0, 177)),
    (Rgb(0, 119, 91), Rgb(0, 73, 48)),
    (Rgb(251, 2, 62), Rgb(121, 2, 41)),
    (Rgb(133, 73, 89), Rgb(53, 33, 47)),
    (Rgb(36, 59, 13), Rgb(109, 132, 95)),
    (Rgb(184, 104, 24), Rgb(147, 67, 30)),
    (Rgb(7, 107, 127), Rgb(3, 54, 72)),
    (Rgb(236, 20, 149), Rgb(101, 20, 68)),
    (Rgb(56, 14, 13), Rgb(104, 77, 67)),
    (Rgb(36, 120, 252), Rgb(14, 98, 172)),
    (Rgb(29, 145, 4), Rgb(12, 96, 5)),
    (Rgb(136, 7, 124), Rgb(181, 88, 180)),
    (Rgb(167, 1, 20), Rgb(195, 78, 102)),
    (Rgb(125, 99, 158), Rgb(72, 52, 102)),
    (Rgb(49, 0, 142), Rgb(97, 75, 184)),
    (Rgb(52, 40, 20), Rgb(89, 96, 60)),
    (Rgb(169, 108, 95), Rgb(90, 50, 53)),
    (Rgb(87, 89, 86), Rgb(106, 129, 128)),
    (Rgb(134, 122, 98), Rgb(53, 58, 45)),
    (Rgb(10, 47, 42), Rgb(64, 98, 91)),
];

/// Bright colours for games without colours of their own.
pub(super) const BRIGHT: Pairs<8> = [
    (Rgb(255, 60, 50), Rgb(255, 148, 142)),
    (Rgb(50, 205, 50), Rgb(29, 119, 29)),
    (Rgb(90, 130, 255), Rgb(164, 186, 255)),
    (Rgb(255, 225, 0), Rgb(148, 130, 0)),
    (Rgb(230, 80, 255), Rgb(241, 159, 255)),
    (Rgb(0, 225, 225), Rgb(0, 130, 130)),
    (Rgb(255, 150, 30), Rgb(148, 87, 17)),
    (Rgb(235, 235, 235), Rgb(136, 136, 136)),
];
