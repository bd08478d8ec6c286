//! Runs a program on a value. One pass decides, a second one tells what is wrong; both are this code.

use super::assertion::Assertion;
use super::program::{Branches, Dynamic, Id, Keyword, Keywords, Program, Subschema};
use super::run::{Marks, Run, What};
use crate::json::Node;

/// A verdict is kept if it took this many steps.
const WORTH_KEEPING: u64 = 64;

impl Program {
    /// Whether `node` is what a subschema asks for. `marks` gathers the children that it has looked at, for keywords
    /// about leftovers; where the verdict is false they mean nothing.
    #[inline]
    pub(super) fn holds<'d>(
        &self,
        schema: Id,
        node: Node<'d>,
        run: &mut Run<'d>,
        marks: Option<&mut Marks>,
    ) -> bool {
        if !run.budget.draw(1) {
            return false;
        }
        match self.subschemas.get(schema as usize) {
            Some(Subschema::Typed(types)) => types.hold(node) || run.fail(node, || What::Type(*types)),
            Some(Subschema::Keywords(keywords)) => self.keywords(keywords, node, run, marks),
            Some(Subschema::Nothing) => run.expect(node, || "no value here".to_owned()),
            Some(Subschema::Anything) | None => true,
        }
    }

    fn keywords<'d>(
        &self,
        keywords: &Keywords,
        node: Node<'d>,
        run: &mut Run<'d>,
        marks: Option<&mut Marks>,
    ) -> bool {
        if self.dynamic && run.scope.last() != Some(&keywords.resource) {
            run.scope.push(keywords.resource);
            let verdict = self.within(keywords, node, run, marks);
            run.scope.pop();
            return verdict;
        }
        self.within(keywords, node, run, marks)
    }

    #[inline]
    fn within<'d>(
        &self,
        keywords: &Keywords,
        node: Node<'d>,
        run: &mut Run<'d>,
        marks: Option<&mut Marks>,
    ) -> bool {
        if keywords.leftovers {
            self.with_leftovers(keywords, node, run, marks)
        } else {
            self.each(keywords, node, run, marks)
        }
    }

    #[inline(never)]
    fn with_leftovers<'d>(
        &self,
        keywords: &Keywords,
        node: Node<'d>,
        run: &mut Run<'d>,
        marks: Option<&mut Marks>,
    ) -> bool {
        let mut own = Marks::default();
        let verdict = self.each(keywords, node, run, Some(&mut own));
        if let (true, Some(marks)) = (verdict, marks) {
            marks.take(own);
        }
        verdict
    }

    #[inline]
    fn each<'d>(
        &self,
        keywords: &Keywords,
        node: Node<'d>,
        run: &mut Run<'d>,
        mut marks: Option<&mut Marks>,
    ) -> bool {
        run.every(&keywords.all, |run, keyword| {
            // The most frequent demand needs no call.
            matches!(keyword, Keyword::Assertion(Assertion::Type(types)) if types.hold(node))
                || self.keyword(keyword, node, run, marks.as_deref_mut())
        })
    }

    fn keyword<'d>(
        &self,
        keyword: &Keyword,
        node: Node<'d>,
        run: &mut Run<'d>,
        marks: Option<&mut Marks>,
    ) -> bool {
        match keyword {
            Keyword::Assertion(assertion) => assertion.holds(node, run),
            Keyword::EntailedSchemas(list) => self.entailed_schemas(list, node, run, marks),
            Keyword::Members(members) => self.members(members, node, run, marks),
            Keyword::Names(schema) => self.names(*schema, node, run),
            Keyword::First(schemas) => self.first(schemas, node, run, marks),
            Keyword::Rest { from, schema } => self.rest(*from, *schema, node, run, marks),
            Keyword::Contains(contains) => self.contains(contains, node, run, marks),
            Keyword::Reference(schema) => self.refer(*schema, node, run, marks),
            Keyword::Dynamic(dynamic) => self.refer(resolve(dynamic, run), node, run, marks),
            Keyword::All(schemas) => self.all(schemas, node, run, marks),
            Keyword::Any(schemas) => self.any(schemas, node, run, marks),
            Keyword::One(schemas) => self.one(schemas, node, run, marks),
            Keyword::Not { schema, shown } => {
                !run.silently(|run| self.holds(*schema, node, run, None))
                    || run.expect(node, || format!("a value that does not match {shown}"))
            }
            Keyword::If(branches) => self.branch(branches, node, run, marks),
            Keyword::LeftoverItems(schema) => self.leftover_items(*schema, node, run, marks),
            Keyword::LeftoverProperties(schema) => self.leftover_properties(*schema, node, run, marks),
        }
    }

    fn refer<'d>(&self, schema: Id, node: Node<'d>, run: &mut Run<'d>, marks: Option<&mut Marks>) -> bool {
        if self.dynamic || run.tells() || marks.is_some() {
            return self.holds(schema, node, run, marks);
        }
        if let Some(verdict) = run.known(schema, node) {
            return verdict;
        }
        let before = run.budget.left();
        let verdict = self.holds(schema, node, run, None);
        if before - run.budget.left() >= WORTH_KEEPING {
            run.note(schema, node, verdict);
        }
        verdict
    }

    fn all<'d>(
        &self,
        schemas: &[Id],
        node: Node<'d>,
        run: &mut Run<'d>,
        mut marks: Option<&mut Marks>,
    ) -> bool {
        run.every(schemas, |run, &schema| self.holds(schema, node, run, marks.as_deref_mut()))
    }

    /// Whether `schema` holds, saying nothing; its marks count only then.
    fn tries<'d>(&self, schema: Id, node: Node<'d>, run: &mut Run<'d>, marks: Option<&mut Marks>) -> bool {
        let Some(marks) = marks else {
            return run.silently(|run| self.holds(schema, node, run, None));
        };
        let mut own = Marks::default();
        let verdict = run.silently(|run| self.holds(schema, node, run, Some(&mut own)));
        if verdict {
            marks.take(own);
        }
        verdict
    }

    fn any<'d>(
        &self,
        schemas: &[Id],
        node: Node<'d>,
        run: &mut Run<'d>,
        mut marks: Option<&mut Marks>,
    ) -> bool {
        let mut verdict = false;
        for &schema in schemas {
            if self.tries(schema, node, run, marks.as_deref_mut()) {
                verdict = true;
                if marks.is_none() {
                    break;
                }
            }
        }
        verdict || self.no_alternative(schemas, node, run)
    }

    fn one<'d>(
        &self,
        schemas: &[Id],
        node: Node<'d>,
        run: &mut Run<'d>,
        mut marks: Option<&mut Marks>,
    ) -> bool {
        let mut holding = 0;
        for &schema in schemas {
            if self.tries(schema, node, run, marks.as_deref_mut()) {
                holding += 1;
                if holding == 2 {
                    return run
                        .expect(node, || "a value that fits exactly one of the alternatives".to_owned());
                }
            }
        }
        holding == 1 || self.no_alternative(schemas, node, run)
    }

    #[cold]
    fn no_alternative<'d>(&self, schemas: &[Id], node: Node<'d>, run: &mut Run<'d>) -> bool {
        if !run.tells() {
            return false;
        }
        let faults =
            schemas.iter().map(|&schema| run.aside(|run| self.holds(schema, node, run, None))).collect();
        run.fail(node, || What::Alternatives(faults))
    }

    fn branch<'d>(
        &self,
        branches: &Branches,
        node: Node<'d>,
        run: &mut Run<'d>,
        mut marks: Option<&mut Marks>,
    ) -> bool {
        let next = if self.tries(branches.test, node, run, marks.as_deref_mut()) {
            branches.then
        } else {
            branches.otherwise
        };
        next.is_none_or(|schema| self.holds(schema, node, run, marks))
    }
}

/// Where a dynamic reference leads from here.
fn resolve(dynamic: &Dynamic, run: &Run<'_>) -> Id {
    let place = |resource| dynamic.places.iter().find(|(known, _)| *known == resource);
    run.scope.iter().find_map(|&resource| place(resource)).map_or(dynamic.plain, |&(_, schema)| schema)
}
