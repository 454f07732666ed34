//! Measures how different two colours look, also to colour-blind people.
//!
//! Only the tests of themes use it: they check that players can be told apart.

use crate::Rgb;

/// Kinds of colour vision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Vision {
    Usual,
    /// Vision without cones for red.
    Protanopia,
    /// Vision without cones for green.
    Deuteranopia,
}

/// The apparent linear red, green and blue.
///
/// Source: Machado, Oliveira, Fernandes, "A Physiologically-based Model for Simulation of Color
/// Vision Deficiency", IEEE Transactions on Visualization and Computer Graphics 15 (2009),
/// severity 1.0.
const PROTANOPIA: [[f32; 3]; 3] = [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
];
const DEUTERANOPIA: [[f32; 3]; 3] = [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.011820, 0.042940, 0.968881],
];

/// Returns the distance of two colours in Oklab.
///
/// Black and white have a distance of 1, and 0.02 is just visible. Source: Ottosson, "A perceptual
/// color space for image processing", 2020.
pub(super) fn distance(one: Rgb, other: Rgb, vision: Vision) -> f32 {
    let (one, other) = (oklab(seen(one, vision)), oklab(seen(other, vision)));
    (0..3).map(|at| (one[at] - other[at]).powi(2)).sum::<f32>().sqrt()
}

fn seen(color: Rgb, vision: Vision) -> [f32; 3] {
    let linear = color.linear();
    match vision {
        Vision::Usual => linear,
        Vision::Protanopia => times(&PROTANOPIA, linear).map(|part| part.clamp(0.0, 1.0)),
        Vision::Deuteranopia => times(&DEUTERANOPIA, linear).map(|part| part.clamp(0.0, 1.0)),
    }
}

fn oklab(linear: [f32; 3]) -> [f32; 3] {
    const CONES: [[f32; 3]; 3] = [
        [0.412_221_46, 0.536_332_55, 0.051_445_995],
        [0.211_903_5, 0.680_699_5, 0.107_396_96],
        [0.088_302_46, 0.281_718_85, 0.629_978_7],
    ];
    const LAB: [[f32; 3]; 3] = [
        [0.210_454_26, 0.793_617_8, -0.004_072_047],
        [1.977_998_5, -2.428_592_2, 0.450_593_7],
        [0.025_904_037, 0.782_771_77, -0.808_675_77],
    ];
    times(&LAB, times(&CONES, linear).map(f32::cbrt))
}

fn times(matrix: &[[f32; 3]; 3], vector: [f32; 3]) -> [f32; 3] {
    matrix.map(|row| row.iter().zip(vector).map(|(part, value)| part * value).sum())
}

#[test]
fn distances_are_those_of_oklab() {
    let far = |one, other, vision| distance(one, other, vision);
    assert!((far(Rgb::BLACK, Rgb::WHITE, Vision::Usual) - 1.0).abs() < 1e-3);
    // To many people, red and a green of the same brightness look almost the same.
    let (red, green) = (Rgb(200, 80, 60), Rgb(120, 125, 40));
    let usual = far(red, green, Vision::Usual);
    assert!(far(red, green, Vision::Deuteranopia) < usual / 2.0);
}
