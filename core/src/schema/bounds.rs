//! What a schema may cost: how deep and how wide the subschemas go that are applied to one value.

use super::explain::cut;
use super::graph::Graph;
use super::SchemaFault;

/// Subschemas that may be applied to one value, one inside the other.
const MAX_DEPTH: u32 = 64;
/// Subschemas that may be applied to one value in all, counted once for every way that leads to them.
const MAX_PRODUCT: u64 = 2_000;

#[derive(Clone, Copy)]
enum Cost {
    Unknown,
    /// On the way to itself.
    Open,
    Known {
        product: u64,
        depth: u32,
    },
}

/// The faults of `graph`: each names the outermost subschema that is too much.
pub(super) fn faults(graph: &Graph<'_>) -> Vec<SchemaFault> {
    if let Some(overflow) = &graph.overflow {
        return vec![overflow.clone()];
    }
    let mut measure = Measure { graph, costs: vec![Cost::Unknown; graph.vertices.len()], faults: Vec::new() };
    for vertex in 0..graph.vertices.len() {
        if measure.cost(vertex, 0).is_none() {
            break;
        }
    }
    measure.faults
}

struct Measure<'g, 's> {
    graph: &'g Graph<'s>,
    costs: Vec<Cost>,
    faults: Vec<SchemaFault>,
}

impl Measure<'_, '_> {
    /// Product and depth of a vertex, or a fault. Recursion is bounded by `MAX_DEPTH`.
    fn cost(&mut self, vertex: usize, above: u32) -> Option<(u64, u32)> {
        match self.costs[vertex] {
            Cost::Known { product, depth } if above + depth <= MAX_DEPTH => return Some((product, depth)),
            Cost::Known { .. } => return self.fault(vertex, too_deep()),
            Cost::Open => return self.fault(vertex, "refers to itself without end".to_owned()),
            Cost::Unknown if above == MAX_DEPTH => return self.fault(vertex, too_deep()),
            Cost::Unknown => {}
        }
        self.costs[vertex] = Cost::Open;
        let graph = self.graph;
        let (mut product, mut depth) = (1_u64, 1);
        for &next in &graph.vertices[vertex].same {
            let (wide, deep) = self.cost(next, above + 1)?;
            product = product.saturating_add(wide);
            depth = depth.max(deep + 1);
        }
        if product > MAX_PRODUCT {
            return self.fault(
                vertex,
                format!("applies more than {MAX_PRODUCT} subschemas to one value; use fewer alternatives or references"),
            );
        }
        self.costs[vertex] = Cost::Known { product, depth };
        Some((product, depth))
    }

    fn fault(&mut self, vertex: usize, reason: String) -> Option<(u64, u32)> {
        let pointer = cut(&self.graph.vertices[vertex].pointer, 240);
        self.faults.push(SchemaFault { pointer, reason });
        None
    }
}

fn too_deep() -> String {
    format!("is more than {MAX_DEPTH} subschemas deep for one value; nest less or shorten the chain of references")
}
