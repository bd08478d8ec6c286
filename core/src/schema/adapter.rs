//! Our JSON nodes as the validator wants them: no second tree, and a budget that every look draws on.

use super::compare;
use crate::json::{Decimal, Document, Elements, Kind, Members, Node};
use jsonschema::json::{Array, Json, JsonNumber, Node as JsonNode, NodeIdentity, Object};
use jsonschema::JsonType;
use serde_json::Value;
use std::borrow::Cow;
use std::cell::Cell;
use std::ops::ControlFlow;

/// Steps that any check may take.
const BASE_STEPS: u64 = 16 << 20;
/// Steps more for every value of the instance, so that the bound never hits a large but simple one.
const STEPS_PER_VALUE: u64 = 64;

/// How many looks at values a check may still take. A step is a look at a value, a member passed over, or 32 bytes of
/// text; a pattern that backtracks costs more. Once spent, every node pretends to be empty, so that the check ends
/// soon with a verdict that nobody may use: see [`Budget::spent`].
pub(super) struct Budget {
    left: Cell<u64>,
    /// What a member's name costs on top, where patterns that backtrack are matched against it.
    name: u64,
}

impl Budget {
    pub(super) fn new(steps: u64, name: u64) -> Self {
        Self { left: Cell::new(steps), name }
    }

    /// Enough for any honest check of `instance`.
    pub(super) fn of(instance: Node<'_>, name: u64) -> Self {
        Self::new(BASE_STEPS + STEPS_PER_VALUE * instance.values() as u64, name)
    }

    /// Draws `steps`; false once there are not enough.
    #[inline]
    pub(super) fn draw(&self, steps: u64) -> bool {
        let left = self.left.get();
        let enough = left > steps;
        self.left.set(if enough { left - steps } else { 0 });
        enough
    }

    pub(super) fn spend(&self) {
        self.left.set(0);
    }

    pub(super) fn spent(&self) -> bool {
        self.left.get() == 0
    }
}

fn text_steps(bytes: usize) -> u64 {
    1 + bytes as u64 / 32
}

/// The representation: [`Cursor`]s over a [`Document`].
pub(super) struct Tape;

/// A node, and the budget that looking at it costs.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'a> {
    pub(super) node: Node<'a>,
    pub(super) budget: &'a Budget,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(node: Node<'a>, budget: &'a Budget) -> Self {
        Self { node, budget }
    }

    #[inline]
    fn look(self) -> Option<Kind> {
        self.budget.draw(1).then(|| self.node.kind())
    }
}

impl Json for Tape {
    type Node<'a> = Cursor<'a>;
    type PreparedKey = Box<str>;
    // A lookup walks the members, so one walk for several names pays off early.
    const KEYS_PER_LOOKUP: usize = 4;
    const ACYCLIC: bool = true;
    type StringBuffer = ();

    fn prepare_key(key: &str) -> Box<str> {
        key.into()
    }

    // Names of our objects are nodes already (see `try_for_each_name_node`), so this is only the trait's fallback.
    fn with_string_node<T>((): &mut (), string: &str, f: impl FnOnce(Cursor<'_>) -> T) -> T {
        let document = Document::of_text(string);
        let budget = Budget::of(document.root(), 0);
        f(Cursor::new(document.root(), &budget))
    }
}

impl<'a> JsonNode<'a, Tape> for Cursor<'a> {
    type Object = Cursor<'a>;
    type Array = Cursor<'a>;
    type Number = Number<'a>;

    #[inline]
    fn as_object(&self) -> Option<Cursor<'a>> {
        (self.look()? == Kind::Object).then_some(*self)
    }

    #[inline]
    fn as_array(&self) -> Option<Cursor<'a>> {
        (self.look()? == Kind::Array).then_some(*self)
    }

    fn as_string(&self) -> Option<Cow<'a, str>> {
        if self.look()? != Kind::String || !self.budget.draw(text_steps(self.node.raw().len())) {
            return None;
        }
        self.node.as_str()
    }

    #[inline]
    fn as_number(&self) -> Option<Number<'a>> {
        self.look()?;
        let token = self.node.as_number()?;
        self.budget.draw(text_steps(token.len())).then_some(Number(token))
    }

    fn as_boolean(&self) -> Option<bool> {
        self.look()?;
        self.node.as_bool()
    }

    fn is_null(&self) -> bool {
        self.look() == Some(Kind::Null)
    }

    fn is_number(&self) -> bool {
        self.look() == Some(Kind::Number)
    }

    #[inline]
    fn is_string(&self) -> bool {
        self.look() == Some(Kind::String)
    }

    #[inline]
    fn json_type(&self) -> JsonType {
        match self.look() {
            Some(Kind::True | Kind::False) => JsonType::Boolean,
            Some(Kind::Number) => JsonType::Number,
            Some(Kind::String) => JsonType::String,
            Some(Kind::Array) => JsonType::Array,
            Some(Kind::Object) => JsonType::Object,
            Some(Kind::Null) | None => JsonType::Null,
        }
    }

    fn string_length(&self) -> Option<u64> {
        self.as_string().map(|text| text.chars().count() as u64)
    }

    fn string_length_within(&self, min: u64, max: u64) -> Option<bool> {
        if self.look()? != Kind::String {
            return None;
        }
        // A code point takes at most 12 bytes as written (an escaped pair), so long texts need no counting.
        let bytes = self.node.raw().len() as u64 - 2;
        if bytes < min || bytes.div_ceil(12) > max {
            return Some(false);
        }
        if min <= bytes.div_ceil(12) && bytes <= max {
            return Some(true);
        }
        self.string_length().map(|length| (min..=max).contains(&length))
    }

    fn equals_value(&self, expected: &Value) -> bool {
        compare::equals_value(*self, expected)
    }

    // Only error texts see this, and they read the document itself; so it stays small whatever the instance is.
    fn to_value(&self) -> Cow<'a, Value> {
        const SHOWN: usize = 256;
        Cow::Owned(match self.node.kind() {
            Kind::Array if self.node.raw().len() > SHOWN => Value::Array(Vec::new()),
            Kind::Object if self.node.raw().len() > SHOWN => Value::Object(serde_json::Map::new()),
            Kind::String if self.node.raw().len() > SHOWN => {
                Value::String(self.node.as_str().unwrap_or_default().chars().take(SHOWN).collect())
            }
            Kind::Number if self.node.raw().len() > SHOWN => Value::Null,
            Kind::Null
            | Kind::True
            | Kind::False
            | Kind::Number
            | Kind::String
            | Kind::Array
            | Kind::Object => self.node.to_value(),
        })
    }

    fn identity(&self) -> Option<NodeIdentity> {
        let address = std::ptr::from_ref(self.node.document()) as usize;
        Some(NodeIdentity::tagged(address, self.node.index()))
    }
}

