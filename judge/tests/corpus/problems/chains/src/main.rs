//! Conditions that match and compare at once, which only edition 2024 has: when they end, and when they drop what they looked at.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use proconio::input;

/// Says when it goes.
struct Told(&'static str, i64);

impl Told {
    fn value(&self) -> Option<&i64> {
        Some(&self.1)
    }

    fn found(&self) -> Option<Told> {
        (self.1 > 0).then(|| Told("found", self.1 - 1))
    }
}

impl Drop for Told {
    fn drop(&mut self) {
        print!("-{}{} ", self.0, self.1);
    }
}

/// The next larger value of each.
fn next_larger(values: &[i64]) -> Vec<i64> {
    let mut next = vec![-1; values.len()];
    let mut waiting: Vec<usize> = Vec::new();
    for (i, &value) in values.iter().enumerate() {
        while let Some(&top) = waiting.last()
            && values[top] < value
        {
            next[top] = value;
            waiting.pop();
        }
        waiting.push(i);
    }
    next
}

fn distances(from: usize, roads: &[Vec<(usize, i64)>]) -> Vec<Option<i64>> {
    let mut found: Vec<Option<i64>> = vec![None; roads.len()];
    found[from] = Some(0);
    let mut next = BinaryHeap::from([Reverse((0, from))]);
    while let Some(Reverse((far, at))) = next.pop() {
        if let Some(known) = found[at]
            && known < far
        {
            continue;
        }
        for &(to, length) in &roads[at] {
            let through = far + length;
            if let Some(known) = found[to]
                && known <= through
            {
            } else {
                found[to] = Some(through);
                next.push(Reverse((through, to)));
            }
        }
    }
    found
}

/// The steps of a number to 1, each counted once.
fn steps(n: u64, known: &RefCell<HashMap<u64, u64>>) -> u64 {
    if n > 1
        && let Some(&steps) = known.borrow().get(&n)
    {
        steps
    } else if n > 1 {
        let next = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
        let steps = 1 + steps(next, known);
        known.borrow_mut().insert(n, steps);
        steps
    } else {
        0
    }
}

/// What is looked at goes before what comes instead, and behind what is done with it.
fn dropped(value: i64) {
    if let Some(inner) = Told("outer", value).found()
        && (inner.1 > 0 || value > 5)
        && let Some(deep) = inner.found()
        && deep.1 < 9
    {
        print!("deep{} ", deep.1);
    } else {
        print!("else ");
    }
    let shown = if value % 2 == 0
        && let Some(&even) = Told("even", value).value()
    {
        let _inside = Told("inside", even);
        even + 1
    } else if let Some(&odd) = Told("odd", value).value()
        && odd > 1
    {
        odd - 1
    } else {
        Told("none", value).1
    };
    print!("={shown} ");
    let mut left = value;
    while left > 0
        && let Some(seen) = Told("seen", left).found()
        && seen.1 != 4
    {
        left -= 1;
        if left == 2 {
            continue;
        }
        print!("left{left} ");
    }
    println!();
}

/// What comes of some values, if all are as they should be.
macro_rules! all_of {
    ($first:pat = $a:expr $(, $next:pat = $b:expr)* => $made:expr) => {
        if let $first = $a $( && let $next = $b )* {
            Some($made)
        } else {
            None
        }
    };
}

/// The first pair of neighbours with a sum, where a negative number ends a line.
fn neighbours(lines: &[&[i64]], sum: i64) -> Option<(i64, i64)> {
    let mut answer = None;
    'lines: for line in lines {
        let mut before: Option<i64> = None;
        for &value in *line {
            if let Some(last) = before
                && last + value == sum
            {
                answer = Some((last, value));
                break 'lines;
            } else if let Some(last) = before
                && last < 0
            {
                break;
            } else {
                before = Some(value);
                if value == 0 {
                    continue;
                }
            }
            assert_ne!(value, 0);
        }
    }
    answer
}

fn main() {
    input! {
        values: [i64],
        n: usize,
        m: usize,
        roads: [(usize, usize, i64); m],
    }
    println!("{:?}", next_larger(&values));
    let mut from = vec![Vec::new(); n];
    for (a, b, length) in roads {
        from[a].push((b, length));
        from[b].push((a, length));
    }
    println!("{:?}", distances(0, &from));
    let known = RefCell::new(HashMap::new());
    println!("{} {}", steps(27, &known), known.borrow().len());
    for &value in values.iter().take(4) {
        dropped(value);
    }
    let lines = [&values[..], &[3, -1, 8, 4], &[4, 0, 8]];
    let of = |sum| {
        if let Some((a, b)) = neighbours(&lines, sum)
            && a <= b
        {
            b - a
        } else {
            sum
        }
    };
    println!(
        "{:?} {}",
        (3..13).map(of).collect::<Vec<_>>(),
        if let Some(last) = values.last()
            && n > 2
        {
            *last
        } else {
            0
        }
    );
    println!(
        "{:?}",
        all_of!(Some(a) = values.first(), Some(b) = values.last(), true = a < b => a * b)
    );
}
