//! Keys as names of files.

use sha2::{Digest, Sha256};

/// The longest name that is made, in bytes: with an extension, file systems take it.
const LONGEST: usize = 200;

/// How much of a longer name is kept before its digest.
const KEPT: usize = 160;

/// Names that Windows keeps for devices, whatever follows a dot in them.
const DEVICES: &[&str] = &["con", "prn", "aux", "nul", "conin$", "conout$", "clock$"];

/// The name of the file of a key, without extension. Different keys have different names, also where file systems take upper and
/// lower case for the same.
///
/// Most keys are their names. What is not in `[A-Za-z0-9._-]` is percent-encoded byte by byte, and so is a dot or dash in the
/// first place and the first letter of the name of a device (`con`, `nul.x`). A key with upper-case letters keeps them, and is
/// followed by `~` and a hexadecimal number that says which of the letters they are, the lowest bit for the first one:
/// `newCheckout` is `newCheckout~8`, `NewCheckout` is `NewCheckout~9`. Of a key whose name would have more than 200 bytes, the
/// start is kept, followed by `~~` and 128 bits of its SHA-256 digest. The empty key is `%`.
pub fn file_name(key: &str) -> String {
    if key.is_empty() {
        return "%".to_owned();
    }
    let is_device = is_device(key);
    let mut name = String::with_capacity(key.len() + 8);
    for (place, byte) in key.bytes().enumerate() {
        let is_first = place == 0;
        let is_kept =
            byte.is_ascii_alphanumeric() || byte == b'_' || b".-".contains(&byte) && !is_first;
        if is_kept && !(is_first && is_device) {
            name.push(char::from(byte));
        } else {
            name.push_str(&format!("%{byte:02X}"));
        }
    }
    let upper = upper_letters(key);
    if !upper.is_empty() {
        name.push('~');
        name.push_str(&upper);
    }
    if name.len() <= LONGEST {
        return name;
    }
    let digest = Sha256::digest(key.as_bytes());
    // All of it is ASCII.
    name.truncate(KEPT);
    format!("{name}~~{}", hex::encode(&digest[..16]))
}

fn is_device(key: &str) -> bool {
    let stem = key
        .split('.')
        .next()
        .unwrap_or(key)
        .trim_end()
        .to_ascii_lowercase();
    let is_port = |name: &str| {
        let number = stem.strip_prefix(name);
        number.is_some_and(|number| {
            matches!(number, "¹" | "²" | "³")
                || number.len() == 1 && number.as_bytes()[0].is_ascii_digit()
        })
    };
    DEVICES.contains(&stem.as_str()) || is_port("com") || is_port("lpt")
}

/// Which letters of a key are upper-case, as a hexadecimal number; empty if none is.
fn upper_letters(key: &str) -> String {
    let letters = key.bytes().filter(u8::is_ascii_alphabetic);
    let bits: Vec<bool> = letters.map(|letter| letter.is_ascii_uppercase()).collect();
    let digits = bits.chunks(4).map(|bits| {
        let weighed = bits.iter().zip([1, 2, 4, 8]);
        let digit = weighed
            .filter(|(bit, _)| **bit)
            .map(|(_, weight)| weight)
            .sum();
        char::from_digit(digit, 16).unwrap_or('0')
    });
    let digits: Vec<char> = digits.collect();
    let number: String = digits.into_iter().rev().collect();
    number.trim_start_matches('0').to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn keys_are_recognized_in_the_names_of_their_files() {
        for (key, name) in [
            ("checkout", "checkout"),
            ("new-checkout.v2_b", "new-checkout.v2_b"),
            ("newCheckout", "newCheckout~8"),
            ("NewCheckout", "NewCheckout~9"),
            ("ABCDE", "ABCDE~1f"),
            ("a~8", "a%7E8"),
            ("con", "%63on"),
            ("CON.x", "%43ON.x~7"),
            ("com1", "%63om1"),
            ("com", "com"),
            ("console", "console"),
            ("nul.yaml", "%6Eul.yaml"),
            (".hidden", "%2Ehidden"),
            ("..", "%2E."),
            ("-rf", "%2Drf"),
            ("a/../b", "a%2F..%2Fb"),
            ("größe", "gr%C3%B6%C3%9Fe"),
            ("a%", "a%25"),
            ("", "%"),
        ] {
            assert_eq!(file_name(key), name);
        }
    }

    #[test]
    fn long_keys_have_names_that_file_systems_take() {
        let (one, other) = ("a".repeat(255), "a".repeat(254));
        for name in [
            file_name(&one),
            file_name(&other),
            file_name(&"A".repeat(255)),
            file_name(&"/".repeat(90)),
        ] {
            assert!(name.len() <= LONGEST, "{name}");
        }
        assert_ne!(file_name(&one), file_name(&other));
        assert_ne!(
            file_name(&one).to_lowercase(),
            file_name(&"A".repeat(255)).to_lowercase()
        );
        assert_eq!(file_name(&"a".repeat(200)), "a".repeat(200));
    }

    proptest! {
        #[test]
        fn different_keys_have_different_names_in_any_case(
            one in prop_oneof!["[a-cA-C~%8.]{0,4}", any::<String>()],
            other in prop_oneof!["[a-cA-C~%8.]{0,4}", any::<String>()],
        ) {
            let names = [file_name(&one), file_name(&other)];
            for name in &names {
                prop_assert!(name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-~%".contains(&byte)));
                prop_assert!(!name.starts_with(['.', '-', '~']) && !name.is_empty());
                prop_assert!(!is_device(name), "{}", name);
            }
            let are_alike = names[0].eq_ignore_ascii_case(&names[1]);
            prop_assert_eq!(one == other, are_alike, "{:?}", names);
        }
    }
}
