//! Who sends to whom: the shapes of communication of which random programs are made.

use std::ops::Range;

use itertools::Itertools;
use serde::{Deserialize, Serialize};
use testbed_balance::policies::Rng;

/// How some threads of a program communicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// Each computes for itself.
    Independent,
    /// Two by two, there and back.
    Pairs,
    /// From each to the next.
    Pipeline,
    /// The same, and from the last to the first.
    Ring,
    /// Clients that ask a server, which answers.
    Star,
    /// From each to its right and lower neighbour in a grid.
    Grid,
    /// All to all in groups of three or four.
    Groups,
}

impl Shape {
    /// All shapes.
    pub const ALL: [Shape; 7] =
        [Shape::Independent, Shape::Pairs, Shape::Pipeline, Shape::Ring, Shape::Star, Shape::Grid, Shape::Groups];

    /// The name in tables and files.
    pub fn name(self) -> &'static str {
        match self {
            Shape::Independent => "independent",
            Shape::Pairs => "pairs",
            Shape::Pipeline => "pipeline",
            Shape::Ring => "ring",
            Shape::Star => "star",
            Shape::Grid => "grid",
            Shape::Groups => "groups",
        }
    }

    /// The links between these threads, each from a sender to a receiver, no link twice.
    pub fn links(self, members: &Range<u8>, rng: &mut Rng) -> Vec<(u8, u8)> {
        let all: Vec<u8> = members.clone().collect();
        let next = |pair: &[u8]| (pair[0], pair[1]);
        match self {
            Shape::Independent => Vec::new(),
            Shape::Pairs => all.chunks_exact(2).flat_map(|pair| [next(pair), (pair[1], pair[0])]).collect(),
            Shape::Pipeline => members.clone().tuple_windows().collect(),
            // Two threads are a pair that goes round.
            Shape::Ring => members.clone().tuple_windows().chain(closing(&all)).collect(),
            Shape::Star => {
                // A thread has at most 24 links: a server with more clients would have more.
                let clients = 1 + 3 + rng.below(9) as usize;
                all.chunks(clients).flat_map(star).collect()
            }
            Shape::Grid => grid(&all, 2 + rng.below(5) as usize),
            Shape::Groups => all.chunks(3 + rng.below(2) as usize).flat_map(all_to_all).collect(),
        }
    }
}

fn closing(all: &[u8]) -> Option<(u8, u8)> {
    (all.len() >= 2).then(|| (all[all.len() - 1], all[0]))
}

/// The first is the server.
fn star(threads: &[u8]) -> Vec<(u8, u8)> {
    threads[1..].iter().flat_map(|&client| [(client, threads[0]), (threads[0], client)]).collect()
}

fn all_to_all(threads: &[u8]) -> Vec<(u8, u8)> {
    let pairs = threads.iter().flat_map(|&from| threads.iter().map(move |&to| (from, to)));
    pairs.filter(|(from, to)| from != to).collect()
}

fn grid(threads: &[u8], width: usize) -> Vec<(u8, u8)> {
    let link = |from: usize, to: usize| threads.get(to).map(|&to| (threads[from], to));
    let of = |at: usize| {
        let right = if at % width + 1 < width { link(at, at + 1) } else { None };
        [right, link(at, at + width)].into_iter().flatten()
    };
    (0..threads.len()).flat_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn shapes_are_what_their_names_say() {
        let links = |shape: Shape, members: Range<u8>| shape.links(&members, &mut Rng::new(1));
        assert_eq!(links(Shape::Independent, 0..5), []);
        assert_eq!(links(Shape::Pairs, 0..5), [(0, 1), (1, 0), (2, 3), (3, 2)]);
        assert_eq!(links(Shape::Pipeline, 4..7), [(4, 5), (5, 6)]);
        assert_eq!(links(Shape::Ring, 4..7), [(4, 5), (5, 6), (6, 4)]);
        assert_eq!(star(&[7, 8, 9]), [(8, 7), (7, 8), (9, 7), (7, 9)]);
        assert_eq!(grid(&[0, 1, 2, 3, 4], 3), [(0, 1), (0, 3), (1, 2), (1, 4), (3, 4)]);
        assert_eq!(all_to_all(&[1, 2, 3]).len(), 6);
    }

    #[test]
    fn no_shape_has_a_link_twice_or_to_itself() {
        for shape in Shape::ALL {
            for seed in 0..50 {
                for count in 1..61 {
                    let links = shape.links(&(0..count), &mut Rng::new(seed));
                    assert!(links.iter().all(|(from, to)| from != to && *from < count && *to < count), "{shape:?}");
                    assert_eq!(links.iter().collect::<BTreeSet<_>>().len(), links.len(), "{shape:?}, {count} threads");
                }
            }
        }
    }
}
