//! A line of a chart: values over turns, reduced to as many points as can be seen.
//!
//! The viewer, `agon replay chart` and `agon tune` make the lines; `chart` draws them.

use crate::Rgb;

/// A line of a chart: the values of one player.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Its name in the legend.
    pub name: String,
    /// Its colour.
    pub color: Rgb,
    /// Turns in ascending order, and the values there.
    pub points: Vec<(u64, i64)>,
}

/// Keeps at most four points per column: the first, the last, the least and the greatest.
pub(crate) fn thinned(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut kept = Vec::new();
    for column in points.chunk_by(|a, b| a.0.floor() == b.0.floor()) {
        if column.len() <= 4 {
            kept.extend_from_slice(column);
            continue;
        }
        let by_value = |a: &usize, b: &usize| column[*a].1.total_cmp(&column[*b].1);
        let least = (0..column.len()).min_by(by_value);
        let greatest = (0..column.len()).max_by(by_value);
        let mut places: Vec<usize> =
            [Some(0), least, greatest, Some(column.len() - 1)].into_iter().flatten().collect();
        places.sort_unstable();
        places.dedup();
        kept.extend(places.into_iter().map(|place| column[place]));
    }
    kept
}

/// Cuts a line into dashes of a length, with gaps of another length between them.
pub(crate) fn dashes(points: &[(f64, f64)], (dash, gap): (f64, f64)) -> Vec<Vec<(f64, f64)>> {
    let Some(&start) = points.first() else { return Vec::new() };
    let mut dashes = Vec::new();
    let mut current = vec![start];
    // What is left of the dash or gap at this place of the line.
    let (mut left, mut is_dash) = (dash, true);
    for pair in points.windows(2) {
        let (mut from, to) = (pair[0], pair[1]);
        loop {
            let length = (to.0 - from.0).hypot(to.1 - from.1);
            if length.is_nan() || length < left {
                left -= length;
                if is_dash {
                    current.push(to);
                }
                break;
            }
            let part = if length > 0.0 { left / length } else { 1.0 };
            from = (from.0 + (to.0 - from.0) * part, from.1 + (to.1 - from.1) * part);
            if is_dash {
                current.push(from);
                dashes.push(std::mem::take(&mut current));
            } else {
                current = vec![from];
            }
            is_dash = !is_dash;
            left = if is_dash { dash } else { gap };
        }
    }
    if is_dash {
        dashes.push(current);
    }
    dashes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dashes_follow_their_line() {
        let line = [(0.0, 0.0), (3.0, 0.0), (3.0, 4.0)];
        let cut = dashes(&line, (4.0, 2.0));
        assert_eq!(cut, [vec![(0.0, 0.0), (3.0, 0.0), (3.0, 1.0)], vec![(3.0, 3.0), (3.0, 4.0)]]);
        assert_eq!(dashes(&[], (4.0, 2.0)), Vec::<Vec<_>>::new());
        assert_eq!(dashes(&line[..1], (4.0, 2.0)), [vec![(0.0, 0.0)]]);
        assert_eq!(dashes(&[(1.0, 1.0); 3], (4.0, 2.0)), [vec![(1.0, 1.0); 3]]);
        let long = dashes(&[(0.0, 0.0), (6e5, 0.0)], (4.0, 2.0));
        assert_eq!(long.len(), 100_001, "the last dash begins where the line ends");
    }

    #[test]
    fn thinned_lines_keep_what_is_seen() {
        let points: Vec<_> =
            (0..1000).map(|n| (f64::from(n) / 100.0, f64::from((n * 37) % 101))).collect();
        let kept = thinned(&points);
        assert!(kept.len() <= 40, "{}", kept.len());
        let most = |points: &[(f64, f64)]| points.iter().map(|point| point.1).fold(0.0, f64::max);
        assert_eq!(most(&kept), most(&points));
        assert_eq!((kept[0], kept[kept.len() - 1]), (points[0], points[999]));
        assert_eq!(thinned(&points[..3]), points[..3]);
    }
}
