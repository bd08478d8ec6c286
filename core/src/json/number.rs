//! Numbers compared by value at any size, from their tokens.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

/// An integer in canonical decimal form, read from any JSON spelling of it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Integer {
    negative: bool,
    /// Significant digits without leading zeros; empty for zero.
    digits: String,
}

/// An exponent may not make us write out more digits than this.
const MAX_DIGITS: usize = 4096;

impl Integer {
    /// Reads a valid JSON number token; `None` if it is no integer (`1.5`) or has over 4096 digits (`1e9999`).
    pub(crate) fn read(token: &str) -> Option<Self> {
        let (negative, rest) = match token.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, token),
        };
        let (mantissa, exponent) = match rest.find(['e', 'E']) {
            Some(at) => (&rest[..at], &rest[at + 1..]),
            None => (rest, "0"),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let mut digits: String = whole.chars().chain(fraction.chars()).skip_while(|&c| c == '0').collect();
        if digits.is_empty() {
            return Some(Self { negative: false, digits });
        }
        // An exponent too long for i64 belongs to a number far outside the bound, in either direction.
        let scale = exponent.parse::<i64>().ok()?.checked_sub(i64::try_from(fraction.len()).ok()?)?;
        if scale >= 0 {
            let zeros = usize::try_from(scale).ok()?;
            if digits.len() + zeros > MAX_DIGITS {
                return None;
            }
            digits.extend(std::iter::repeat_n('0', zeros));
        } else {
            let drop = usize::try_from(scale.unsigned_abs()).ok()?;
            let keep = digits.len().checked_sub(drop)?;
            if digits[keep..].bytes().any(|digit| digit != b'0') || keep == 0 {
                return None;
            }
            digits.truncate(keep);
        }
        Some(Self { negative, digits })
    }

    /// The canonical decimal text: `-12`, `0`.
    pub(crate) fn to_text(&self) -> String {
        match (self.digits.is_empty(), self.negative) {
            (true, _) => "0".to_owned(),
            (false, true) => format!("-{}", self.digits),
            (false, false) => self.digits.clone(),
        }
    }

    pub(crate) fn to_i64(&self) -> Option<i64> {
        self.to_text().parse().ok()
    }

    /// How many digits it takes to write, the sign not counted.
    pub(crate) fn len(&self) -> usize {
        self.digits.len().max(1)
    }
}

/// A number token read for comparing by value: 0.d₁d₂d₃… × 10^`point`, signed. It borrows the digits, so reading one
/// allocates nothing and work is linear in the token.
///
/// Exponents saturate: two numbers beyond 10^(2^62) may compare equal.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Decimal<'t> {
    negative: bool,
    /// Significant digits before and behind the point as written; together without zeros at either end, both empty
    /// for zero.
    whole: &'t str,
    fraction: &'t str,
    point: i64,
}

/// Divisors of up to this many digits are divided by in machine words.
const WORD_DIGITS: usize = 18;
/// Digits of the dividend times digits of the divisor that a division by hand may cost.
const DIVISION_LIMIT: usize = 4 << 20;

