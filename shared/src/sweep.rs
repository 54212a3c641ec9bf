//! The Grundy values of a subtraction game, many heaps at a time; `SubtractionSet::plain_table` is the plain way.
//!
//! A value v is one bit: bit v mod 8 of the heap's byte in *plane* ⌊v/8⌋. The options of neighbouring heaps by one
//! move are neighbours too, so OR-ing a run of bytes for each move tells which of eight values the options of a whole
//! block have. The lowest bit left out is the mex; where none is, the next plane decides. Compilers
//! vectorise such runs.

use std::ops::ControlFlow;

/// Heaps in a block: their bytes fill half the vector registers of any x86-64.
const BLOCK: usize = 128;
type Block = [u8; BLOCK];

/// The heaps of the values beyond so many planes, hardly any, are looked at one move at a time.
const PLANES: usize = 31;
/// Bytes of all planes, at most.
const PLANE_MEMORY: usize = 1 << 28;

/// Shows the values of the heaps 0 … `last` to `visit`, block by block until it breaks: the new ones, and the last ones,
/// these included, as many as the largest move takes stones. `moves` are sorted, distinct and positive.
/// `None` where memory is short.
pub(crate) fn sweep(
    moves: &[usize],
    last: usize,
    mut visit: impl FnMut(&[u32], &[u32]) -> ControlFlow<()>,
) -> Option<()> {
    let reach = moves.last().copied().unwrap_or(1);
    let room = (reach + reach / 2 + 8192).min(last) + 2 * BLOCK;
    let mut sweep = Sweep {
        moves,
        values: Vec::new(),
        planes: Vec::new(),
        most_planes: PLANES.min(PLANE_MEMORY / room),
        seen: vec![0; moves.len() + 2],
        stamp: 0,
    };
    sweep.values.try_reserve_exact(room).ok()?;
    // Heaps of less than no stones have a value that none has: with k moves no value exceeds k.
    sweep.values.extend([moves.len() as u32 + 1; BLOCK]);
    loop {
        let stamp = sweep.stamp;
        let start = sweep.values.len();
        let end = start + BLOCK;
        sweep.block();
        if visit(
            &sweep.values[start..],
            &sweep.values[end.saturating_sub(reach)..],
        )
        .is_break()
        {
            return Some(());
        }
        if sweep.stamp > stamp + BLOCK / 2 {
            // The planes are in vain for most heaps.
            sweep.most_planes = 0;
        }
        if end + BLOCK > room {
            sweep.values.drain(..end - reach);
            for plane in &mut sweep.planes {
                plane.resize(end, 0);
                plane.drain(..end - reach);
            }
        }
    }
}

struct Sweep<'a> {
    moves: &'a [usize],
    /// Of the last heaps, behind a block of none at first.
    values: Vec<u32>,
    /// Of the same heaps; zeros may be missing at the end.
    planes: Vec<Vec<u8>>,
    most_planes: usize,
    /// The last stamp of each value.
    seen: Vec<usize>,
    stamp: usize,
}

impl Sweep<'_> {
    /// Finds the values of the next block.
    fn block(&mut self) {
        let at = self.values.len();
        let moves = &self.moves[..self.moves.partition_point(|&s| s <= at)];
        let (within, beyond) = moves.split_at(moves.partition_point(|&s| s < BLOCK));
        // The one bit of each heap, 0 where its value is beyond the planes so far, and 8 for each of these.
        let mut found = [0u8; BLOCK];
        let mut values = [0u8; BLOCK];
        for p in 0..self.most_planes {
            if p == self.planes.len() {
                let mut plane = Vec::new();
                if plane.try_reserve_exact(self.values.capacity()).is_err() {
                    self.most_planes = p;
                    break;
                }
                self.planes.push(plane);
            }
            let plane = &mut self.planes[p];
            plane.resize(at + BLOCK, 0);
            let from_beyond = or_runs(&[0; BLOCK], plane, at, beyond);
            // The whole block again until nothing changes: each time one more heap, at least, is right for good.
            loop {
                let options = or_runs(&from_beyond, plane, at, within);
                let bits = &mut plane[at..at + BLOCK];
                let mut changed = 0;
                for i in 0..BLOCK {
                    // The lowest bit that no option has; 0 where all eight are taken.
                    let bit = !options[i] & options[i].wrapping_add(1);
                    let bit = if found[i] == 0 { bit } else { 0 };
                    changed |= bits[i] ^ bit;
                    bits[i] = bit;
                }
                if within.is_empty() || changed == 0 {
                    break;
                }
            }
            let bits = &plane[at..at + BLOCK];
            for i in 0..BLOCK {
                found[i] |= bits[i];
                values[i] += if found[i] == 0 { 8 } else { 0 };
            }
            if !found.contains(&0) {
                break;
            }
        }
        for i in 0..BLOCK {
            let value = match found[i] {
                0 => self.plain_value(at + i),
                bit => u32::from(values[i]) + bit.trailing_zeros(),
            };
            self.values.push(value);
        }
    }

    /// The value of one heap, one move at a time.
    fn plain_value(&mut self, at: usize) -> u32 {
        self.stamp += 1;
        for &s in self.moves.iter().take_while(|&&s| s <= at) {
            self.seen[self.values[at - s] as usize] = self.stamp;
        }
        let missing = self.seen.iter().position(|&stamp| stamp != self.stamp);
        missing.expect("one of k + 1 values") as u32
    }
}

