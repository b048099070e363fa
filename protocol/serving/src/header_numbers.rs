//! Numbers as values of headers.

use std::io::Write as _;

use axum::http::HeaderValue;
use bytes::Bytes;

/// Writes numbers as values of headers into one piece of memory, where each alone would need two.
pub(crate) fn numbers<const N: usize>(numbers: [u64; N]) -> [HeaderValue; N] {
    // No number has more than 20 digits.
    let mut text = Vec::with_capacity(N * 20);
    let ends = numbers.map(|number| {
        write!(text, "{number}").expect("memory takes everything");
        text.len()
    });
    let text = Bytes::from(text);
    let mut start = 0;
    ends.map(|end| {
        let digits = text.slice(start..end);
        start = end;
        HeaderValue::from_maybe_shared(digits).expect("digits")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_number_is_a_value() {
        let values = numbers([0, 17, u64::MAX]);
        let texts = ["0", "17", "18446744073709551615"];
        assert_eq!(values, texts.map(HeaderValue::from_static));
    }
}
