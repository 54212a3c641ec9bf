use proconio::{input, marker::*};
use rand::prelude::*;
use rand_pcg::Pcg64Mcg;

/// How far it is around all points in some order.
fn length(points: &[(i64, i64)], order: &[usize]) -> i64 {
    let next = order.iter().cycle().skip(1);
    let pairs = order.iter().zip(next);
    let step = |(&a, &b): (&usize, &usize)| {
        (points[a].0 - points[b].0).abs() + (points[a].1 - points[b].1).abs()
    };
    pairs.map(step).sum()
}

fn main() {
    input! { seed: u64, name: Chars, n: usize, points: [(i64, i64); n] }
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let mut order: Vec<usize> = (0..n).collect();
    order.shuffle(&mut rng);
    let mut now = length(&points, &order);
    for step in 0..1000 {
        let heat = 10.0 * (1.0 - step as f64 / 1000.0) + 0.01;
        let (a, b) = (rng.gen_range(0..n), rng.gen_range(0..n));
        order.swap(a, b);
        let then = length(&points, &order);
        if then <= now || rng.gen_bool((((now - then) as f64) / heat).exp()) {
            now = then;
        } else {
            order.swap(a, b);
        }
    }
    println!("{now} {order:?} {:?}", name.choose(&mut rng));
}
