//! Numbers as values of headers.

use axum::http::HeaderValue;
use bytes::Bytes;

/// Writes numbers as values of headers into one piece of memory, where each alone would need two.
pub(crate) fn numbers<const N: usize>(numbers: [u64; N]) -> [HeaderValue; N] {
    // No number has more than 20 digits.
    let mut text = Vec::with_capacity(N * 20);
    let ends = numbers.map(|number| {
        push_digits(&mut text, number);
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

/// Formatting would take three times as long.
fn push_digits(text: &mut Vec<u8>, mut number: u64) {
    let mut digits = [0; 20];
    let mut start = digits.len();
    loop {
        start -= 1;
        digits[start] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    text.extend_from_slice(&digits[start..]);
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
