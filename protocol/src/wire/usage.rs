//! What an edge counted, and the bounds that it must respect.
//!
//! A batch is identified by the edge that sends it, the boot of the edge and a number within that boot, so that a batch
//! sent twice is counted once.

use std::borrow::Cow;

use sha2::{Digest as _, Sha256};

use super::{
    codec::{Decode, Encode},
    relay::Fingerprint,
};
use crate::{ids::EnvId, reason::Reason, snapshot::KeyHash, what_if::Finding};

/// The most entries of each kind in one batch.
pub const MAX_ENTRIES: usize = 10_000;
/// The most bytes of the key of a flag, a variant or a user: 512 characters of four bytes.
pub const MAX_TEXT: usize = 2_048;
/// The most bytes of a value that is told as it is.
pub const MAX_VALUE: usize = 128;
/// What the digest of a longer value begins with. No JSON does.
pub const DIGEST: char = '#';

/// A value as it is told: as JSON if that is short, or else a digest of it, by which it can be told from others.
#[must_use]
pub fn told(value_json: &str) -> Cow<'_, str> {
    if value_json.len() <= MAX_VALUE {
        return Cow::Borrowed(value_json);
    }
    let digest: [u8; 32] = Sha256::digest(value_json).into();
    let [a, b, c, d, e, f, g, h, ..] = digest;
    let start = u64::from_be_bytes([a, b, c, d, e, f, g, h]);
    Cow::Owned(format!("{DIGEST}{start:016x}"))
}

/// What an edge sends on a stream of its own.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub enum Upload {
    /// What was counted since the previous batch. Answered by `UsageStored` once it can no longer be lost.
    Served(UsageBatch),
    /// From a relay: what an edge below it counted. Answered in the same way.
    ServedBelow {
        /// The certificate of the edge.
        certificate: Fingerprint,
        /// Its batch, as it came.
        batch: UsageBatch,
    },
    /// Which defaults callers would use. Not answered, and lost with the connection: the next ones say the same. Only in
    /// `halyard/2`.
    Defaults(Vec<ToldDefault>),
    /// What was found about a question. Not answered, and lost with the connection. Only in `halyard/2`.
    Finding(Finding),
}

/// What a caller said that its code would use without an answer.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct ToldDefault {
    /// Where.
    pub env_id: EnvId,
    /// An existing flag.
    pub flag_key: String,
    /// What the caller calls itself; may be empty.
    pub service: String,
    /// The default, in the form of [`told`].
    pub value: String,
    /// How many answers it was told with.
    pub answers: u64,
    /// How many of these had another value.
    pub differing: u64,
}

impl ToldDefault {
    /// Checks that there are not too many, and that their texts are not too long.
    ///
    /// # Errors
    /// Names the first bound that is exceeded.
    pub fn check_all(told: &[Self]) -> Result<(), OutOfBounds> {
        if told.len() > MAX_ENTRIES {
            return Err(OutOfBounds::Entries(told.len()));
        }
        let texts = told
            .iter()
            .flat_map(|one| [&one.flag_key, &one.service, &one.value]);
        match texts.map(String::len).find(|length| *length > MAX_TEXT) {
            Some(length) => Err(OutOfBounds::Text(length)),
            None => Ok(()),
        }
    }
}

/// What was counted in one interval.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
pub struct UsageBatch {
    /// Drawn when the edge started; numbers of different boots are not comparable.
    pub boot: [u8; 16],
    /// Increases with every batch of a boot. A batch that is sent again keeps its number.
    pub sequence: u64,
    /// Evaluations by flag, reason and what was served.
    pub evaluations: Vec<EvaluationCount>,
    /// What clients reported to have shown.
    pub impressions: Vec<Impression>,
    /// When API keys were last used.
    pub keys_used: Vec<KeyUse>,
}

/// How often a flag was answered with a value, for a reason.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct EvaluationCount {
    /// Where.
    pub env_id: EnvId,
    /// The flag requested, which need not exist.
    pub flag_key: String,
    /// The reason answered.
    pub reason: Reason,
    /// The value answered, in the form of [`told`]; empty where that is not told.
    pub value: String,
    /// The variant answered; mostly there is none, and it is empty.
    pub variant_key: String,
    /// How often.
    pub count: u64,
}

