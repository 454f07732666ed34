//! A line of a chart: values over turns, reduced to as many points as can be seen.
//!
//! The viewer, `agon replay chart` and `agon tune` make the lines; `chart` draws them.

use agon_paint::Rgb;

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

#[cfg(test)]
mod tests {
    use super::*;

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
