//! Times as ISO 8601 writes them.

/// Whether `text` is a date, or a date with a time: `2026-07-28`, `2026-07-28T15:00Z`, `2026-07-28T15:00:58.25+02:00`.
pub(super) fn is_timestamp(text: &str) -> bool {
    let Some((date, time)) = text.split_once(['T', 't']) else {
        return is_date(text);
    };
    is_date(date) && is_time(time)
}

fn number(text: &str, digits: usize) -> Option<u32> {
    let fits = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
    fits.then(|| text.parse().ok()).flatten()
}

fn is_date(text: &str) -> bool {
    let mut parts = text.splitn(3, '-');
    let mut part = |digits| parts.next().and_then(|part| number(part, digits));
    let (Some(year), Some(month), Some(day)) = (part(4), part(2), part(2)) else {
        return false;
    };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return false,
    };
    (1..=days).contains(&day)
}

fn is_time(text: &str) -> bool {
    let zone = text.find(['Z', 'z', '+', '-']).unwrap_or(text.len());
    let (clock, zone) = text.split_at(zone);
    is_clock(clock) && is_zone(zone)
}

fn is_clock(text: &str) -> bool {
    let (whole, fraction) = text.split_once(['.', ',']).unwrap_or((text, "0"));
    let mut parts = whole.splitn(3, ':');
    let mut part = |limit| parts.next().map(|part| number(part, 2).is_some_and(|value| value <= limit));
    // 60 is a leap second.
    let (hour, minute, second) = (part(23), part(59), part(60));
    let fraction = !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit());
    hour == Some(true) && minute == Some(true) && second != Some(false) && fraction
}

fn is_zone(text: &str) -> bool {
    let Some(offset) = text.strip_prefix(['+', '-']) else {
        return matches!(text, "" | "Z" | "z");
    };
    let (hours, minutes) = match offset.split_once(':') {
        Some(parts) => parts,
        None if offset.is_char_boundary(2) && offset.len() == 4 => offset.split_at(2),
        None => (offset, "00"),
    };
    number(hours, 2).is_some_and(|hours| hours <= 23)
        && number(minutes, 2).is_some_and(|minutes| minutes <= 59)
}

#[cfg(test)]
mod tests {
    use super::is_timestamp;

    /// BASE-25
    #[test]
    fn times_of_iso_8601_and_nothing_else() {
        for good in [
            "2026-07-28",
            "2024-02-29",
            "2026-07-28T15:00",
            "2026-07-28T15:00:58Z",
            "2026-07-28t15:00:58.123456789z",
            "2026-07-28T15:00:58+02:00",
            "2026-07-28T15:00:58-0530",
            "2026-07-28T15:00:58,5+02",
            "2016-12-31T23:59:60Z",
        ] {
            assert!(is_timestamp(good), "{good}");
        }
        for bad in [
            "",
            "yesterday",
            "2026",
            "2026-13-01",
            "2026-00-01",
            "2026-02-29",
            "2026-04-31",
            "2026-7-28",
            "2026-07-28T",
            "2026-07-28T24:01:00Z",
            "2026-07-28T15:60Z",
            "2026-07-28T15:00:61Z",
            "2026-07-28T15:00:58.Z",
            "2026-07-28T15:00:58+25:00",
            "2026-07-28T15:00:58Zjunk",
            "2026-07-28T15:00:58 UTC",
            "2026-07-28 15:00:58Z",
            "20é6-07-28",
            "2026-07-28T15:00+é00",
        ] {
            assert!(!is_timestamp(bad), "{bad}");
        }
    }
}
