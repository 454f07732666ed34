//! Tables with the first and the second colour of each player, on dark and on light ground.
//!
//! `palette` takes players' colours from here if the game has none of its own.

use crate::Rgb;

type Pairs<const COUNT: usize> = [(Rgb, Rgb); COUNT];

/// Colours on dark ground.
///
/// The first eight are close to those of Okabe and Ito ("Color Universal Design", 2008). They were
/// moved to stand out from the ground and to be as far apart as possible, for colour-blind people
/// as well. The others were added one by one, each in the largest gap between the earlier ones.
pub(super) const DARK: Pairs<24> = [
    (Rgb(44, 157, 255), Rgb(10, 84, 172)),
    (Rgb(255, 130, 24), Rgb(170, 84, 22)),
    (Rgb(0, 134, 91), Rgb(115, 204, 147)),
    (Rgb(244, 220, 70), Rgb(160, 143, 2)),
    (Rgb(255, 173, 181), Rgb(169, 101, 109)),
    (Rgb(104, 220, 255), Rgb(6, 132, 167)),
    (Rgb(132, 66, 222), Rgb(191, 152, 251)),
    (Rgb(142, 148, 158), Rgb(231, 236, 246)),
    (Rgb(245, 82, 209), Rgb(148, 35, 124)),
    (Rgb(119, 251, 93), Rgb(79, 193, 22)),
    (Rgb(212, 16, 89), Rgb(220, 128, 149)),
    (Rgb(176, 80, 174), Rgb(105, 66, 102)),
    (Rgb(158, 251, 196), Rgb(81, 169, 126)),
    (Rgb(137, 125, 215), Rgb(103, 102, 138)),
    (Rgb(226, 181, 103), Rgb(137, 110, 52)),
    (Rgb(52, 101, 208), Rgb(151, 183, 229)),
    (Rgb(235, 74, 40), Rgb(171, 23, 25)),
    (Rgb(77, 155, 5), Rgb(53, 94, 43)),
    (Rgb(184, 214, 197), Rgb(109, 129, 118)),
    (Rgb(186, 105, 254), Rgb(106, 45, 149)),
    (Rgb(32, 175, 203), Rgb(29, 94, 108)),
    (Rgb(175, 184, 14), Rgb(242, 251, 169)),
    (Rgb(190, 148, 112), Rgb(253, 214, 182)),
    (Rgb(250, 154, 253), Rgb(192, 115, 200)),
];

/// Colours on light ground, chosen in the same way.
pub(super) const LIGHT: Pairs<24> = [
    (Rgb(0, 72, 213), Rgb(132, 174, 236)),
    (Rgb(207, 62, 0), Rgb(253, 138, 116)),
    (Rgb(0, 131, 98), Rgb(107, 191, 148)),
    (Rgb(94, 53, 0), Rgb(161, 128, 98)),
    (Rgb(233, 61, 156), Rgb(150, 35, 97)),
    (Rgb(0, 144, 225), Rgb(0, 63, 113)),
    (Rgb(68, 0, 138), Rgb(133, 82, 207)),
    (Rgb(25, 29, 39), Rgb(88, 92, 101)),
    (Rgb(36, 159, 11), Rgb(32, 95, 40)),
    (Rgb(172, 116, 173), Rgb(87, 48, 88)),
    (Rgb(137, 89, 27), Rgb(202, 171, 131)),
    (Rgb(179, 20, 174), Rgb(228, 144, 227)),
    (Rgb(44, 107, 171), Rgb(117, 141, 175)),
    (Rgb(120, 22, 182), Rgb(154, 121, 242)),
    (Rgb(192, 62, 108), Rgb(93, 0, 41)),
    (Rgb(141, 86, 130), Rgb(188, 155, 181)),
    (Rgb(146, 39, 14), Rgb(214, 112, 87)),
    (Rgb(119, 133, 39), Rgb(44, 60, 0)),
    (Rgb(71, 99, 243), Rgb(7, 29, 141)),
    (Rgb(199, 82, 202), Rgb(115, 17, 118)),
    (Rgb(91, 151, 122), Rgb(52, 74, 63)),
    (Rgb(93, 74, 143), Rgb(51, 34, 82)),
    (Rgb(108, 117, 92), Rgb(149, 155, 143)),
    (Rgb(238, 56, 85), Rgb(152, 72, 75)),
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
