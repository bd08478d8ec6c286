//! Formats of strings: addresses, dates, base64.

use fluent_uri::Uri;

/// Standard alphabet, padded, nothing between, no stray bits at the end (RFC 4648 section 4).
pub(crate) fn is_base64(text: &str) -> bool {
    let bytes = text.as_bytes();
    if bytes.is_empty() {
        return true;
    }
    if bytes.len() % 4 != 0 {
        return false;
    }
    let padding = bytes.iter().rev().take(2).take_while(|&&byte| byte == b'=').count();
    let (body, _) = bytes.split_at(bytes.len() - padding);
    // Without branches, so that it runs at the speed of the memory.
    if !body.iter().fold(true, |all, &byte| all & is_symbol(byte)) {
        return false;
    }
    let unused = match padding {
        0 => 0,
        1 => 0b11,
        _ => 0b1111,
    };
    body.last().is_some_and(|&last| symbol_value(last) & unused == 0)
}

#[inline]
#[expect(clippy::needless_bitwise_bool, reason = "lazy operators are branches, which keep the loop scalar")]
fn is_symbol(byte: u8) -> bool {
    ((byte | 0x20).wrapping_sub(b'a') < 26) | (byte.wrapping_sub(b'0') < 10) | (byte == b'+') | (byte == b'/')
}

fn symbol_value(byte: u8) -> u8 {
    match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        _ => 63,
    }
}

/// An absolute URI as far as it must be one to be told apart from a path: a scheme, then no white space.
///
/// Characters outside ASCII are let through: hosts list such names, and clients compare them as text.
pub(crate) fn is_absolute(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else {
        return false;
    };
    scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'))
        && !rest.is_empty()
        && !rest.contains(|c: char| c.is_whitespace() || c.is_control())
}

/// Where an icon may come from: 2026-07-28, Icon, says an HTTP(S) URL or a data URI. Anything else could run code or read
/// files in the client.
pub(crate) fn is_icon_source(text: &str) -> bool {
    let (scheme, rest) = text.split_once(':').unwrap_or_default();
    let fits = if scheme.eq_ignore_ascii_case("data") {
        rest.contains(',')
    } else {
        let web = scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
        web && rest.strip_prefix("//").is_some_and(|rest| !rest.starts_with('/') && !rest.is_empty())
    };
    fits && is_absolute(text)
}

/// `any`, or a width and a height such as `48x48`.
pub(crate) fn is_icon_size(text: &str) -> bool {
    let side =
        |side: &str| !side.is_empty() && !side.starts_with('0') && side.bytes().all(|b| b.is_ascii_digit());
    text == "any" || text.split_once('x').is_some_and(|(width, height)| side(width) && side(height))
}

/// A URI by the grammar of RFC 3986.
pub(crate) fn is_uri(text: &str) -> bool {
    Uri::parse(text).is_ok()
}

/// What is wrong with an address that a person shall open.
pub(crate) fn link_fault(text: &str) -> Option<&'static str> {
    let Ok(uri) = Uri::parse(text) else {
        return Some("must be an absolute URL");
    };
    let web = ["http", "https"].iter().any(|scheme| uri.scheme().as_str().eq_ignore_ascii_case(scheme));
    match uri.authority() {
        Some(authority) if authority.userinfo().is_some() => Some("must not carry a user name or password"),
        Some(authority) if web && authority.host().is_empty() => Some("must name a host"),
        None if web => Some("must name a host"),
        Some(_) | None => None,
    }
}

/// A mailbox of RFC 5321: a dot-separated or quoted local part, `@`, a host name or an address in brackets.
pub(crate) fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else {
        return false;
    };
    let quoted = local.len() >= 2 && local.starts_with('"') && local.ends_with('"');
    let local_holds = if quoted {
        is_quoted(&local[1..local.len() - 1])
    } else {
        local.split('.').all(|atom| !atom.is_empty() && atom.bytes().all(is_atom))
    };
    local_holds && local.len() <= 64 && is_mail_domain(domain)
}

fn is_quoted(inner: &str) -> bool {
    let mut bytes = inner.bytes();
    while let Some(byte) = bytes.next() {
        let printable = |byte: u8| (0x20..0x7F).contains(&byte);
        let holds = match byte {
            b'\\' => bytes.next().is_some_and(printable),
            b'"' => false,
            other => printable(other),
        };
        if !holds {
            return false;
        }
    }
    true
}

fn is_atom(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~".contains(&byte)
}

fn is_mail_domain(domain: &str) -> bool {
    if let Some(literal) = domain.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        return match literal.strip_prefix("IPv6:") {
            Some(address) => address.parse::<std::net::Ipv6Addr>().is_ok(),
            None => literal.parse::<std::net::Ipv4Addr>().is_ok(),
        };
    }
    let label = |label: &str| {
        (1..=63).contains(&label.len())
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    domain.len() <= 253 && domain.split('.').all(label)
}

/// `YYYY-MM-DD` of a day that exists (RFC 3339 full-date).
pub(crate) fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    if bytes.len() != 10 || bytes[4] != b'-' || bytes[7] != b'-' {
        return false;
    }
    let (Some(year), Some(month), Some(day)) =
        (digits(&bytes[..4]), digits(&bytes[5..7]), digits(&bytes[8..]))
    else {
        return false;
    };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let last = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => return false,
    };
    (1..=last).contains(&day)
}

/// A moment with its offset from UTC (RFC 3339 date-time).
pub(crate) fn is_date_time(text: &str) -> bool {
    let (Some(date), Some(rest)) = (text.get(..10), text.get(10..)) else {
        return false;
    };
    is_date(date) && rest.strip_prefix(['T', 't']).is_some_and(is_time)
}

fn is_time(text: &str) -> bool {
    let (Some(clock), Some(rest)) = (text.get(..8), text.get(8..)) else {
        return false;
    };
    let (Some((hour, minute)), Some(seconds)) = (clock.get(..5).and_then(hour_minute), clock.get(5..)) else {
        return false;
    };
    let Some(second) = seconds.strip_prefix(':').and_then(|text| digits(text.as_bytes())) else {
        return false;
    };
    let zone = match rest.strip_prefix('.') {
        Some(fraction) => {
            let zone = fraction.trim_start_matches(|c: char| c.is_ascii_digit());
            if zone.len() == fraction.len() {
                return false;
            }
            zone
        }
        None => rest,
    };
    let day = 24 * 60;
    let utc = match zone.as_bytes().first() {
        Some(b'Z' | b'z') if zone.len() == 1 => hour * 60 + minute,
        Some(sign @ (b'+' | b'-')) => {
            let Some((hours, minutes)) = zone.get(1..).and_then(hour_minute) else {
                return false;
            };
            let offset = hours * 60 + minutes;
            let shift = if *sign == b'+' { day - offset } else { offset };
            (hour * 60 + minute + shift) % day
        }
        Some(_) | None => return false,
    };
    // A leap second is the last of a day in UTC.
    second < 60 || (second == 60 && utc == day - 1)
}

/// `HH:MM` below 24:00.
fn hour_minute(text: &str) -> Option<(u32, u32)> {
    let (hour, minute) = text.split_once(':')?;
    if hour.len() != 2 || minute.len() != 2 {
        return None;
    }
    let (hour, minute) = (digits(hour.as_bytes())?, digits(minute.as_bytes())?);
    (hour < 24 && minute < 60).then_some((hour, minute))
}

fn digits(bytes: &[u8]) -> Option<u32> {
    bytes
        .iter()
        .try_fold(0_u32, |value, byte| byte.is_ascii_digit().then(|| value * 10 + u32::from(byte - b'0')))
}
