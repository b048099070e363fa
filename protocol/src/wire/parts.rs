//! Lists that may be long, cut into messages: a line is given up only when nothing moves on it, part by part.

/// Items in one part.
const PART: usize = 1_000;

/// The parts of a list in their order, each with whether it is the last. An empty list has one empty part.
pub fn parts<T: Clone>(all: &[T]) -> impl Iterator<Item = (Vec<T>, bool)> {
    parts_of(PART, all)
}

/// Like [`parts`], for items so large that fewer of them fit into one message: at least one.
pub fn parts_of<T: Clone>(most: usize, all: &[T]) -> impl Iterator<Item = (Vec<T>, bool)> {
    let count = all.len().div_ceil(most).max(1);
    (0..count).map(move |number| {
        let part = all.chunks(most).nth(number).unwrap_or_default();
        (part.to_vec(), number + 1 == count)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_list_ends_with_a_last_part() {
        for (length, expected) in [
            (0, vec![(0, true)]),
            (PART, vec![(PART, true)]),
            (2 * PART + 1, vec![(PART, false), (PART, false), (1, true)]),
        ] {
            let all: Vec<usize> = (0..length).collect();
            let parts: Vec<_> = parts(&all).collect();
            let sizes: Vec<_> = parts
                .iter()
                .map(|(part, last)| (part.len(), *last))
                .collect();
            assert_eq!(sizes, expected);
            let joined: Vec<usize> = parts.into_iter().flat_map(|(part, _)| part).collect();
            assert_eq!(joined, all);
        }
    }
}
