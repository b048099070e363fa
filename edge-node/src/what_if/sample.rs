//! One sample in bytes: what was asked, and what is kept of the context.
//!
//! Length (u16), logarithm of the weight (u8), number of flags asked for (u8; 0 for all) and their hashes (u64 each), hash of the key
//! (u64), the key if it is kept (u16 and text), then each attribute that is kept: its place (u8) and its value as JSON (u16 and text).

use std::{
    borrow::Cow,
    hash::{BuildHasher, DefaultHasher, Hasher, RandomState},
};

use protocol::{
    eval::{Attribute, Attributes, Context},
    what_if::{Keys, Sampled},
};

/// The most bytes of a sample. Attributes that do not fit are left out.
pub(super) const LONGEST: usize = 4_096;
/// The most bytes of a key that is kept as it is. A longer one is kept by its hash.
const LONGEST_KEY: usize = 1_024;
const WEIGHT_AT: usize = 2;

/// What a request asked for.
pub(crate) enum AskedFor<'a> {
    /// One flag.
    One(&'a str),
    /// Existing flags, each once.
    Some(&'a mut dyn Iterator<Item = &'a str>),
    /// All.
    All,
}

/// The same for a given key in every process.
pub(super) fn hash_of_flag(key: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(key.as_bytes());
    hasher.finish()
}

/// Writes a sample without its weight. Returns a hash of what was asked for.
pub(super) fn write(
    buffer: &mut Vec<u8>,
    sampled: &Sampled,
    salt: &RandomState,
    asked: AskedFor<'_>,
    context: &Context<'_>,
) -> u64 {
    buffer.clear();
    buffer.extend([0; 4]);
    let mut group = 0_u64;
    let mut count = 0_u8;
    let mut add = |buffer: &mut Vec<u8>, key: &str| {
        let hash = hash_of_flag(key);
        group = group.rotate_left(1) ^ hash;
        count = count.saturating_add(1);
        buffer.extend(hash.to_le_bytes());
    };
    match asked {
        AskedFor::One(key) => add(buffer, key),
        AskedFor::Some(keys) => keys.take(100).for_each(|key| add(buffer, key)),
        AskedFor::All => {}
    }
    buffer[3] = count;
    buffer.extend(salt.hash_one(&*context.key).to_le_bytes());
    let key = match sampled.keys {
        Keys::Plain if context.key.len() <= LONGEST_KEY => &*context.key,
        Keys::Plain | Keys::Hashed => "",
    };
    put(buffer, key);
    for (place, name) in (0..).zip(&sampled.attributes) {
        if let Some(value) = context.attributes.get(name) {
            let before = buffer.len();
            buffer.extend([place, 0, 0]);
            let is_whole = write_json(buffer, value);
            let length = buffer.len() - before - 3;
            match u16::try_from(length) {
                Ok(length) if is_whole => {
                    buffer[before + 1..before + 3].copy_from_slice(&length.to_le_bytes());
                }
                _ => buffer.truncate(before),
            }
        }
    }
    let length = u16::try_from(buffer.len()).unwrap_or(u16::MAX);
    buffer[..2].copy_from_slice(&length.to_le_bytes());
    group
}

fn put(buffer: &mut Vec<u8>, text: &str) {
    let length = u16::try_from(text.len()).expect("a key that is kept is short");
    buffer.extend(length.to_le_bytes());
    buffer.extend(text.as_bytes());
}

/// Writes a value as JSON; false once there is no room.
fn write_json(buffer: &mut Vec<u8>, value: &Attribute<'_>) -> bool {
    let is_written = match value {
        Attribute::Null => write_plain(buffer, &()),
        Attribute::Bool(value) => write_plain(buffer, value),
        Attribute::Int(value) => write_plain(buffer, value),
        Attribute::Uint(value) => write_plain(buffer, value),
        Attribute::Float(value) => write_plain(buffer, value),
        Attribute::Text(text) => text.len() < LONGEST && write_plain(buffer, &**text),
        Attribute::Array(elements) => {
            buffer.push(b'[');
            let mut all = elements.iter().enumerate();
            let are_written = all.all(|(place, element)| {
                if place > 0 {
                    buffer.push(b',');
                }
                write_json(buffer, element)
            });
            buffer.push(b']');
            are_written
        }
        Attribute::Object(members) => {
            buffer.push(b'{');
            let mut all = members.iter().enumerate();
            let are_written = all.all(|(place, (name, member))| {
                if place > 0 {
                    buffer.push(b',');
                }
                let is_written = name.len() < LONGEST && write_plain(buffer, &**name);
                buffer.push(b':');
                is_written && write_json(buffer, member)
            });
            buffer.push(b'}');
            are_written
        }
    };
    is_written && buffer.len() <= LONGEST
}

