use itertools::{chain, iproduct, izip, Itertools};
use proconio::input;

fn main() {
    input! { a: [i32] }
    println!(
        "{}",
        a.iter().permutations(2).map(|p| p[0] * p[1]).sum::<i32>()
    );
    println!(
        "{:?}",
        a.iter()
            .combinations(3)
            .map(|c| c.into_iter().sum::<i32>())
            .collect_vec()
    );
    println!(
        "{:?}",
        a.iter().tuple_windows().map(|(x, y)| y - x).collect_vec()
    );
    println!(
        "{:?}",
        a.iter()
            .tuple_combinations()
            .filter(|(x, y, z)| *x + *y > **z)
            .count()
    );
    println!("{:?}", a.iter().sorted().dedup().collect_vec());
    println!("{:?}", a.iter().counts().into_iter().sorted().collect_vec());
    println!("{:?}", a.iter().minmax());
    println!("{:?}", a.iter().group_by_parity());
    println!("{}", a.iter().map(|x| x * 2).format(", "));
    println!(
        "{}",
        a.iter().format_with("-", |x, f| f(&format_args!("<{x}>")))
    );
    println!("{:?}", izip!(&a, 0..3, "abc".chars()).collect_vec());
    println!("{:?}", iproduct!(0..2, 0..2).collect_vec());
    println!("{:?}", chain!(0..2, [7], Some(9)).collect_vec());
    println!("{:?}", a.iter().kmerge_with());
    println!("{:?}", a.iter().unique().multi_cartesian());
    println!("{:?}", (1..=3).powerset().map(|s| s.len()).collect_vec());
    println!("{:?}", a.chunks(2).map(|c| c.iter().join("+")).join(" "));
    println!("{:?}", a.iter().position_minmax());
    println!(
        "{:?}",
        a.iter()
            .zip_longest(0..2)
            .map(|p| p.to_string())
            .collect_vec()
    );
}

trait More: Iterator {
    fn group_by_parity(self) -> Vec<(bool, usize)>;
    fn kmerge_with(self) -> Vec<i32>;
    fn multi_cartesian(self) -> usize;
}

impl<'a, I: Iterator<Item = &'a i32>> More for I {
    fn group_by_parity(self) -> Vec<(bool, usize)> {
        let groups = self.chunk_by(|x| *x % 2 == 0);
        groups
            .into_iter()
            .map(|(key, group)| (key, group.count()))
            .collect()
    }

    fn kmerge_with(self) -> Vec<i32> {
        vec![self.copied().sorted().collect_vec(), vec![2, 4]]
            .into_iter()
            .kmerge()
            .collect()
    }

    fn multi_cartesian(self) -> usize {
        let all = self.copied().collect_vec();
        vec![all.clone(), all]
            .into_iter()
            .multi_cartesian_product()
            .count()
    }
}

trait Text {
    fn to_string(self) -> String;
}

impl Text for itertools::EitherOrBoth<&i32, i32> {
    fn to_string(self) -> String {
        self.map_any(|x| *x, |y| y)
            .reduce(|x, y| x * 10 + y)
            .to_string()
    }
}
