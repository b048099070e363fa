//! Texts that are compared over and over. Most of them are short, or differ in their length or first bytes: that is found out
//! without a call, and without looking at where the text is.

use std::cmp::Ordering;

/// So many bytes of a text are in its [`Head`].
const IN_HEAD: usize = 8;

/// The length of a text, and its first bytes. Where that is [all of it](Self::is_all), equal heads are equal texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Head {
    length: u32,
    start: u64,
}

impl Head {
    fn of(text: &[u8]) -> Self {
        Self {
            length: u32::try_from(text.len()).unwrap_or(u32::MAX),
            start: start(text),
        }
    }

    const fn is_all(self) -> bool {
        self.length as usize <= IN_HEAD
    }
}

/// The first bytes as a number: of texts of one length, all of which is in it, two that differ have different ones.
#[inline]
fn start(text: &[u8]) -> u64 {
    if let Some(eight) = text.first_chunk() {
        return u64::from_le_bytes(*eight);
    }
    // These overlap where there are fewer than eight, or three.
    if let (Some(first), Some(last)) = (text.first_chunk(), text.last_chunk()) {
        let [first, last] = [first, last].map(|four| u64::from(u32::from_le_bytes(*four)));
        return first | last << 32;
    }
    match *text {
        [] => 0,
        [only] => only.into(),
        [first, .., last] => {
            let middle = text[text.len() / 2];
            u64::from(first) | u64::from(middle) << 8 | u64::from(last) << 16
        }
    }
}

/// Whether both are the same text. Up to sixteen bytes are compared without a call.
#[inline]
pub(super) fn equal(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len()
        && start(one) == start(other)
        && (one.len() <= IN_HEAD
            || one.last_chunk::<IN_HEAD>() == other.last_chunk()
                && (one.len() <= 2 * IN_HEAD || one == other))
}

/// A set of texts.
#[derive(Debug, Default)]
pub(super) struct TextSet {
    /// Sorted by head, then by text.
    members: Box<[Member]>,
    /// The texts that are longer than what is in their heads.
    long: Box<str>,
}

#[derive(Clone, Copy, Debug)]
struct Member {
    head: Head,
    /// Where it begins among the long texts.
    place: u32,
}

impl TextSet {
    pub(super) fn of<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
        let mut sorted: Vec<_> = texts
            .into_iter()
            .map(|text| (Head::of(text.as_bytes()), text))
            .collect();
        sorted.sort_unstable();
        sorted.dedup();
        let mut long = String::new();
        let members = sorted.into_iter().map(|(head, text)| {
            let place = u32::try_from(long.len()).expect("a message is shorter than 4 GiB");
            if !head.is_all() {
                long.push_str(text);
            }
            Member { head, place }
        });
        Self {
            members: members.collect(),
            long: long.into(),
        }
    }

    pub(super) const fn len(&self) -> usize {
        self.members.len()
    }

    #[inline]
    pub(super) fn contains(&self, text: &str) -> bool {
        let (head, text) = (Head::of(text.as_bytes()), text.as_bytes());
        // Few are looked through one by one.
        if self.members.len() < 8 {
            let mut members = self.members.iter();
            return members
                .any(|member| member.head == head && (head.is_all() || self.text(member) == text));
        }
        self.is_among_many(head, text)
    }

    #[inline(never)]
    fn is_among_many(&self, head: Head, text: &[u8]) -> bool {
        let order = |member: &Member| {
            member.head.cmp(&head).then_with(|| {
                if head.is_all() {
                    Ordering::Equal
                } else {
                    self.text(member).cmp(text)
                }
            })
        };
        self.members.binary_search_by(order).is_ok()
    }

    /// A long text.
    fn text(&self, member: &Member) -> &[u8] {
        let place = member.place as usize;
        let text = self.long.as_bytes().get(place..);
        text.and_then(|text| text.get(..member.head.length as usize))
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts of every length around the bounds that differ in one place at most.
    fn texts() -> Vec<String> {
        let mut texts = vec![String::new()];
        for length in 1..=20 {
            texts.push("a".repeat(length));
            for place in 0..length {
                let mut text = "a".repeat(length);
                text.replace_range(place..=place, "b");
                texts.push(text);
            }
        }
        texts.extend(["ü", "üü", "\0", "\0\0", "\0\0\0\0\0\0\0\0\0"].map(str::to_owned));
        texts
    }

    #[test]
    fn texts_are_equal_when_all_their_bytes_are() {
        for one in texts() {
            for other in texts() {
                assert_eq!(
                    equal(one.as_bytes(), other.as_bytes()),
                    one == other,
                    "{one:?} {other:?}"
                );
            }
        }
    }

    #[test]
    fn a_set_has_what_it_was_made_of_and_nothing_else() {
        let texts = texts();
        for size in [0, 1, 3, 7, 8, 50, texts.len()] {
            for skip in [0, 1, 5, 40] {
                let made_of: Vec<&str> = texts
                    .iter()
                    .skip(skip)
                    .step_by(3)
                    .take(size)
                    .map(String::as_str)
                    .collect();
                let twice = made_of.iter().chain(&made_of).copied();
                let set = TextSet::of(twice);
                assert_eq!(set.len(), made_of.len());
                for text in &texts {
                    let is_there = made_of.contains(&text.as_str());
                    assert_eq!(set.contains(text), is_there, "{text:?} in {made_of:?}");
                }
            }
        }
    }
}
