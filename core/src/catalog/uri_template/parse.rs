//! Reading a template, and refusing what has no single meaning backwards.

use super::pattern::{Part, Pattern, LISTED, LISTED_MEMBER, MEMBER, SEGMENT};
use super::{escape, normalize, Query, UriTemplate};

/// Bounds what matching one URI may cost.
const MAX_VARIABLES: usize = 32;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Plain,
    Reserved,
    Fragment,
    Slash,
    Query,
    Continuation,
}

#[derive(Debug)]
enum Token<'t> {
    Literal(&'t str),
    Expression { text: &'t str, operator: Operator, names: Vec<&'t str> },
}

pub(super) fn template(text: &str, allow_traversal: bool) -> Result<UriTemplate, String> {
    if text.is_empty() {
        return Err("a URI template may not be empty".to_owned());
    }
    let tokens = tokens(text)?;
    let names = tokens.iter().flat_map(|token| match token {
        Token::Literal(_) => &[],
        Token::Expression { names, .. } => names.as_slice(),
    });
    let mut seen: Vec<&str> = Vec::new();
    for name in names {
        if seen.contains(name) {
            return Err(format!("the variable \"{}\" stands twice", short(name)));
        }
        if seen.len() == MAX_VARIABLES {
            return Err(format!("more than {MAX_VARIABLES} variables"));
        }
        seen.push(name);
    }
    assemble(text, &tokens, allow_traversal)
}

fn tokens(text: &str) -> Result<Vec<Token<'_>>, String> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        let (literal, brace) = rest.split_at(at);
        let offset = text.len() - brace.len();
        let Some(inner) = brace.strip_prefix('{') else {
            return Err(format!("a \"}}\" without its \"{{\" at byte {offset}"));
        };
        let close = inner.find(['{', '}']).filter(|&n| inner[n..].starts_with('}'));
        let Some(close) = close else {
            return Err(format!("a \"{{\" without its \"}}\" at byte {offset}"));
        };
        if !literal.is_empty() {
            tokens.push(Token::Literal(checked(literal)?));
        }
        tokens.push(expression(&brace[..close + 2], &inner[..close])?);
        rest = &inner[close + 1..];
    }
    if !rest.is_empty() {
        tokens.push(Token::Literal(checked(rest)?));
    }
    Ok(tokens)
}

fn checked(literal: &str) -> Result<&str, String> {
    let bad = |c: char| c.is_control() || matches!(c, ' ' | '"' | '<' | '>' | '\\' | '^' | '`' | '|');
    if let Some(c) = literal.chars().find(|&c| bad(c)) {
        return Err(format!("{c:?} must be percent-encoded"));
    }
    let torn =
        literal.bytes().enumerate().any(|(n, c)| c == b'%' && escape(&literal.as_bytes()[n..]).is_none());
    if torn {
        return Err("a \"%\" without two hexadecimal digits".to_owned());
    }
    Ok(literal)
}

fn expression<'t>(text: &'t str, inner: &'t str) -> Result<Token<'t>, String> {
    let operator = match inner.bytes().next() {
        Some(b'+') => Operator::Reserved,
        Some(b'#') => Operator::Fragment,
        Some(b'/') => Operator::Slash,
        Some(b'?') => Operator::Query,
        Some(b'&') => Operator::Continuation,
        Some(b'.' | b';' | b'=' | b',' | b'!' | b'@' | b'|') => {
            return Err(format!(
                "the operator of {} is not matched: use {{v}} {{+v}} {{#v}} {{/v}} {{?v}} {{&v}}",
                short(text)
            ));
        }
        Some(_) | None => Operator::Plain,
    };
    let list = if operator == Operator::Plain { inner } else { &inner[1..] };
    let names: Vec<&str> = list.split(',').collect();
    for name in &names {
        if name.ends_with('*') {
            return Err(format!("{}: the explode modifier \"*\" is not matched", short(text)));
        }
        if name.contains(':') {
            return Err(format!("{}: the prefix modifier \":\" is not matched", short(text)));
        }
        if !is_name(name) {
            return Err(format!(
                "{}: a variable is named with letters, digits, \"_\" and inner dots",
                short(text)
            ));
        }
    }
    if names.len() > 1 && matches!(operator, Operator::Reserved | Operator::Fragment) {
        return Err(format!("{}: several variables here have no single meaning", short(text)));
    }
    Ok(Token::Expression { text, operator, names })
}

/// RFC 6570 section 2.3: `varname`.
fn is_name(name: &str) -> bool {
    let varchars = |part: &str| {
        let mut rest = part.as_bytes();
        while let Some((&first, behind)) = rest.split_first() {
            rest = match first {
                b'%' if escape(rest).is_some() => &rest[3..],
                b'_' => behind,
                c if c.is_ascii_alphanumeric() => behind,
                _ => return false,
            };
        }
        !part.is_empty()
    };
    name.split('.').all(varchars)
}

/// An expression, cut to what fits into a message.
fn short(expression: &str) -> String {
    match expression.char_indices().nth(40) {
        Some((at, _)) => format!("{}…", &expression[..at]),
        None => expression.to_owned(),
    }
}