fn write_plain<T: serde::Serialize + ?Sized>(buffer: &mut Vec<u8>, value: &T) -> bool {
    serde_json::to_writer(buffer, value).is_ok()
}

pub(super) fn set_weight(sample: &mut [u8], log: u8) {
    sample[WEIGHT_AT] = log;
}

/// A sample as it is read.
#[derive(Clone, Copy)]
pub(super) struct Sample<'a>(&'a [u8]);

impl<'a> Sample<'a> {
    /// The first of some samples, and those behind it.
    pub(super) fn first(samples: &'a [u8]) -> Option<(Self, &'a [u8])> {
        let length = u16::from_le_bytes(*samples.first_chunk()?);
        let (sample, rest) = samples.split_at_checked(length.into())?;
        (sample.len() >= 4).then_some((Self(sample), rest))
    }

    pub(super) const fn len(self) -> usize {
        self.0.len()
    }

    pub(super) const fn weight_log(self) -> u8 {
        self.0[WEIGHT_AT]
    }

    /// For how many requests it stands.
    pub(super) fn weight(self) -> f64 {
        f64::from(self.weight_log()).exp2()
    }

    /// The hashes of the flags that were asked for; none if all were.
    pub(super) fn asked(self) -> impl Iterator<Item = u64> + use<'a> {
        let end = 4 + 8 * usize::from(self.0[3]);
        let hashes = self.0.get(4..end).unwrap_or_default().chunks_exact(8);
        hashes.filter_map(|bytes| Some(u64::from_le_bytes(bytes.try_into().ok()?)))
    }

    /// A hash of what was asked for.
    pub(super) fn group(self) -> u64 {
        self.asked()
            .fold(0, |group: u64, hash| group.rotate_left(1) ^ hash)
    }

    pub(super) fn asked_for_all(self) -> bool {
        self.0[3] == 0
    }

    fn behind_asked(self) -> &'a [u8] {
        self.0
            .get(4 + 8 * usize::from(self.0[3])..)
            .unwrap_or_default()
    }

    pub(super) fn key_hash(self) -> u64 {
        let bytes = self.behind_asked().first_chunk().copied();
        u64::from_le_bytes(bytes.unwrap_or_default())
    }

    fn key_and_rest(self) -> (&'a str, &'a [u8]) {
        take(self.behind_asked().get(8..).unwrap_or_default()).unwrap_or(("", &[]))
    }

    /// The key as it was kept.
    pub(super) fn key(self) -> Cow<'a, str> {
        match self.key_and_rest().0 {
            "" => Cow::Owned(format!("{:016x}", self.key_hash())),
            key => Cow::Borrowed(key),
        }
    }

    /// The attributes that were kept: name, and value as JSON.
    pub(super) fn attributes<'s>(self, sampled: &'s Sampled) -> Vec<(&'s str, &'a str)> {
        let mut rest = self.key_and_rest().1;
        let mut attributes = Vec::new();
        while let Some((place, behind)) = rest.split_first() {
            let Some((json, after)) = take(behind) else {
                break;
            };
            if let Some(name) = sampled.attributes.get(usize::from(*place)) {
                attributes.push((name.as_str(), json));
            }
            rest = after;
        }
        attributes
    }

    /// What can be evaluated, under this key.
    pub(super) fn context<'s>(self, sampled: &'s Sampled, key: Cow<'a, str>) -> Context<'s>
    where
        'a: 's,
    {
        let all = self.attributes(sampled).into_iter();
        let read = all.filter_map(|(name, json)| {
            let value: Attribute<'a> = serde_json::from_str(json).ok()?;
            Some((Cow::Borrowed(name), value))
        });
        Context {
            key,
            attributes: read.collect::<Attributes<'_>>(),
        }
    }
}

fn take(bytes: &[u8]) -> Option<(&str, &[u8])> {
    let (length, rest) = bytes.split_first_chunk()?;
    let (text, rest) = rest.split_at_checked(u16::from_le_bytes(*length).into())?;
    Some((str::from_utf8(text).ok()?, rest))
}
