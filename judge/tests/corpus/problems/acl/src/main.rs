use ac_library::{
    convolution, Additive, Dsu, FenwickTree, LazySegtree, MapMonoid, ModInt998244353, Monoid,
    Segtree,
};
use proconio::input;

struct AddMax;
struct Largest;

impl Monoid for Largest {
    type S = i64;
    fn identity() -> i64 {
        i64::MIN
    }
    fn binary_operation(a: &i64, b: &i64) -> i64 {
        *a.max(b)
    }
}

impl MapMonoid for AddMax {
    type M = Largest;
    type F = i64;
    fn identity_map() -> i64 {
        0
    }
    fn composition(f: &i64, g: &i64) -> i64 {
        f + g
    }
    fn mapping(f: &i64, x: &i64) -> i64 {
        f.saturating_add(*x)
    }
}

fn main() {
    input! { n: usize, q: usize, a: [i64; n], queries: [(usize, usize); q] }
    let mut dsu = Dsu::new(n);
    let mut tree = FenwickTree::<i64>::new(n, 0);
    let sums = Segtree::<Additive<i64>>::from(a.clone());
    let mut lazy = LazySegtree::<AddMax>::from(a.clone());
    for (i, &x) in a.iter().enumerate() {
        tree.add(i, x);
    }
    for &(l, r) in &queries {
        dsu.merge(l, r - 1);
        lazy.apply_range(l..r, 10);
        println!("{} {} {}", tree.sum(l..r), sums.prod(l..r), lazy.prod(..));
    }
    println!("{}", dsu.groups().len());
    let b: Vec<ModInt998244353> = a.iter().map(|&x| x.into()).collect();
    println!(
        "{:?}",
        convolution(&b, &b)
            .iter()
            .map(|x| x.val())
            .collect::<Vec<_>>()
    );
    println!("{}", ModInt998244353::new(2).pow(100) / 3);
}
