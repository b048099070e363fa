//! Semantic versions (semver.org 2.0.0), for comparisons only.
//!
//! Written here because parsing into an owned version allocates, and an attribute is parsed in every evaluation.

use std::{borrow::Cow, cmp::Ordering};

/// A version, borrowed from its text. Build metadata is validated and dropped: it does not affect the order.
#[derive(Debug)]
pub(super) struct Version<'a> {
    core: [u64; 3],
    /// Dot-separated, empty for a release.
    pre_release: Cow<'a, str>,
}

impl<'a> Version<'a> {
    /// Parses `1.2.3-rc.1+build`: exactly three numeric parts.
    pub(super) fn parse(text: &'a str) -> Option<Self> {
        let (text, build) = split_once_or_whole(text, '+');
        let (core, pre_release) = split_once_or_whole(text, '-');
        let mut parts = core.split('.');
        let core = [
            numeric(parts.next()?)?,
            numeric(parts.next()?)?,
            numeric(parts.next()?)?,
        ];
        let valid = parts.next().is_none()
            && build.is_none_or(|build| build.split('.').all(is_identifier))
            && pre_release.is_none_or(|pre| {
                pre.split('.')
                    .all(|part| is_identifier(part) && !has_leading_zero(part))
            });
        valid.then_some(Self {
            core,
            pre_release: Cow::Borrowed(pre_release.unwrap_or("")),
        })
    }

    /// The same version, independent of the text it was parsed from.
    pub(super) fn into_owned(self) -> Version<'static> {
        Version {
            core: self.core,
            pre_release: Cow::Owned(self.pre_release.into_owned()),
        }
    }

    /// The order by precedence.
    pub(super) fn compare(&self, other: &Version<'_>) -> Ordering {
        self.core
            .cmp(&other.core)
            .then_with(|| match (&*self.pre_release, &*other.pre_release) {
                ("", "") => Ordering::Equal,
                ("", _) => Ordering::Greater,
                (_, "") => Ordering::Less,
                (a, b) => compare_pre_releases(a, b),
            })
    }
}

fn compare_pre_releases(a: &str, b: &str) -> Ordering {
    let mut rest = b.split('.');
    for left in a.split('.') {
        let Some(right) = rest.next() else {
            return Ordering::Greater;
        };
        let order = match (is_digits(left), is_digits(right)) {
            // Without leading zeros, the longer number is the larger one, whatever its length.
            (true, true) => left.len().cmp(&right.len()).then_with(|| left.cmp(right)),
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            (false, false) => left.cmp(right),
        };
        if order.is_ne() {
            return order;
        }
    }
    if rest.next().is_some() {
        Ordering::Less
    } else {
        Ordering::Equal
    }
}

fn split_once_or_whole(text: &str, separator: char) -> (&str, Option<&str>) {
    text.split_once(separator)
        .map_or((text, None), |(before, after)| (before, Some(after)))
}

fn numeric(text: &str) -> Option<u64> {
    if is_digits(text) && !has_leading_zero(text) {
        text.parse().ok()
    } else {
        None
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn has_leading_zero(text: &str) -> bool {
    text.len() > 1 && text.starts_with('0') && is_digits(text)
}

fn is_identifier(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TEXT: &str = "[0-9]{1,2}\\.[0-9]{1,2}\\.[0-9]{1,2}(-[-0-9a-bA]{1,2}(\\.[0-9a]{0,2}){0,2})?(\\+[0-9a.]{0,3})?";

    proptest! {
        #[test]
        fn agrees_with_the_semver_crate(a in TEXT, b in TEXT) {
            let (ours, theirs) = (Version::parse(&a), semver::Version::parse(&a));
            prop_assert_eq!(ours.is_some(), theirs.is_ok(), "{}", a);
            if let (Some(a), Some(b)) = (ours, Version::parse(&b)) {
                let expected = theirs.unwrap().cmp_precedence(&semver::Version::parse(&b_text(&b)).unwrap());
                prop_assert_eq!(a.compare(&b), expected);
            }
        }
    }

    fn b_text(version: &Version<'_>) -> String {
        let [major, minor, patch] = version.core;
        let dash = if version.pre_release.is_empty() {
            ""
        } else {
            "-"
        };
        format!("{major}.{minor}.{patch}{dash}{}", version.pre_release)
    }

    #[test]
    fn numeric_parts_above_64_bits_are_no_version() {
        assert!(Version::parse("18446744073709551615.0.0").is_some());
        assert!(Version::parse("18446744073709551616.0.0").is_none());
        assert!(Version::parse("v1.0.0").is_none());
        assert!(Version::parse("1.0").is_none());
        assert!(Version::parse("1.0.0.0").is_none());
    }

    #[test]
    fn numeric_identifiers_of_any_length_are_ordered() {
        let long = format!("1.0.0-1{}", "0".repeat(30));
        let longer = format!("1.0.0-9{}", "0".repeat(30));
        let order = Version::parse(&long)
            .unwrap()
            .compare(&Version::parse(&longer).unwrap());
        assert_eq!(order, Ordering::Less);
    }
}
