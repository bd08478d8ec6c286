//! What `format` names, for hosts that want it checked.

use super::dialect::Dialect;
use fluent_uri::{Iri, IriRef, Uri, UriRef};
use std::net::{Ipv4Addr, Ipv6Addr};

/// A format by its name.
#[derive(Clone, Copy)]
pub(super) struct Format(&'static Known);

struct Known {
    name: &'static str,
    since: Dialect,
    matches: fn(&str) -> bool,
}

const fn known(name: &'static str, since: Dialect, matches: fn(&str) -> bool) -> Known {
    Known { name, since, matches }
}

/// Formats and the first dialect that has them so; what stands later counts. Internationalised names are not among them,
/// and A-labels are not decoded: that needs large tables.
static KNOWN: [Known; 18] = [
    known("date", Dialect::Draft04, date),
    known("date-time", Dialect::Draft04, date_time),
    known("duration", Dialect::Draft201909, duration),
    known("email", Dialect::Draft04, email),
    known("hostname", Dialect::Draft04, old_hostname),
    known("hostname", Dialect::Draft07, hostname),
    known("ipv4", Dialect::Draft04, |text| text.parse::<Ipv4Addr>().is_ok()),
    known("ipv6", Dialect::Draft04, |text| text.parse::<Ipv6Addr>().is_ok()),
    known("iri", Dialect::Draft07, |text| Iri::parse(text).is_ok()),
    known("iri-reference", Dialect::Draft07, |text| IriRef::parse(text).is_ok()),
    known("json-pointer", Dialect::Draft06, json_pointer),
    known("regex", Dialect::Draft04, jsonschema_regex::is_valid_ecma_regex),
    known("relative-json-pointer", Dialect::Draft07, relative_json_pointer),
    known("time", Dialect::Draft04, time),
    known("uri", Dialect::Draft04, |text| Uri::parse(text).is_ok()),
    known("uri-reference", Dialect::Draft06, |text| UriRef::parse(text).is_ok()),
    known("uri-template", Dialect::Draft06, uri_template),
    known("uuid", Dialect::Draft201909, uuid),
];

impl Format {
    /// Nothing if a dialect does not have it.
    pub(super) fn named(name: &str, dialect: Dialect) -> Option<Self> {
        KNOWN.iter().rfind(|known| known.name == name && known.since <= dialect).map(Self)
    }

    pub(super) fn name(self) -> &'static str {
        self.0.name
    }

    pub(super) fn matches(self, text: &str) -> bool {
        (self.0.matches)(text)
    }
}

/// The value of `text` if it is so many digits.
fn digits(text: &str, count: usize) -> Option<u32> {
    let plain = text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten()
}

fn within(text: &str, range: std::ops::RangeInclusive<u32>) -> Option<u32> {
    digits(text, 2).filter(|value| range.contains(value))
}

