//! The form of an API key's text: what control planes make, and the only thing that edges ask them about.

/// How the key of a server begins, which can keep a secret.
pub const SERVER_PREFIX: &str = "srv_";
/// How the key of a browser or an app begins, which cannot.
pub const CLIENT_PREFIX: &str = "cli_";
/// How many random bytes follow, as hexadecimal digits in lower case.
pub const RANDOM_BYTES: usize = 24;

/// Whether a text can be a key at all.
#[must_use]
pub fn has_form(text: &[u8]) -> bool {
    let digits = text
        .strip_prefix(SERVER_PREFIX.as_bytes())
        .or_else(|| text.strip_prefix(CLIENT_PREFIX.as_bytes()));
    digits.is_some_and(|digits| {
        digits.len() == 2 * RANDOM_BYTES
            && digits
                .iter()
                .all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_a_prefix_and_48_digits_in_lower_case() {
        let digits = "0123456789abcdef".repeat(3);
        for text in [format!("srv_{digits}"), format!("cli_{digits}")] {
            assert!(has_form(text.as_bytes()), "{text}");
        }
        for text in [
            String::new(),
            digits.clone(),
            "srv_".to_owned(),
            format!("key_{digits}"),
            format!("SRV_{digits}"),
            format!("srv_{}", digits.to_uppercase()),
            format!("srv_{}", &digits[1..]),
            format!("srv_{digits}0"),
            format!("srv_{} ", &digits[1..]),
            format!("srv_{}g", &digits[1..]),
        ] {
            assert!(!has_form(text.as_bytes()), "{text}");
        }
    }
}
