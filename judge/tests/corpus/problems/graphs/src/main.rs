use petgraph::algo::{dijkstra, is_cyclic_directed, tarjan_scc, toposort};
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::unionfind::UnionFind;
use petgraph::visit::{Bfs, EdgeRef};
use proconio::input;

fn main() {
    input! { n: usize, m: usize, edges: [(u32, u32, u64); m] }
    let graph = DiGraph::<(), u64>::from_edges(&edges);
    let distances = dijkstra(&graph, NodeIndex::new(0), None, |edge| *edge.weight());
    let mut distances: Vec<_> = distances.iter().map(|(at, d)| (at.index(), *d)).collect();
    distances.sort();
    println!("{distances:?}");
    println!(
        "{} {}",
        is_cyclic_directed(&graph),
        tarjan_scc(&graph).len()
    );
    println!("{:?}", toposort(&graph, None).is_err());
    let mut bfs = Bfs::new(&graph, NodeIndex::new(0));
    let mut order = Vec::new();
    while let Some(at) = bfs.next(&graph) {
        order.push(at.index());
    }
    println!("{order:?}");
    let mut sets = UnionFind::<usize>::new(n);
    let joined = graph
        .edge_references()
        .filter(|e| sets.union(e.source().index(), e.target().index()))
        .count();
    println!("{joined}");
}
