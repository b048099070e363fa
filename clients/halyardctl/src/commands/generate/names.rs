//! What flags are called in code. Names are those that the CLI of OpenFeature gives: its users find the same functions.

use std::collections::BTreeMap;

use files::Problem;

use super::model::Flag;

/// How a language names flags.
pub(super) struct Naming {
    /// The name of a key.
    pub(super) of: fn(&str) -> String,
    /// What is made of a flag's name, by what follows the name.
    pub(super) endings: &'static [&'static str],
    /// Names that mean something else already.
    pub(super) reserved: &'static [&'static str],
}

impl Naming {
    /// Flags with their names, by key.
    ///
    /// # Errors
    /// Keys that would be called the same, each time with both of them.
    pub(super) fn assign(&self, flags: &[Flag]) -> Result<Vec<(String, Flag)>, Vec<Problem>> {
        let mut taken: BTreeMap<String, &Flag> = BTreeMap::new();
        let mut problems = Vec::new();
        let mut named = Vec::new();
        for flag in flags {
            let name = (self.of)(&flag.key);
            let made = self.endings.iter().map(|ending| self.full(&name, ending));
            let clash = made.clone().find_map(|made| {
                let other = taken.get(&made)?;
                Some((made, *other))
            });
            if let Some((made, other)) = clash {
                let message = format!(
                    "flags {:?} and {:?} would both be called {made}",
                    other.key, flag.key
                );
                problems.push(flag.problem(message));
                continue;
            }
            let made: Vec<_> = made.collect();
            taken.extend(made.into_iter().map(|made| (made, flag)));
            named.push((name, flag.clone()));
        }
        problems.sort();
        if problems.is_empty() {
            Ok(named)
        } else {
            Err(problems)
        }
    }

    /// The name of a flag with an ending; with another letter if it means something else already.
    pub(super) fn full(&self, name: &str, ending: &str) -> String {
        let mut full = format!("{name}{ending}");
        if self.reserved.contains(&full.as_str()) {
            full.push('_');
        }
        full
    }
}

/// A key in letters and digits that all languages have, and separators. Another letter becomes the number that it has.
fn plain(key: &str) -> String {
    let mut plain = String::new();
    for letter in key.chars() {
        match letter {
            letter if letter.is_ascii_alphanumeric() => plain.push(letter),
            letter if letter.is_ascii() => plain.push('-'),
            letter => plain.push_str(&format!("-u{:04x}-", u32::from(letter))),
        }
    }
    let begins_well = plain
        .trim_start_matches('-')
        .starts_with(|first: char| first.is_ascii_alphabetic());
    if begins_well {
        plain
    } else {
        format!("flag-{plain}")
    }
}

/// `new-checkout` as `new_checkout`. Words end where letters become capitals, or digits, or digits letters.
pub(crate) fn snake(key: &str) -> String {
    let letters: Vec<char> = plain(key).chars().collect();
    let mut words = String::new();
    for (place, letter) in letters.iter().enumerate() {
        if *letter == '-' {
            words.push(' ');
            continue;
        }
        let before = place.checked_sub(1).and_then(|place| letters.get(place));
        let after = letters.get(place + 1);
        let begins = before.is_some_and(|before| begins_word(*before, *letter, after.copied()));
        if begins {
            words.push(' ');
        }
        words.push(letter.to_ascii_lowercase());
    }
    words.split_whitespace().collect::<Vec<_>>().join("_")
}

fn begins_word(before: char, letter: char, after: Option<char>) -> bool {
    if letter.is_ascii_digit() {
        return before.is_ascii_alphabetic();
    }
    if before.is_ascii_digit() {
        return true;
    }
    // Of capitals in a row, the last one begins a word if a small letter follows: `HTTPServer`.
    let is_last =
        before.is_ascii_uppercase() && after.is_some_and(|next| next.is_ascii_lowercase());
    letter.is_ascii_uppercase() && (before.is_ascii_lowercase() || is_last)
}

/// `new-checkout` as `NewCheckout`. Of capitals in a row, only the first one stays.
pub(crate) fn pascal(key: &str) -> String {
    let mut name = String::new();
    let mut raises = true;
    let mut after_capital = false;
    for letter in plain(key).chars() {
        if letter == '-' {
            raises = true;
            after_capital = false;
            continue;
        }
        name.push(if raises {
            letter.to_ascii_uppercase()
        } else if after_capital {
            letter.to_ascii_lowercase()
        } else {
            letter
        });
        after_capital = letter.is_ascii_uppercase();
        raises = letter.is_ascii_digit();
    }
    name
}

/// `new-checkout` as `newCheckout`.
pub(crate) fn camel(key: &str) -> String {
    let name = pascal(key);
    let mut letters = name.chars();
    let first = letters.next().map(|first| first.to_ascii_lowercase());
    first.into_iter().chain(letters).collect()
}

/// `new-checkout` as `NEW_CHECKOUT`.
pub(crate) fn screaming(key: &str) -> String {
    snake(key).to_ascii_uppercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_cli_of_openfeature() {
        for (key, snaked, camels, pascals) in [
            (
                "enableFeatureA",
                "enable_feature_a",
                "enableFeatureA",
                "EnableFeatureA",
            ),
            ("new-checkout", "new_checkout", "newCheckout", "NewCheckout"),
            (
                "shop.new_checkout",
                "shop_new_checkout",
                "shopNewCheckout",
                "ShopNewCheckout",
            ),
            ("HTTPServer", "http_server", "httpserver", "Httpserver"),
            ("v2checkout", "v_2_checkout", "v2Checkout", "V2Checkout"),
            ("API", "api", "api", "Api"),
        ] {
            assert_eq!(snake(key), snaked);
            assert_eq!(camel(key), camels);
            assert_eq!(pascal(key), pascals);
        }
        assert_eq!(screaming("newCheckout"), "NEW_CHECKOUT");
    }

    #[test]
    fn any_key_becomes_a_name() {
        for (key, snaked, camels) in [
            ("2fa", "flag_2_fa", "flag2Fa"),
            ("größe", "gr_u_00_f_6_u_00_df_e", "grU00F6U00DfE"),
            ("-", "flag", "flag"),
            ("a/b c", "a_b_c", "aBC"),
            ("__proto__", "proto", "proto"),
        ] {
            assert_eq!(snake(key), snaked);
            assert_eq!(camel(key), camels);
        }
    }
}