/// A flag was shown to a user.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Impression {
    /// Where.
    pub env_id: EnvId,
    /// The flag, which need not exist.
    pub flag_key: String,
    /// The variant; may be empty.
    pub variant_key: String,
    /// The user; may be empty.
    pub user_key: String,
    /// When the edge received it, Unix milliseconds.
    pub at_ms: i64,
}

/// The use of an API key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub struct KeyUse {
    /// SHA-256 of the key's text.
    pub hash: KeyHash,
    /// When it was last used, Unix milliseconds.
    pub at_ms: i64,
}

/// A batch that exceeds its bounds: the edge is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OutOfBounds {
    /// More than [`MAX_ENTRIES`] of a kind.
    #[error("{0} entries of a kind, at most {MAX_ENTRIES} are accepted")]
    Entries(usize),
    /// A key of more than [`MAX_TEXT`] bytes.
    #[error("a key of {0} bytes, at most {MAX_TEXT} are accepted")]
    Text(usize),
}

impl UsageBatch {
    /// Whether the batch respects its bounds. The limit of its frame is checked before it is decoded.
    ///
    /// # Errors
    /// Names the first bound that is exceeded.
    pub fn check(&self) -> Result<(), OutOfBounds> {
        let kinds = [
            self.evaluations.len(),
            self.impressions.len(),
            self.keys_used.len(),
        ];
        if let Some(entries) = kinds.into_iter().find(|entries| *entries > MAX_ENTRIES) {
            return Err(OutOfBounds::Entries(entries));
        }
        let flags = self
            .evaluations
            .iter()
            .flat_map(|count| [&count.flag_key, &count.value, &count.variant_key]);
        let shown = self.impressions.iter().flat_map(|impression| {
            [
                &impression.flag_key,
                &impression.variant_key,
                &impression.user_key,
            ]
        });
        match flags.chain(shown).find(|text| text.len() > MAX_TEXT) {
            Some(text) => Err(OutOfBounds::Text(text.len())),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn batch(flag_keys: Vec<String>) -> UsageBatch {
        let count = |flag_key| EvaluationCount {
            env_id: Uuid::nil().into(),
            flag_key,
            reason: Reason::Fallthrough,
            value: "true".to_owned(),
            variant_key: String::new(),
            count: 1,
        };
        UsageBatch {
            boot: [0; 16],
            sequence: 1,
            evaluations: flag_keys.into_iter().map(count).collect(),
            ..UsageBatch::default()
        }
    }

    #[test]
    fn a_long_value_is_told_by_its_digest() {
        let short = format!("{:?}", "a".repeat(MAX_VALUE - 2));
        assert_eq!(told(&short), short);
        let long = format!("{:?}", "a".repeat(MAX_VALUE - 1));
        assert_eq!(told(&long), "#361badde49b36748");
        assert_ne!(told(&long), told(&long.replace('a', "b")));
    }

    #[test]
    fn a_batch_has_bounds_in_every_direction() {
        let many = |entries| batch(vec![String::new(); entries]);
        assert_eq!(many(MAX_ENTRIES).check(), Ok(()));
        let beyond = MAX_ENTRIES + 1;
        assert_eq!(many(beyond).check(), Err(OutOfBounds::Entries(beyond)));

        let long = |bytes| batch(vec!["a".repeat(bytes)]);
        assert_eq!(long(MAX_TEXT).check(), Ok(()));
        let beyond = MAX_TEXT + 1;
        assert_eq!(long(beyond).check(), Err(OutOfBounds::Text(beyond)));
        let mut shown = batch(Vec::new());
        shown.impressions.push(Impression {
            env_id: Uuid::nil().into(),
            flag_key: String::new(),
            variant_key: String::new(),
            user_key: "a".repeat(beyond),
            at_ms: 0,
        });
        assert_eq!(shown.check(), Err(OutOfBounds::Text(beyond)));
    }
}
