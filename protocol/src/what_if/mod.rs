//! What-if on real traffic: edges keep a sample of what they were asked in some environments, and say how other contents would
//! have answered it.
//!
//! The control plane signs each question, so that a relay that was broken into can ask none. Samples stay where they are: what is
//! sent back are counts, and examples only as far as the question asks for them.

mod finding;

use std::time::Duration;

use sha2::{Digest as _, Sha256};

use crate::{
    ids::EnvId,
    signature::{KeyId, PublicKey, SignatureError, SigningKey},
    snapshot::{Flag, Segment, Version},
    wire::codec::{Decode, Encode, encode},
};

pub use self::finding::{
    EXAMPLES_BYTES, Example, Failed, Finding, Group, LONGEST_CONTEXT, MOST_GROUPS,
    MOST_TRANSITIONS, OutOfBounds, Transition,
};

/// The most environments that an edge samples.
pub const MOST_SAMPLED: usize = 256;
/// The most attributes that are kept of the contexts of an environment.
pub const MOST_ATTRIBUTES: usize = 20;
/// The most characters of the name of such an attribute.
pub const LONGEST_ATTRIBUTE: usize = 100;
/// How long a question is told, and answers to it are taken.
pub const OPEN: Duration = Duration::from_secs(10);
/// The most questions that are open at once.
pub const MOST_OPEN: usize = 16;
/// The most examples that a question may ask for.
pub const MOST_EXAMPLES: usize = 20;
/// The most bytes of a draft.
pub const LONGEST_DRAFT: usize = 1 << 20;

/// How long after it was asked a question may still arrive: clocks differ.
const TOLERANCE_MS: i64 = 5 * 60 * 1_000;

/// What is signed begins with this, so that the signature is valid for nothing else.
const PURPOSE: &[u8; 24] = b"halyard what-if v1\0\0\0\0\0\0";

/// An environment whose requests are sampled.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Sampled {
    /// Which.
    pub env_id: EnvId,
    /// The attributes of contexts that are kept, in ascending order.
    pub attributes: Vec<String>,
    /// How the keys of contexts are kept.
    pub keys: Keys,
}

/// How the keys of contexts are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub enum Keys {
    /// By a hash with a salt that each edge draws when it starts, and tells nobody.
    Hashed,
    /// As they are.
    Plain,
}

/// What is asked of edges: what would other contents have answered?
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Question {
    /// Drawn for each.
    pub id: [u8; 16],
    /// The environment, and how it is sampled: an edge that samples it otherwise does not answer, so that a relay cannot have more
    /// kept than what the control plane says.
    pub sampled: Sampled,
    /// The version for which the draft was made. An edge that serves another one answers all the same, and says which.
    pub version: Version,
    /// How the contents would differ.
    pub draft: Draft,
    /// The attribute by which answers are grouped.
    pub by: Option<String>,
    /// How many examples may be sent back.
    pub examples: u8,
    /// When it was asked, in Unix milliseconds by the control plane's clock.
    pub asked_ms: i64,
}

/// How contents would differ.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
pub struct Draft {
    /// New and changed flags.
    pub flags: Vec<Flag>,
    /// Keys of deleted flags.
    pub removed_flags: Vec<String>,
    /// New and changed segments.
    pub segments: Vec<Segment>,
    /// Keys of deleted segments.
    pub removed_segments: Vec<String>,
}

/// A question with its signature; none where no key can sign.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct SignedQuestion {
    /// What is signed.
    pub question: Question,
    /// The key, and Ed25519.
    pub signature: Option<(KeyId, [u8; 64])>,
}

impl Sampled {
    /// Whether it respects its bounds.
    #[must_use]
    pub fn is_within_bounds(&self) -> bool {
        self.attributes.len() <= MOST_ATTRIBUTES
            && self.attributes.is_sorted_by(|a, b| a < b)
            && self.attributes.iter().all(|name| is_attribute(name))
    }
}

fn is_attribute(name: &str) -> bool {
    // Whoever sends more bytes than characters can have is not counted through.
    !name.is_empty()
        && name.len() <= 4 * LONGEST_ATTRIBUTE
        && name.chars().count() <= LONGEST_ATTRIBUTE
}

impl Question {
    /// With a signature.
    #[must_use]
    pub fn sign(self, key: &SigningKey) -> SignedQuestion {
        let signature = Some((key.id(), key.sign_statement(&statement(&encode(&self)))));
        SignedQuestion {
            question: self,
            signature,
        }
    }

