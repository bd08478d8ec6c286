//! Keywords about the members of an object and the elements of an array.

use super::explain;
use super::program::{Contains, Id, Members, Program, Subschema};
use super::run::{Marks, Run, What};
use crate::json::{Kind, Node};

impl Program {
    fn is_nothing(&self, schema: Id) -> bool {
        matches!(self.subschemas.get(schema as usize), Some(Subschema::Nothing))
    }

    pub(super) fn members<'d>(
        &self,
        members: &Members,
        node: Node<'d>,
        run: &mut Run<'d>,
        mut marks: Option<&mut Marks>,
    ) -> bool {
        run.every(node.members(), |run, (name, value)| {
            if !run.budget.draw_text(name.len()) {
                return false;
            }
            let mut known = false;
            let mut holds = true;
            if let Some(schema) = members.named.get(&name) {
                known = true;
                holds = self.holds(schema, value, run, None);
            }
            for (pattern, schema) in &members.patterns {
                if (holds || run.goes_on()) && pattern.matches(&name, &run.budget) {
                    known = true;
                    holds &= self.holds(*schema, value, run, None);
                }
            }
            if let (false, Some(schema)) = (known, members.rest) {
                known = true;
                holds = self.further(schema, value, run);
            }
            if let (true, Some(marks)) = (known, marks.as_deref_mut()) {
                marks.add(value);
            }
            holds
        })
    }

    /// A property that no keyword names.
    fn further<'d>(&self, schema: Id, value: Node<'d>, run: &mut Run<'d>) -> bool {
        if self.is_nothing(schema) {
            return run.fail(value, || What::Unexpected);
        }
        self.holds(schema, value, run, None)
    }

    pub(super) fn leftover_properties<'d>(
        &self,
        schema: Id,
        node: Node<'d>,
        run: &mut Run<'d>,
        marks: Option<&mut Marks>,
    ) -> bool {
        let Some(marks) = marks else { return true };
        run.every(node.members(), |run, (_, value)| {
            if marks.has(value) {
                return true;
            }
            if !run.budget.draw(1) {
                return false;
            }
            marks.add(value);
            self.further(schema, value, run)
        })
    }

    pub(super) fn leftover_items<'d>(
        &self,
        schema: Id,
        node: Node<'d>,
        run: &mut Run<'d>,
        marks: Option<&mut Marks>,
    ) -> bool {
        let Some(marks) = marks else { return true };
        let mut verdict = true;
        for value in node.elements() {
            if marks.has(value) {
                continue;
            }
            if !run.budget.draw(1) {
                return false;
            }
            if self.is_nothing(schema) {
                return run.expect(node, || "no further items".to_owned());
            }
            marks.add(value);
            if !self.holds(schema, value, run, None) {
                if !run.goes_on() {
                    return false;
                }
                verdict = false;
            }
        }
        verdict
    }

    pub(super) fn names<'d>(&self, schema: Id, node: Node<'d>, run: &mut Run<'d>) -> bool {
        let mut members = node.members();
        let names = std::iter::from_fn(|| members.next_nodes().map(|(name, _)| name));
        run.every(names, |run, name| {
            if !run.budget.draw(1) {
                return false;
            }
            if run.silently(|run| self.holds(schema, name, run, None)) {
                return true;
            }
            if !run.tells() {
                return false;
            }
            let faults = run.aside(|run| self.holds(schema, name, run, None));
            let expected = faults.first().map(explain::expectation).unwrap_or_default();
            run.fail(node, || What::Name { name, expected })
        })
    }

    pub(super) fn entailed_schemas<'d>(
        &self,
        list: &[(Box<str>, Id)],
        node: Node<'d>,
        run: &mut Run<'d>,
        mut marks: Option<&mut Marks>,
    ) -> bool {
        run.every(list, |run, (name, schema)| {
            let (found, passed) = node.find(name);
            run.budget.draw(1 + passed)
                && (found.is_none() || self.holds(*schema, node, run, marks.as_deref_mut()))
        })
    }

    pub(super) fn first<'d>(
        &self,
        schemas: &[Id],
        node: Node<'d>,
        run: &mut Run<'d>,
        marks: Option<&mut Marks>,
    ) -> bool {
        self.elements(node.elements().zip(schemas.iter().copied()), run, marks)
    }

    pub(super) fn rest<'d>(
        &self,
        from: usize,
        schema: Id,
        node: Node<'d>,
        run: &mut Run<'d>,
        marks: Option<&mut Marks>,
    ) -> bool {
        self.elements(node.elements().skip(from).map(|value| (value, schema)), run, marks)
    }

    fn elements<'d>(
        &self,
        elements: impl Iterator<Item = (Node<'d>, Id)>,
        run: &mut Run<'d>,
        mut marks: Option<&mut Marks>,
    ) -> bool {
        run.every(elements, |run, (value, schema)| {
            if !run.budget.draw(1) {
                return false;
            }
            if let Some(marks) = marks.as_deref_mut() {
                marks.add(value);
            }
            self.holds(schema, value, run, None)
        })
    }

    pub(super) fn contains<'d>(
        &self,
        contains: &Contains,
        node: Node<'d>,
        run: &mut Run<'d>,
        marks: Option<&mut Marks>,
    ) -> bool {
        if node.kind() != Kind::Array {
            return true;
        }
        let mut marks = marks.filter(|_| contains.evaluates);
        let mut found = 0;
        for value in node.elements() {
            if marks.is_none() && contains.most == u64::MAX && found >= contains.least {
                break;
            }
            if !run.budget.draw(1) {
                return false;
            }
            if run.silently(|run| self.holds(contains.schema, value, run, None)) {
                found += 1;
                if let Some(marks) = marks.as_deref_mut() {
                    marks.add(value);
                }
            }
        }
        (contains.least..=contains.most).contains(&found)
            || run.expect(node, || "an array with an item that \"contains\" describes".to_owned())
    }
}