/// RFC 3339, `full-date`.
fn date(text: &str) -> bool {
    let mut parts = text.splitn(3, '-');
    let mut next = || parts.next().unwrap_or_default();
    let (Some(year), Some(month), Some(day)) =
        (digits(next(), 4), within(next(), 1..=12), within(next(), 1..=31))
    else {
        return false;
    };
    let leap = year % 4 == 0 && year % 100 != 0 || year % 400 == 0;
    day <= match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// RFC 3339, `full-time`.
fn time(text: &str) -> bool {
    parts_of_time(text).is_some()
}

fn parts_of_time(text: &str) -> Option<()> {
    let (clock, rest) = text.split_at_checked(8)?;
    let mut parts = clock.splitn(3, ':');
    let hour = within(parts.next()?, 0..=23)?;
    let minute = within(parts.next()?, 0..=59)?;
    let second = within(parts.next()?, 0..=60)?;
    let zone = match rest.strip_prefix('.') {
        Some(fraction) => {
            let zone = fraction.trim_start_matches(|c: char| c.is_ascii_digit());
            (zone.len() < fraction.len()).then_some(zone)?
        }
        None => rest,
    };
    // Minutes to take away for universal time.
    let offset = match zone.strip_prefix(['+', '-']) {
        Some(offset) => {
            let (hours, minutes) = offset.split_once(':')?;
            let minutes = within(hours, 0..=23)? * 60 + within(minutes, 0..=59)?;
            if zone.starts_with('+') {
                24 * 60 - minutes
            } else {
                minutes
            }
        }
        None => zone.eq_ignore_ascii_case("z").then_some(0)?,
    };
    // A leap second ends a day of universal time.
    let last = (hour * 60 + minute + offset) % (24 * 60) == 24 * 60 - 1;
    (second < 60 || last).then_some(())
}

fn date_time(text: &str) -> bool {
    text.split_once(['T', 't']).is_some_and(|(day, clock)| date(day) && time(clock))
}

/// RFC 3339, appendix A: units follow one another without a gap.
fn duration(text: &str) -> bool {
    let Some(text) = text.strip_prefix('P') else {
        return false;
    };
    if let Some(weeks) = text.strip_suffix('W') {
        return !weeks.is_empty() && weeks.bytes().all(|byte| byte.is_ascii_digit());
    }
    let (day, clock) = text.split_once('T').map_or((text, None), |(day, clock)| (day, Some(clock)));
    let clock_fits = clock.is_none_or(|clock| !clock.is_empty() && units(clock, "HMS"));
    clock_fits && units(day, "YMD") && !(day.is_empty() && clock.is_none())
}

/// Whether `text` is numbers with units that stand next to each other in `order`.
fn units(text: &str, order: &str) -> bool {
    let mut last = None;
    let mut number = false;
    for c in text.chars() {
        if c.is_ascii_digit() {
            number = true;
            continue;
        }
        let Some(at) = order.find(c) else {
            return false;
        };
        if !number || last.is_some_and(|last| at != last + 1) {
            return false;
        }
        (last, number) = (Some(at), false);
    }
    !number
}

/// RFC 5321, section 4.1.2.
fn email(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else {
        return false;
    };
    let quoted = local.len() > 1 && local.starts_with('"') && local.ends_with('"');
    let local_fits = local.len() <= 64
        && if quoted {
            quoted_string(&local[1..local.len() - 1])
        } else {
            local.split('.').all(|atom| !atom.is_empty() && atom.bytes().all(is_atom))
        };
    local_fits
        && match domain.strip_prefix('[').and_then(|domain| domain.strip_suffix(']')) {
            Some(address) => match address.get(..5) {
                Some(tag) if tag.eq_ignore_ascii_case("IPv6:") => address[5..].parse::<Ipv6Addr>().is_ok(),
                _ => address.parse::<Ipv4Addr>().is_ok(),
            },
            None => hostname(domain),
        }
}

fn is_atom(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~".contains(&byte)
}

fn quoted_string(inner: &str) -> bool {
    let mut bytes = inner.bytes();
    while let Some(byte) = bytes.next() {
        let fits = match byte {
            b'"' => false,
            b'\\' => bytes.next().is_some_and(|byte| (b' '..=b'~').contains(&byte)),
            byte => (b' '..=b'~').contains(&byte),
        };
        if !fits {
            return false;
        }
    }
    true
}

/// RFC 1123, section 2.1.
fn old_hostname(text: &str) -> bool {
    let label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    text.len() <= 253 && text.split('.').all(label)
}

/// RFC 5890, section 2.3.1: hyphens in the third and fourth place are for A-labels alone.
fn hostname(text: &str) -> bool {
    let label = |label: &str| {
        let reserved = label.get(2..4) == Some("--");
        !reserved || label.len() > 4 && label[..2].eq_ignore_ascii_case("xn")
    };
    old_hostname(text) && text.split('.').all(label)
}

/// RFC 6901.
fn json_pointer(text: &str) -> bool {
    (text.is_empty() || text.starts_with('/'))
        && text.split('~').skip(1).all(|escaped| escaped.starts_with(['0', '1']))
}

fn relative_json_pointer(text: &str) -> bool {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let up = &text[..text.len() - rest.len()];
    !up.is_empty() && (up == "0" || !up.starts_with('0')) && (rest == "#" || json_pointer(rest))
}

/// RFC 6570.
fn uri_template(text: &str) -> bool {
    let mut rest = text;
    loop {
        let Some(at) = rest.find(['{', '}']) else {
            return literal(rest);
        };
        let (before, expression) = rest.split_at(at);
        let Some((expression, after)) = expression.strip_prefix('{').and_then(|text| text.split_once('}'))
        else {
            return false;
        };
        let variables = expression.strip_prefix(|c| "+#./;?&=,!@|".contains(c)).unwrap_or(expression);
        if !literal(before) || !variables.split(',').all(variable) {
            return false;
        }
        rest = after;
    }
}

fn literal(text: &str) -> bool {
    let plain = |c: char| !(c <= ' ' || c == '\u{7f}' || "\"<>\\^`|".contains(c));
    text.chars().all(plain) && escapes(text)
}

/// Whether every `%` stands before two hexadecimal digits.
fn escapes(text: &str) -> bool {
    let hex =
        |escape: &str| escape.as_bytes().get(..2).is_some_and(|pair| pair.iter().all(u8::is_ascii_hexdigit));
    text.split('%').skip(1).all(hex)
}

fn variable(text: &str) -> bool {
    let name = match text.split_once(':') {
        Some((name, length)) => {
            let digits = (1..=4).contains(&length.len()) && length.bytes().all(|byte| byte.is_ascii_digit());
            if !digits || length.starts_with('0') {
                return false;
            }
            name
        }
        None => text.strip_suffix('*').unwrap_or(text),
    };
    let part = |part: &str| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_%".contains(&byte))
    };
    name.split('.').all(part) && escapes(name)
}

fn uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}
