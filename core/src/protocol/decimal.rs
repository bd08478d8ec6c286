//! Numbers of any size compared by value, from their tokens.

use std::cmp::Ordering;

/// A number as `0.d₁d₂… × 10^point`.
struct Decimal<'t> {
    negative: bool,
    /// Whole and fractional digits; together without leading and trailing zeros once `trimmed`.
    whole: &'t str,
    fraction: &'t str,
    point: i64,
}

impl<'t> Decimal<'t> {
    /// Reads a valid JSON number token. Exponents beyond 64 bits saturate: they are equal only to each other.
    fn read(token: &'t str) -> Self {
        let (negative, rest) = token.strip_prefix('-').map_or((false, token), |rest| (true, rest));
        let (mantissa, exponent) = rest.split_once(['e', 'E']).unwrap_or((rest, "0"));
        let exponent =
            exponent.parse().unwrap_or(if exponent.starts_with('-') { i64::MIN } else { i64::MAX });
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let (whole, fraction) = (whole.trim_start_matches('0'), fraction.trim_end_matches('0'));
        let length = |text: &str| i64::try_from(text.len()).unwrap_or(i64::MAX);
        let (fraction, point) = if whole.is_empty() {
            let kept = fraction.trim_start_matches('0');
            (kept, exponent.saturating_sub(length(fraction) - length(kept)))
        } else {
            (fraction, exponent.saturating_add(length(whole)))
        };
        let whole = if fraction.is_empty() { whole.trim_end_matches('0') } else { whole };
        Self { negative, whole, fraction, point }
    }

    fn is_zero(&self) -> bool {
        self.whole.is_empty() && self.fraction.is_empty()
    }

    fn magnitude(&self, other: &Self) -> Ordering {
        let digits = |number: &Self| number.whole.bytes().chain(number.fraction.bytes());
        self.point.cmp(&other.point).then_with(|| digits(self).cmp(digits(other)))
    }
}

/// Compares two valid JSON number tokens by value, without rounding.
pub(crate) fn compare(left: &str, right: &str) -> Ordering {
    let (left, right) = (Decimal::read(left), Decimal::read(right));
    let sign = |number: &Decimal<'_>| match (number.is_zero(), number.negative) {
        (true, _) => 0,
        (false, true) => -1,
        (false, false) => 1,
    };
    sign(&left).cmp(&sign(&right)).then_with(|| match sign(&left) {
        0 => Ordering::Equal,
        1 => left.magnitude(&right),
        _ => right.magnitude(&left),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_compare_by_value_at_any_size() {
        let ascending = [
            "-1e400",
            "-10",
            "-9.5",
            "-1e-400",
            "0",
            "1e-400",
            "0.1",
            "0.5",
            "1",
            "1.5",
            "9",
            "10.01",
            "99",
            "9007199254740992",
            "9007199254740993",
            "1e300",
            "1.0001e300",
            "1e400",
            "1e99999999999999999999",
        ];
        for (n, left) in ascending.iter().enumerate() {
            for (m, right) in ascending.iter().enumerate() {
                assert_eq!(compare(left, right), n.cmp(&m), "{left} {right}");
            }
        }
        for (left, right) in
            [("0", "-0.0e5"), ("100", "1e2"), ("0.0120", "12E-3"), ("-50", "-0.5e2"), ("1.00", "1")]
        {
            assert_eq!(compare(left, right), Ordering::Equal, "{left} {right}");
        }
    }
}
