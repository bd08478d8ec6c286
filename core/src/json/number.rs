//! Numbers compared by value at any size, from their tokens.

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
        let mut digits: String = whole
            .chars()
            .chain(fraction.chars())
            .skip_while(|&c| c == '0')
            .collect();
        if digits.is_empty() {
            return Some(Self {
                negative: false,
                digits,
            });
        }
        // An exponent too long for i64 belongs to a number far outside the bound, in either direction.
        let scale = exponent
            .parse::<i64>()
            .ok()?
            .checked_sub(i64::try_from(fraction.len()).ok()?)?;
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
