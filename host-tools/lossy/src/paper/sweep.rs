//! The searches of section V: which size and which number of nodes are the fastest. Packets and what
//! they suffer are those of Table II, since the paper does not print those of other sizes.

use serde::Serialize;

use super::table_ii::{Column, FLOPS};
use crate::algorithms::Algorithm;
use crate::superstep::Network;

/// The fastest of a search.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Fastest {
    pub algorithm: Algorithm,
    pub size_log: u8,
    pub nodes_log: u8,
    pub copies: u32,
    pub speedup: f64,
}

/// The sizes and the most nodes that the paper has looked at, as powers of two.
pub fn extent(algorithm: Algorithm) -> (&'static [u8], u8) {
    match algorithm {
        Algorithm::Matrix => (&[11, 12, 13, 14, 15], 17),
        Algorithm::Bitonic => (&[20, 24, 28, 29, 30, 31], 17),
        Algorithm::Fft => (&[30, 32, 34, 36, 38], 15),
        Algorithm::Laplace => (&[14, 15, 16, 17, 18], 17),
        Algorithm::Broadcast | Algorithm::AllGather => (&[], 0),
    }
}

/// The fastest of all sizes and numbers of nodes, each with the number of copies that suits it best.
/// Messages that are shorter than the table's packet go in packets of their own length.
pub fn fastest(column: &Column) -> Option<Fastest> {
    let (sizes, most) = extent(column.algorithm);
    let all = sizes.iter().flat_map(|size| (1..=most).map(move |nodes| (*size, nodes)));
    let one = |(size_log, nodes_log): (u8, u8)| {
        let plan = column.algorithm.plan(f64::from(size_log).exp2(), f64::from(nodes_log).exp2());
        let pieces = plan.pieces(column.packet_bytes);
        let bytes = plan.message.map_or(column.packet_bytes, |bytes| bytes.min(column.packet_bytes));
        let network = Network { alpha: bytes / (column.bandwidth.value() * 1e6), ..column.network() };
        let copies = plan.best_copies(&network, pieces, FLOPS).fastest;
        let speedup = plan.cost(copies, &network, pieces, FLOPS).speedup();
        Fastest { algorithm: column.algorithm, size_log, nodes_log, copies, speedup }
    };
    all.map(one).reduce(|best, other| if other.speedup > best.speedup { other } else { best })
}

#[cfg(test)]
mod tests {
    use super::super::table_ii::columns;
    use super::*;

    #[test]
    fn the_fastest_are_the_tables_but_for_what_depends_on_the_packet() {
        let found = columns().map(|column| fastest(&column).unwrap());
        let [matrix, bitonic, fft, laplace] = found.map(|one| (one.size_log, one.nodes_log));
        assert_eq!((bitonic, laplace), ((31, 17), (18, 17)));
        // The text has 2^17 nodes, where packets are half as long as the table's.
        assert_eq!(matrix, (15, 17));
        // The paper's fastest has 2^34; larger ones would need packets longer than its table's.
        assert_eq!(fft, (38, 15));
    }

    #[test]
    fn nothing_is_searched_for_collectives() {
        let column = Column { algorithm: Algorithm::Broadcast, ..columns()[0] };
        assert_eq!(fastest(&column), None);
    }
}