fn assemble(text: &str, tokens: &[Token<'_>], allow_traversal: bool) -> Result<UriTemplate, String> {
    let start = query_start(tokens);
    let mut builder = Builder::run(tokens, start)?;
    if builder.query.as_ref().is_some_and(|query| !by_members(query)) {
        builder = Builder::run(tokens, None)?;
    }
    let Builder { path, query, fragment, .. } = builder;
    if let Some(query) = &query {
        let twice = query.named.iter().find(|name| {
            let key = normalize(name);
            query.written.iter().any(|member| member.key() == key.as_deref())
        });
        if let Some(name) = twice {
            return Err(format!("the query member \"{}\" stands twice", short(name)));
        }
    }
    Ok(UriTemplate { text: text.into(), path, query, fragment, allow_traversal })
}

/// Whether there are members, and each that is written out can be told from the others by its key.
fn by_members(query: &Query) -> bool {
    let keyed = query.written.iter().enumerate().all(|(n, member)| {
        let key = member.key();
        key.is_some() && query.written[..n].iter().all(|other| other.key() != key)
    });
    keyed && !(query.written.is_empty() && query.named.is_empty())
}

/// The literal in which a query begins that can be matched member by member: behind its `?` stand only literals and
/// `{v}`, up to `{&…}` or the end. Other queries are matched as they are written.
fn query_start(tokens: &[Token<'_>]) -> Option<usize> {
    let start =
        tokens.iter().position(|token| matches!(token, Token::Literal(text) if text.contains('?')))?;
    let mut behind = tokens[start..].iter().take_while(|token| {
        !matches!(token, Token::Expression { operator: Operator::Continuation | Operator::Fragment, .. })
    });
    let by_members = behind.all(|token| match token {
        Token::Literal(text) => !text.contains('#'),
        Token::Expression { operator, .. } => *operator == Operator::Plain,
    });
    by_members.then_some(start)
}

struct Builder {
    /// The token in which a query begins that is matched member by member.
    split: Option<usize>,
    path: Pattern,
    query: Option<Query>,
    fragment: Option<Box<str>>,
}

impl Builder {
    fn run(tokens: &[Token<'_>], split: Option<usize>) -> Result<Self, String> {
        let mut builder = Self { split, path: Pattern::default(), query: None, fragment: None };
        for (n, token) in tokens.iter().enumerate() {
            match token {
                Token::Literal(literal) => builder.literal(n, literal)?,
                Token::Expression { text, operator, names } => builder.expression(text, *operator, names)?,
            }
        }
        if let Some(query) = &mut builder.query {
            query.written.retain(|member| !member.is_empty());
        }
        Ok(builder)
    }

    fn literal(&mut self, n: usize, literal: &str) -> Result<(), String> {
        let closed = self.query.as_ref().is_some_and(|query| !query.named.is_empty());
        if closed || self.fragment.is_some() {
            return Err("behind {?…}, {&…} and {#…} no text can be matched".to_owned());
        }
        if self.split == Some(n) {
            let (path, query) = literal.split_once('?').unwrap_or((literal, ""));
            push_literal(&mut self.path, path);
            self.query = Some(Query { lead: '?', written: Vec::new(), named: Vec::new() });
            self.members(query);
        } else if self.query.is_some() {
            self.members(literal);
        } else {
            push_literal(&mut self.path, literal);
        }
        Ok(())
    }

    /// Adds text of a written query, where `&` begins the next member.
    fn members(&mut self, text: &str) {
        let Some(query) = &mut self.query else { return };
        for (n, piece) in text.split('&').enumerate() {
            if n > 0 || query.written.is_empty() {
                if query.written.last().is_some_and(Pattern::is_empty) {
                    query.written.pop();
                }
                query.written.push(Pattern::default());
            }
            if let Some(member) = query.written.last_mut() {
                push_literal(member, piece);
            }
        }
    }

    fn expression(&mut self, text: &str, operator: Operator, names: &[&str]) -> Result<(), String> {
        let misplaced = || Err(format!("{} cannot be matched where it stands", short(text)));
        let closed = self.query.as_ref().is_some_and(|query| !query.named.is_empty());
        let second_fragment = operator == Operator::Fragment && self.path.has('#');
        if self.fragment.is_some()
            || second_fragment
            || (closed && !matches!(operator, Operator::Continuation | Operator::Fragment))
        {
            return misplaced();
        }
        let mut names = names.iter().map(|&name| Box::<str>::from(name));
        match operator {
            Operator::Plain => self.plain(names),
            Operator::Reserved => names.for_each(|name| self.path.push(Part::Value { name, stops: b"" })),
            Operator::Slash => names.for_each(|name| self.path.push(Part::Slash { name })),
            Operator::Fragment => self.fragment = names.next(),
            Operator::Query | Operator::Continuation => {
                let lead = if operator == Operator::Query { '?' } else { '&' };
                let in_path = self.query.is_none() && self.path.has('?');
                if in_path || (operator == Operator::Query && self.query.is_some()) {
                    return misplaced();
                }
                let query =
                    self.query.get_or_insert_with(|| Query { lead, written: Vec::new(), named: Vec::new() });
                // The `&` or `?` in front of an expression begins no written member.
                query.written.retain(|member| !member.is_empty());
                query.named.extend(names);
            }
        }
        Ok(())
    }

    fn plain(&mut self, names: impl ExactSizeIterator<Item = Box<str>>) {
        let many = names.len() > 1;
        let in_query = self.query.is_some() || self.path.has('?');
        let stops = match (in_query, many) {
            (false, false) => SEGMENT,
            (false, true) => LISTED,
            (true, false) => MEMBER,
            (true, true) => LISTED_MEMBER,
        };
        let pattern = match &mut self.query {
            Some(query) => {
                if query.written.is_empty() {
                    query.written.push(Pattern::default());
                }
                let last = query.written.len() - 1;
                &mut query.written[last]
            }
            None => &mut self.path,
        };
        for (n, name) in names.enumerate() {
            if n > 0 {
                push_literal(pattern, ",");
            }
            pattern.push(Part::Value { name, stops });
        }
    }
}

fn push_literal(pattern: &mut Pattern, literal: &str) {
    // `checked` made sure that escapes are whole.
    let literal = normalize(literal).unwrap_or(literal.into());
    if !literal.is_empty() {
        pattern.push(Part::Literal(literal.into()));
    }
}
