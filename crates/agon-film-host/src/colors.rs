//! Converts colours from red, green and blue to the form that H.264 stores.
//!
//! The form is brightness and two differences (ITU-R BT.709, limited range, 4:2:0). The encoder
//! converts each picture.

/// The factors of red, green and blue in 1/65536.
///
/// They are `round(65536 × 219/255 × k)` for brightness and `round(65536 × 224/255 × k)` for the
/// differences. BT.709 defines `k`: for brightness 0.2126, 0.7152 and 0.0722. The differences are
/// blue and red minus brightness, divided by 1.8556 and 1.5748.
const Y: [i32; 3] = [11_966, 40_254, 4_064];
const U: [i32; 3] = [-6_596, -22_189, 28_784];
const V: [i32; 3] = [28_784, -26_145, -2_639];

/// Converts a picture of four bytes per pixel to its three planes, one after the other.
///
/// # Panics
/// If width or height are odd, or the lengths do not fit.
pub(crate) fn to_yuv(rgba: &[u8], width: usize, height: usize, yuv: &mut [u8]) {
    assert!(width.is_multiple_of(2) && height.is_multiple_of(2), "films have even sizes");
    let (y_plane, differences) = yuv.split_at_mut(width * height);
    let (u_plane, v_plane) = differences.split_at_mut(width * height / 4);
    let pixels = rgba.as_chunks::<4>().0;
    for (pixel, y) in pixels.iter().zip(y_plane) {
        *y = (16 + ((weigh(*pixel, Y) + 0x8000) >> 16)) as u8;
    }
    let rows = pixels.chunks_exact(2 * width).map(|rows| rows.split_at(width));
    let places = u_plane.chunks_exact_mut(width / 2).zip(v_plane.chunks_exact_mut(width / 2));
    for ((upper, lower), (us, vs)) in rows.zip(places) {
        let squares = upper.chunks_exact(2).zip(lower.chunks_exact(2));
        for ((above, below), (u, v)) in squares.zip(us.iter_mut().zip(vs)) {
            // Four pixels share a difference: their mean.
            let sum =
                |k: [i32; 3]| above.iter().chain(below).map(|&pixel| weigh(pixel, k)).sum::<i32>();
            *u = (128 + ((sum(U) + 0x2_0000) >> 18)) as u8;
            *v = (128 + ((sum(V) + 0x2_0000) >> 18)) as u8;
        }
    }
}

fn weigh([r, g, b, _]: [u8; 4], k: [i32; 3]) -> i32 {
    k[0] * i32::from(r) + k[1] * i32::from(g) + k[2] * i32::from(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The colours' values in BT.709, from its definition.
    fn by_definition([r, g, b]: [u8; 3]) -> [u8; 3] {
        let [r, g, b] = [r, g, b].map(|c| f64::from(c) / 255.0);
        let y = 0.2126 * r + 0.7152 * g + 0.0722 * b;
        let u = (b - y) / 1.8556;
        let v = (r - y) / 1.5748;
        [16.0 + 219.0 * y, 128.0 + 224.0 * u, 128.0 + 224.0 * v].map(|c| c.round() as u8)
    }

    #[test]
    fn colours_are_those_of_the_definition() {
        let steps = [0, 1, 17, 64, 127, 128, 200, 254, 255];
        for r in steps {
            for g in steps {
                for b in steps {
                    let picture = [r, g, b, 255].repeat(4);
                    let mut yuv = [0; 6];
                    to_yuv(&picture, 2, 2, &mut yuv);
                    let expected = by_definition([r, g, b]);
                    for (found, expected) in
                        [(yuv[0], expected[0]), (yuv[4], expected[1]), (yuv[5], expected[2])]
                    {
                        assert!(found.abs_diff(expected) <= 1, "{r} {g} {b}: {yuv:?} {expected:?}");
                    }
                    assert!(yuv[..4].iter().all(|&y| y == yuv[0]));
                }
            }
        }
    }
}