impl<'t> Decimal<'t> {
    /// Reads a valid JSON number token.
    pub(crate) fn read(token: &'t str) -> Self {
        let (negative, rest) = match token.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, token),
        };
        let (mantissa, exponent) = match rest.find(['e', 'E']) {
            Some(at) => (&rest[..at], saturating(&rest[at + 1..])),
            None => (rest, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let whole = whole.trim_start_matches('0');
        let mut fraction = fraction.trim_end_matches('0');
        let mut point = length(whole);
        if whole.is_empty() {
            let significant = fraction.trim_start_matches('0');
            point -= length(fraction) - length(significant);
            fraction = significant;
        }
        let whole = if fraction.is_empty() { whole.trim_end_matches('0') } else { whole };
        let zero = whole.is_empty() && fraction.is_empty();
        let point = if zero { 0 } else { point.saturating_add(exponent) };
        Self { negative: negative && !zero, whole, fraction, point }
    }

    fn digits(&self) -> impl Iterator<Item = u8> + 't {
        self.whole.bytes().chain(self.fraction.bytes())
    }

    /// How many significant digits it has; 0 for zero.
    fn count(&self) -> i64 {
        length(self.whole) + length(self.fraction)
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.count() == 0
    }

    pub(crate) fn is_integer(&self) -> bool {
        self.point >= self.count()
    }

    /// The value, if it is an integer of at most 20 digits.
    pub(crate) fn to_i128(self) -> Option<i128> {
        if !self.is_integer() || self.point > 20 {
            return None;
        }
        let mut value = self.digits().fold(0_i128, |value, digit| value * 10 + i128::from(digit - b'0'));
        for _ in self.count()..self.point {
            value *= 10;
        }
        Some(if self.negative { -value } else { value })
    }

    /// Whether this divided by `divisor` is an integer; `None` where finding out would cost too much.
    pub(crate) fn is_multiple_of(&self, divisor: &Self) -> Option<bool> {
        if divisor.is_zero() {
            return Some(false);
        }
        if self.is_zero() {
            return Some(true);
        }
        let scale = self.point.checked_sub(self.count())?;
        let shift = scale.checked_sub(divisor.point.checked_sub(divisor.count())?)?;
        // A negative shift asks for digits that divide by ten, which digits without a trailing zero never do.
        let Ok(shift) = u64::try_from(shift) else {
            return Some(false);
        };
        if divisor.whole.len() + divisor.fraction.len() <= WORD_DIGITS {
            return Some(self.divides_in_words(divisor, shift));
        }
        self.divides_by_hand(divisor, shift)
    }

    fn divides_in_words(&self, divisor: &Self, shift: u64) -> bool {
        let modulus = divisor.digits().fold(0_u64, |value, digit| value * 10 + u64::from(digit - b'0'));
        // The modulus is below 10^18, so the sum fits 64 and the products 128 bits.
        let remainder =
            self.digits().fold(0_u64, |rest, digit| (rest * 10 + u64::from(digit - b'0')) % modulus);
        let wide = u128::from(modulus);
        let (mut scale, mut base, mut shift) = (1 % wide, 10 % wide, shift);
        while shift > 0 {
            if shift & 1 == 1 {
                scale = scale * base % wide;
            }
            base = base * base % wide;
            shift >>= 1;
        }
        u128::from(remainder) * scale % wide == 0
    }

    fn divides_by_hand(&self, divisor: &Self, shift: u64) -> Option<bool> {
        let divisor: Vec<u8> = divisor.digits().map(|digit| digit - b'0').collect();
        let zeros = usize::try_from(shift).ok()?;
        let steps = usize::try_from(self.count()).ok()?.checked_add(zeros)?;
        if steps.checked_mul(divisor.len())? > DIVISION_LIMIT {
            return None;
        }
        // The remainder so far, one digit wider than the divisor, most significant first.
        let mut rest = vec![0_u8; divisor.len() + 1];
        for digit in self.digits().map(|digit| digit - b'0').chain(std::iter::repeat_n(0, zeros)) {
            rest.rotate_left(1);
            if let Some(last) = rest.last_mut() {
                *last = digit;
            }
            while rest[0] > 0 || rest[1..] >= divisor[..] {
                subtract(&mut rest, &divisor);
            }
        }
        Some(rest.iter().all(|&digit| digit == 0))
    }
}

/// Takes `right` from `left`, which is one digit longer and not smaller.
fn subtract(left: &mut [u8], right: &[u8]) {
    let mut borrow = 0;
    for (at, digit) in left.iter_mut().enumerate().rev() {
        let take = borrow + at.checked_sub(1).and_then(|at| right.get(at)).copied().unwrap_or(0);
        borrow = u8::from(*digit < take);
        *digit = *digit + 10 * borrow - take;
    }
}

fn length(text: &str) -> i64 {
    i64::try_from(text.len()).unwrap_or(i64::MAX)
}

/// An exponent as written (`+7`, `-7`, `7`), held within 62 bits so that sums of a few stay within 64.
fn saturating(exponent: &str) -> i64 {
    const FAR: i64 = 1 << 62;
    let far = if exponent.starts_with('-') { -FAR } else { FAR };
    exponent.parse().map_or(far, |exponent: i64| exponent.clamp(-FAR, FAR))
}

impl PartialEq for Decimal<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Decimal<'_> {}

impl PartialOrd for Decimal<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        let sign = |value: &Self| match (value.is_zero(), value.negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        };
        sign(self).cmp(&sign(other)).then_with(|| {
            // Without zeros at the ends, digits behind the same point order like words.
            let magnitude = self.point.cmp(&other.point).then_with(|| self.digits().cmp(other.digits()));
            if self.negative {
                magnitude.reverse()
            } else {
                magnitude
            }
        })
    }
}

impl Hash for Decimal<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.negative.hash(state);
        self.point.hash(state);
        for digit in self.digits() {
            state.write_u8(digit);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compare(left: &str, right: &str) -> Ordering {
        Decimal::read(left).cmp(&Decimal::read(right))
    }

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
