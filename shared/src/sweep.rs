//! The Grundy values of a subtraction game, many heaps at a time; `SubtractionSet::plain_table` is the plain way.
//!
//! A value v is one bit: bit v mod 8 of the heap's byte in *plane* ⌊v/8⌋. The options of neighbouring heaps by one
//! move are neighbours too, so OR-ing a run of bytes for each move tells which of eight values the options of a whole
//! block have. The lowest bit left out is the mex; where none is, the next plane decides. Compilers make vector
//! instructions of such runs without being asked. Only as many values are kept as the largest move takes stones.

use std::ops::ControlFlow;

/// In place of the value of a heap of less than no stones.
pub(crate) const NO_HEAP: u32 = u32::MAX;

/// Heaps in a block. Moves of at least as many stones lead out of it.
const BLOCK: usize = 64;

/// The heaps of the values beyond so many planes, hardly any, are looked at one move at a time.
const PLANES: usize = 32;

/// Shows the values of the heaps 0, 1, 2, …, some at a time, to `visit` until it breaks: the new values, and the last
/// ones, these included, at least as many as the largest move. `moves` are sorted, distinct and positive.
pub(crate) fn sweep(moves: &[usize], mut visit: impl FnMut(&[u32], &[u32]) -> ControlFlow<()>) {
    let reach = moves.last().copied().unwrap_or(1).next_multiple_of(BLOCK);
    let chunk = (reach / 4).max(4096).next_multiple_of(BLOCK);
    let (within, beyond) = moves.split_at(moves.partition_point(|&s| s < BLOCK));
    let mut sweep = Sweep {
        within,
        beyond,
        values: vec![NO_HEAP; reach + chunk],
        planes: Vec::new(),
        runs: vec![[0; BLOCK]; PLANES],
        seen: vec![0; moves.len() + 1],
        stamp: 0,
    };
    loop {
        for plane in &mut sweep.planes {
            plane[reach..].fill(0);
        }
        for start in (reach..reach + chunk).step_by(BLOCK) {
            // Heaps no further apart than the least move do not see each other.
            match within.first() {
                None => sweep.block::<BLOCK>(start),
                Some(16..) => sweep.block::<16>(start),
                Some(4..) => sweep.block::<4>(start),
                Some(_) => sweep.block::<1>(start),
            }
        }
        if visit(&sweep.values[reach..], &sweep.values[chunk..]).is_break() {
            return;
        }
        sweep.values.copy_within(chunk.., 0);
        for plane in &mut sweep.planes {
            plane.copy_within(chunk.., 0);
        }
    }
}

struct Sweep<'a> {
    /// The moves of less stones than a block has heaps, and the others.
    within: &'a [usize],
    beyond: &'a [usize],
    /// Of the last heaps and the present ones.
    values: Vec<u32>,
    planes: Vec<Vec<u8>>,
    /// For each plane, what `beyond` leads to from the present block.
    runs: Vec<[u8; BLOCK]>,
    seen: Vec<u64>,
    stamp: u64,
}

impl Sweep<'_> {
    /// Finds the values of the block at `start`, WIDTH heaps at a time.
    fn block<const WIDTH: usize>(&mut self, start: usize) {
        let mut runs = 0;
        for at in (start..start + BLOCK).step_by(WIDTH) {
            // 255 for a heap that has no value yet.
            let mut open = [u8::MAX; WIDTH];
            let mut values = [0u8; WIDTH];
            for p in 0..PLANES {
                if p == self.planes.len() {
                    self.planes.push(vec![0; self.values.len()]);
                }
                let plane = &mut self.planes[p];
                if p == runs {
                    self.runs[p] = or_runs([0; BLOCK], plane, self.beyond, start);
                    runs += 1;
                }
                let run: &[u8; WIDTH] = self.runs[p][at - start..]
                    .first_chunk()
                    .expect("in the block");
                let options = or_runs(*run, plane, self.within, at);
                let bits = &mut plane[at..at + WIDTH];
                for i in 0..WIDTH {
                    // The lowest bit that no option has; 0 where all eight are taken.
                    let bit = !options[i] & options[i].wrapping_add(1) & open[i];
                    bits[i] = bit;
                    // 8 for a heap that stays open.
                    let below = bit.wrapping_sub(1).count_ones() as u8;
                    values[i] = values[i].wrapping_add(below & open[i]);
                    open[i] = if bit == 0 { open[i] } else { 0 };
                }
                if open == [0; WIDTH] {
                    break;
                }
            }
            for i in 0..WIDTH {
                self.values[at + i] = match open[i] {
                    0 => u32::from(values[i]),
                    _ => self.plain_value(at + i),
                };
            }
        }
    }

    /// The value of one heap, one move at a time.
    fn plain_value(&mut self, at: usize) -> u32 {
        self.stamp += 1;
        for &s in self.within.iter().chain(self.beyond) {
            if self.values[at - s] != NO_HEAP {
                self.seen[self.values[at - s] as usize] = self.stamp;
            }
        }
        // With k moves no value exceeds k.
        let missing = self.seen.iter().position(|&stamp| stamp != self.stamp);
        missing.expect("one of k + 1 values") as u32
    }
}

/// ORs to `bytes` the runs of as many bytes of `plane` that `moves` lead to from `at`.
fn or_runs<const WIDTH: usize>(
    mut bytes: [u8; WIDTH],
    plane: &[u8],
    moves: &[usize],
    at: usize,
) -> [u8; WIDTH] {
    for &s in moves {
        let run: &[u8; WIDTH] = plane[at - s..].first_chunk().expect("in the plane");
        for i in 0..WIDTH {
            bytes[i] |= run[i];
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::{sweep, BLOCK, PLANES};
    use crate::SubtractionSet;
    use proptest::prelude::*;
    use std::ops::ControlFlow;

    /// Both ways to the values of the heaps 0 … `largest_heap` agree, and the last values are the last ones.
    fn check(moves: impl IntoIterator<Item = u64>, largest_heap: usize) {
        let set = SubtractionSet::new(moves);
        let moves: Vec<usize> = set.moves().iter().map(|&s| s as usize).collect();
        let plain = set.plain_table(largest_heap);
        let mut swept = Vec::new();
        sweep(&moves, |new, last| {
            swept.extend(new.iter().map(|&value| value as usize));
            assert!(last.len() >= moves.last().copied().unwrap_or(0));
            assert!(last.ends_with(&new[new.len().saturating_sub(last.len())..]));
            match swept.len() > largest_heap {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        });
        swept.truncate(largest_heap + 1);
        assert!(swept == plain, "{moves:?}");
    }

    #[test]
    fn one_move_around_the_block_edges() {
        let block = BLOCK as u64;
        for s in [1, 2, 3, 4, 5, 15, 16, 17, 4095, 4096, 4097, 20_000] {
            check([s], 12_000);
        }
        for s in (block - 2..=block + 2).chain(2 * block - 1..=2 * block + 1) {
            check([s], 12_000);
            check([1, s], 12_000);
            check([s, s + 1, 3 * s], 12_000);
        }
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
        ] {
            check(1..=k, 1500);
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

    proptest! {
        #[test]
        fn random_sets(
            least in prop::sample::select(vec![1u64, 4, 16, 64, 500]),
            moves in prop::collection::vec(0u64..2000, 0..220),
        ) {
            check(moves.into_iter().map(|s| least + s), 9000);
        }
    }
}
