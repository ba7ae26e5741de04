//! Where the threads of a program start.

use crate::work::mixed;

/// Gives each thread a slave by lot, and each slave as many threads as any other, or one more.
/// `places` gets the slaves' numbers from 0 on.
pub fn by_lot(seed: u32, slaves: u8, places: &mut [u8]) {
    let slaves = usize::from(slaves.max(1));
    places.iter_mut().enumerate().for_each(|(index, place)| *place = (index % slaves) as u8);
    // Fisher and Yates' shuffle.
    for last in (1..places.len()).rev() {
        let chosen = u64::from(mixed(seed, last as u32, 0x91ce)) * (last as u64 + 1) >> 32;
        places.swap(last, chosen as usize);
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_slave_has_its_share_and_seeds_differ() {
        let mut seen = BTreeSet::new();
        for seed in 0..100 {
            for (threads, slaves) in [(20, 5), (40, 15), (7, 3), (3, 5), (1, 1)] {
                let mut places = std::vec![0; threads];
                by_lot(seed, slaves, &mut places);
                let count = |slave| places.iter().filter(|&&place| place == slave).count();
                let counts: std::vec::Vec<_> = (0..slaves).map(count).collect();
                let (least, most) = (counts.iter().min().unwrap(), counts.iter().max().unwrap());
                assert!(most - least <= 1 && counts.iter().sum::<usize>() == threads, "{counts:?}");
                if threads == 20 {
                    seen.insert(places);
                }
            }
        }
        assert_eq!(seen.len(), 100, "no two seeds are alike");
    }

    /// Each thread comes to each slave about as often as to any other.
    #[test]
    fn the_lot_is_fair() {
        let mut counts = [[0; 5]; 10];
        for seed in 0..5000 {
            let mut places = [0; 10];
            by_lot(seed, 5, &mut places);
            places.iter().zip(&mut counts).for_each(|(&place, counts)| counts[usize::from(place)] += 1);
        }
        assert!(counts.iter().flatten().all(|count| (900..1100).contains(count)), "{counts:?}");
    }
}