    /// Without a signature.
    #[must_use]
    pub const fn unsigned(self) -> SignedQuestion {
        SignedQuestion {
            question: self,
            signature: None,
        }
    }

    /// Whether it respects its bounds.
    #[must_use]
    pub fn is_within_bounds(&self) -> bool {
        self.sampled.is_within_bounds()
            && self.by.as_deref().is_none_or(is_attribute)
            && usize::from(self.examples) <= MOST_EXAMPLES
            && encode(&self.draft).len() <= LONGEST_DRAFT
    }
}

impl SignedQuestion {
    /// Checks that one of the keys signed it, and not long ago.
    ///
    /// # Errors
    /// When none did, or it was over long before `now_ms`.
    pub fn verify(&self, keys: &[PublicKey], now_ms: i64) -> Result<(), SignatureError> {
        let (key, bytes) = self.signature.ok_or(SignatureError::Missing)?;
        let statement = statement(&encode(&self.question));
        PublicKey::verify_statement(keys, key, &statement, &bytes)?;
        if self.question.asked_ms.saturating_add(TOLERANCE_MS) < now_ms {
            return Err(SignatureError::Older);
        }
        Ok(())
    }
}

fn statement(question: &[u8]) -> Vec<u8> {
    [&PURPOSE[..], &Sha256::digest(question)].concat()
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    const NOW: i64 = 1_780_000_000_000;

    fn question() -> Question {
        Question {
            id: [1; 16],
            sampled: sampled(&["country", "plan"]),
            version: 7,
            draft: Draft::default(),
            by: Some("plan".to_owned()),
            examples: 20,
            asked_ms: NOW,
        }
    }

    fn sampled(attributes: &[&str]) -> Sampled {
        Sampled {
            env_id: Uuid::from_u128(1).into(),
            attributes: attributes.iter().map(|&name| name.to_owned()).collect(),
            keys: Keys::Hashed,
        }
    }

    #[test]
    fn a_question_is_that_of_who_signed_it_as_it_was_signed() {
        let key = SigningKey::from_seed(&[1; 32]).unwrap();
        let ours = [PublicKey::new(&key.public_key()).unwrap()];
        let other = SigningKey::from_seed(&[2; 32]).unwrap();
        let theirs = [PublicKey::new(&other.public_key()).unwrap()];
        let signed = question().sign(&key);
        assert_eq!(signed.verify(&ours, NOW), Ok(()));
        assert_eq!(signed.verify(&ours, NOW + 300_000), Ok(()));
        let late = signed.verify(&ours, NOW + 300_001);
        assert_eq!(late, Err(SignatureError::Older));
        assert_eq!(signed.verify(&theirs, NOW), Err(SignatureError::Unknown));
        let unsigned = question().unsigned();
        assert_eq!(unsigned.verify(&ours, NOW), Err(SignatureError::Missing));
        let changes: [fn(&mut Question); 8] = [
            |it| it.id[0] ^= 1,
            |it| it.sampled.env_id = Uuid::from_u128(2).into(),
            |it| it.sampled.keys = Keys::Plain,
            |it| it.version += 1,
            |it| it.draft.removed_flags.push("flag".to_owned()),
            |it| it.by = None,
            |it| it.examples -= 1,
            |it| it.asked_ms += 1,
        ];
        for change in changes {
            let mut changed = signed.clone();
            change(&mut changed.question);
            assert_eq!(changed.verify(&ours, NOW), Err(SignatureError::Wrong));
        }
    }

    #[test]
    fn a_question_has_bounds_in_every_direction() {
        assert!(question().is_within_bounds());
        let longest = "é".repeat(LONGEST_ATTRIBUTE);
        let changes: [fn(&mut Question); 6] = [
            |it| it.sampled = sampled(&["plan", "country"]),
            |it| it.sampled = sampled(&["plan", "plan"]),
            |it| it.sampled.attributes = (10..31).map(|number| number.to_string()).collect(),
            |it| it.by = Some("é".repeat(LONGEST_ATTRIBUTE + 1)),
            |it| it.examples = 21,
            |it| it.draft.removed_segments = vec!["s".repeat(LONGEST_DRAFT)],
        ];
        for change in changes {
            let mut changed = question();
            change(&mut changed);
            assert!(!changed.is_within_bounds(), "{:?}", changed.sampled);
        }
        assert!(sampled(&[&longest]).is_within_bounds());
        assert!(!sampled(&[""]).is_within_bounds());
    }
}
