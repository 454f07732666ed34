//! Many lists of numbers in little memory.
//!
//! The likelihood finds the choices and duels of each player with them.

/// A list of numbers for each of 0, 1, …, one after another.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Lists {
    ends: Vec<usize>,
    numbers: Vec<u32>,
}

impl Lists {
    /// Lists for each of the `count` members the numbers of the sets that contain it.
    pub(crate) fn new<S, I>(count: usize, sets: I) -> Lists
    where
        S: Iterator<Item = u32>,
        I: Iterator<Item = S> + Clone,
    {
        let mut ends = vec![0; count];
        sets.clone().flatten().for_each(|member| ends[member as usize] += 1);
        let mut sum = 0;
        for end in &mut ends {
            sum += *end;
            *end = sum;
        }
        let mut numbers = vec![0; sum];
        let mut next: Vec<usize> =
            (0..count).map(|at| if at == 0 { 0 } else { ends[at - 1] }).collect();
        for (number, set) in sets.enumerate() {
            for member in set {
                numbers[next[member as usize]] = number as u32;
                next[member as usize] += 1;
            }
        }
        Lists { ends, numbers }
    }

    /// Returns the list of a member.
    pub(crate) fn of(&self, member: usize) -> &[u32] {
        let start = if member == 0 { 0 } else { self.ends[member - 1] };
        &self.numbers[start..self.ends[member]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_know_their_sets() {
        let sets = [vec![0, 2], vec![2, 3], vec![0, 2, 3]];
        let lists = Lists::new(4, sets.iter().map(|set| set.iter().copied()));
        assert_eq!(
            [0, 1, 2, 3].map(|at| lists.of(at).to_vec()),
            [vec![0, 2], vec![], vec![0, 1, 2], vec![1, 2]]
        );
    }
}
