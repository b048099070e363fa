//! What SDKs that evaluate in their own process exchange with an edge (docs/protocol.md, "SDKs").
//!
//! An SDK holds an environment like an edge does, and learns of changes by the same messages: a [`Push`] in a frame, always
//! without API keys, whose digest is that of the contents without them. What it counts goes back as a [`Report`].

use super::{
    codec::{Decode, Encode},
    message::Push,
    usage::{MAX_ENTRIES, MAX_TEXT, OutOfBounds},
};
use crate::{
    digest::{self, Sum},
    eval::Environment,
    reason::Reason,
    snapshot::{Delta, Digest, Snapshot, Version},
};

/// The format of snapshots, deltas and reports. Each side refuses what has another number, and says which it knows.
pub const FORMAT: u16 = 1;

/// The media type of snapshots and reports in this format. What is before the parameter is the same in every format.
pub const MEDIA_TYPE: &str = "application/vnd.halyard.sdk; format=1";

/// The most bytes of a report, of the frame and of what it decompresses to.
pub const REPORT_LIMIT: usize = 1 << 20;

/// A whole environment as an SDK gets it.
#[must_use]
pub fn snapshot(mut snapshot: Snapshot) -> Push {
    snapshot.keys = Vec::new();
    let digest = digest::of(&snapshot);
    Push::Snapshot(snapshot, digest)
}

/// A change as an SDK gets it; `after` is the environment to which it leads. A change of nothing but keys is one without
/// items, since the next one begins at its version.
#[must_use]
pub fn delta(delta: &Delta, after: &Environment) -> Push {
    Push::Delta(Delta {
        digest: digest_without_keys(after),
        keys: Vec::new(),
        removed_keys: Vec::new(),
        ..delta.clone()
    })
}

/// The digest of what an environment holds besides API keys.
#[must_use]
pub fn digest_without_keys(environment: &Environment) -> Digest {
    let mut sum = Sum::from(environment.digest());
    environment.keys().for_each(|key| sum.remove(key));
    sum.digest()
}

/// The tag of what is held: made of the version and the contents, since a restored database counts again from an earlier version.
/// What SDKs exchange has the digest without keys in it.
#[must_use]
pub fn tag(version: Version, Digest([a, b, c, d, ..]): Digest) -> String {
    format!("{version:x}-{:08x}", u32::from_be_bytes([a, b, c, d]))
}

/// What an SDK counted since its previous report.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
pub struct Report {
    /// Drawn at random when the SDK started.
    pub instance: [u8; 16],
    /// Increases by one with every report, from 1. A report that is sent again keeps its number and contents, and is counted once.
    pub sequence: u64,
    /// How often flags were answered with what.
    pub counts: Vec<Count>,
    /// Which variants the application says that it showed, oldest first.
    pub impressions: Vec<Shown>,
}

/// How often a flag was answered with a value, for a reason.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Count {
    /// The flag asked for, which need not exist.
    pub flag_key: String,
    /// The reason answered.
    pub reason: Reason,
    /// The value answered, in the form of [`told`](super::usage::told); empty where that is not told.
    pub value: String,
    /// The variant answered; mostly there is none, and it is empty.
    pub variant_key: String,
    /// How often.
    pub count: u64,
}

/// A variant that was shown to a user.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Shown {
    /// The flag, which need not exist.
    pub flag_key: String,
    /// The variant; may be empty.
    pub variant_key: String,
    /// The user; may be empty.
    pub user_key: String,
    /// How long before the report was made, in milliseconds: clocks of applications are not to be trusted.
    pub age_ms: u64,
}

impl Report {
    /// Whether the report respects its bounds. [`REPORT_LIMIT`] is checked before it is decoded.
    ///
    /// # Errors
    /// Names the first bound that is exceeded.
    pub fn check(&self) -> Result<(), OutOfBounds> {
        let kinds = [self.counts.len(), self.impressions.len()];
        if let Some(entries) = kinds.into_iter().find(|entries| *entries > MAX_ENTRIES) {
            return Err(OutOfBounds::Entries(entries));
        }
        let counted = self
            .counts
            .iter()
            .flat_map(|count| [&count.flag_key, &count.value, &count.variant_key]);
        let shown = self
            .impressions
            .iter()
            .flat_map(|shown| [&shown.flag_key, &shown.variant_key, &shown.user_key]);
        match counted.chain(shown).find(|text| text.len() > MAX_TEXT) {
            Some(text) => Err(OutOfBounds::Text(text.len())),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_names_the_version_and_the_beginning_of_the_digest() {
        let mut digest = [0xff; 32];
        digest[..4].copy_from_slice(&[0x0a, 0x01, 0xb2, 0x00]);
        assert_eq!(tag(255, Digest(digest)), "ff-0a01b200");
        assert_eq!(tag(0, Digest([0; 32])), "0-00000000");
    }
}