/// ORs to `start` the runs of `plane` that `moves` lead to from the block at `at`.
#[inline(never)] // Inlined, it loses its registers.
fn or_runs(start: &Block, plane: &[u8], at: usize, moves: &[usize]) -> Block {
    let mut bytes = *start;
    for &s in moves {
        for (byte, run) in bytes.iter_mut().zip(&plane[at - s..][..BLOCK]) {
            *byte |= run;
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::{sweep, Sweep, BLOCK, PLANES};
    use crate::SubtractionSet;
    use proptest::prelude::*;
    use std::ops::ControlFlow;

    /// Both ways to the values of the heaps 0 … `largest_heap` agree, and the last values are the last ones.
    fn check(moves: impl IntoIterator<Item = u64>, largest_heap: usize) {
        let set = SubtractionSet::new(moves);
        let moves: Vec<usize> = set.moves().iter().map(|&s| s as usize).collect();
        let plain = set.plain_table(largest_heap);
        let mut swept = Vec::new();
        let all = sweep(&moves, largest_heap, |new, last| {
            swept.extend(new.iter().map(|&value| value as usize));
            let reach = moves.last().copied().unwrap_or(1);
            assert!(last.len() == reach || swept.len() < reach);
            assert!(last.ends_with(&new[new.len().saturating_sub(last.len())..]));
            match swept.len() > largest_heap {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        });
        assert_eq!(all, Some(()));
        swept.truncate(largest_heap + 1);
        assert!(swept == plain, "{moves:?}");
    }

    #[test]
    fn one_move_around_the_block_edges() {
        let block = BLOCK as u64;
        for s in [
            1, 2, 3, 4, 5, 15, 16, 17, 1023, 1024, 1025, 4095, 4096, 4097, 20_000,
        ] {
            check([s], 12_000);
        }
        for s in (block - 2..=block + 2).chain(2 * block - 1..=2 * block + 1) {
            check([s], 12_000);
            check([1, s], 12_000);
            check([s, s + 1, 3 * s], 12_000);
        }
        // The last values are moved down once for each 1.5 · 9000 + 8192 heaps or so.
        check([1, 70, 130, 8999, 9000], 60_000);
    }

    /// 1 … k has the values 0 … k: every plane boundary is crossed, and the last plane too.
    #[test]
    fn values_up_to_k_cross_every_plane() {
        let last = 8 * PLANES as u64;
        for k in [
            1,
            7,
            8,
            9,
            15,
            16,
            17,
            31,
            32,
            33,
            63,
            64,
            65,
            127,
            128,
            200,
            last - 1,
            last,
            last + 1,
            300,
            // Most heaps are beyond the planes.
            700,
        ] {
            check(1..=k, 3500);
            // The same values, all moves beyond the block.
            check((1..=k).map(|s| 64 * s), 64 * 310);
        }
    }

    #[test]
    fn k_of_1_63_64_65_and_200_scattered_moves() {
        for k in [1u64, 63, 64, 65, 200] {
            check((1..=k).map(|i| 1 + i * i * 7919 % 2003), 20_000);
            check((1..=k).map(|i| 64 + i * i * 7919 % 9973), 30_000);
        }
    }

    /// Where there is no memory for more planes, the values beyond them are found one move at a time.
    #[test]
    fn any_number_of_planes() {
        let moves: Vec<usize> = (1..40).chain([90, 150, 151, 153, 400]).collect();
        let plain = SubtractionSet::new(moves.iter().map(|&s| s as u64)).plain_table(2000);
        for most_planes in 0..8 {
            let mut sweep = Sweep {
                moves: &moves,
                values: vec![moves.len() as u32 + 1; BLOCK],
                planes: Vec::new(),
                most_planes,
                seen: vec![0; moves.len() + 2],
                stamp: 0,
            };
            while sweep.values.len() < 2000 {
                sweep.block();
            }
            let values = &sweep.values[BLOCK..];
            assert!(values
                .iter()
                .zip(&plain)
                .all(|(&fast, &plain)| fast as usize == plain));
            assert!(sweep.planes.len() <= most_planes);
        }
    }

    proptest! {
        #[test]
        fn random_sets_of_short_moves(moves in prop::collection::vec(1u64..140, 0..120)) {
            check(moves, 3000);
        }

        #[test]
        fn random_sets(
            least in prop::sample::select(vec![1u64, 4, 16, 64, 500]),
            moves in prop::collection::vec(0u64..2000, 0..220),
        ) {
            check(moves.into_iter().map(|s| least + s), 9000);
        }
    }
}