impl<'a> Object<'a, Tape> for Cursor<'a> {
    type Node = Cursor<'a>;
    type MemberName = Cow<'a, str>;
    type MembersIter = Named<'a>;

    #[inline]
    fn len(&self) -> usize {
        self.node.len()
    }

    fn get(&self, key: &Box<str>) -> Option<Cursor<'a>> {
        let (found, passed) = self.node.find(key);
        if !self.budget.draw(passed) {
            return None;
        }
        Some(Cursor::new(found?, self.budget))
    }

    fn members(&self) -> Named<'a> {
        Named { members: self.node.members(), budget: self.budget }
    }

    fn try_for_each_name_node<B>(
        &self,
        (): &mut (),
        mut f: impl FnMut(Cursor<'_>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let mut members = self.node.members();
        while let Some((name, _)) = members.next_nodes() {
            if !self.budget.draw(1) {
                break;
            }
            f(Cursor::new(name, self.budget))?;
        }
        ControlFlow::Continue(())
    }
}

impl<'a> Array<'a, Tape> for Cursor<'a> {
    type Node = Cursor<'a>;
    type ElementsIter = Items<'a>;

    fn len(&self) -> usize {
        self.node.len()
    }

    fn elements(&self) -> Items<'a> {
        Items { elements: self.node.elements(), budget: self.budget }
    }

    fn is_unique(&self) -> bool {
        compare::all_differ(*self)
    }
}

/// Members with their names.
pub(super) struct Named<'a> {
    members: Members<'a>,
    budget: &'a Budget,
}

impl<'a> Iterator for Named<'a> {
    type Item = (Cow<'a, str>, Cursor<'a>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let (name, value) = self.members.next()?;
        self.budget
            .draw(text_steps(name.len()) + self.budget.name)
            .then(|| (name, Cursor::new(value, self.budget)))
    }
}

/// Elements of an array.
pub(super) struct Items<'a> {
    elements: Elements<'a>,
    budget: &'a Budget,
}

impl<'a> Iterator for Items<'a> {
    type Item = Cursor<'a>;

    #[inline]
    fn next(&mut self) -> Option<Cursor<'a>> {
        let node = self.elements.next()?;
        self.budget.draw(1).then(|| Cursor::new(node, self.budget))
    }
}

/// A number, as its token.
pub(super) struct Number<'a>(pub(super) &'a str);

/// Tokens this long that are nothing but digits fit any 64-bit integer.
const SHORT: usize = 18;

impl Number<'_> {
    fn short(&self) -> Option<u64> {
        let digits = self.0.len() <= SHORT && self.0.bytes().all(|byte| byte.is_ascii_digit());
        digits.then(|| self.0.bytes().fold(0, |value, digit| value * 10 + u64::from(digit - b'0')))
    }
}

impl JsonNumber for Number<'_> {
    fn as_u64(&self) -> Option<u64> {
        self.short().or_else(|| Decimal::read(self.0).to_i128()?.try_into().ok())
    }

    fn as_i64(&self) -> Option<i64> {
        match self.short() {
            Some(value) => value.try_into().ok(),
            None => Decimal::read(self.0).to_i128()?.try_into().ok(),
        }
    }

    fn as_f64(&self) -> Option<f64> {
        self.0.parse().ok().filter(|value: &f64| value.is_finite())
    }

    fn as_str(&self) -> Cow<'_, str> {
        Cow::Borrowed(self.0)
    }

    fn to_number(&self) -> Cow<'_, serde_json::Number> {
        Cow::Owned(serde_json::from_str(self.0).unwrap_or_else(|_| 0.into()))
    }

    fn is_integer(&self) -> bool {
        !self.0.contains(['.', 'e', 'E']) || Decimal::read(self.0).is_integer()
    }

    fn is_written_as_integer(&self) -> bool {
        !self.0.contains(['.', 'e', 'E'])
    }
}
