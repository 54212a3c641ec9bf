use proconio::marker::{Bytes, Chars, Isize1, Usize1};
use proconio::{input, input_interactive, read_value};

fn main() {
    input! {
        n: usize,
        mut edges: [(Usize1, Usize1, u64); n],
        grid: [Chars; 2],
        word: Bytes,
        shift: Isize1,
        ragged: [[u8]; 2],
        rows: [[(i32, char); 2]; 2],
    }
    edges.sort();
    println!("{edges:?}");
    println!("{grid:?} {word:?} {shift}");
    println!("{ragged:?} {rows:?}");
    input_interactive! {
        last: String,
    }
    println!("{last}");
    let more: (u8, f64) = read_value!((u8, f64));
    println!("{more:?}");
}
