//! What an edge found.

use std::fmt;

use super::MOST_EXAMPLES;
use crate::{
    snapshot::Version,
    wire::{
        codec::{Decode, Encode},
        usage::{MAX_TEXT, MAX_VALUE},
    },
};

/// The most transitions that are told.
pub const MOST_TRANSITIONS: usize = 100;
/// The most groups that are told.
pub const MOST_GROUPS: usize = 50;
/// The most bytes of the attributes of an example. What does not fit is left out.
pub const LONGEST_CONTEXT: usize = 4 << 10;
/// The most bytes of all examples. Those that do not fit are left out.
pub const EXAMPLES_BYTES: usize = 64 << 10;

/// What an edge found. Counts are estimates: each sample stands for as many requests as one of its kind was drawn from. Variances are
/// sums over the samples too, so findings of several edges add up.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
pub struct Finding {
    /// Which question.
    pub question: [u8; 16],
    /// Drawn by the edge at its start: a finding that comes twice counts once.
    pub boot: [u8; 16],
    /// Version of the stored contents that the draft was compared with.
    pub version: Version,
    /// Beginning of the oldest hour of which there are samples, in Unix milliseconds; 0 if there are none.
    pub since_ms: i64,
    /// Samples in which a flag was asked for that the draft can affect.
    pub samples: u32,
    /// Answers of such flags.
    pub answers: u64,
    /// Those whose value the draft changes.
    pub changed: u64,
    /// Variance of `answers`.
    pub var_answers: u64,
    /// Variance of `changed`. It has that of hashed keys in it where buckets matter: other users would have been in them.
    pub var_changed: u64,
    /// Covariance of the two.
    pub covariance: u64,
    /// Sum of the squared answers that each sample stands for, or each user where buckets of hashed keys matter: for the effective
    /// size of the sample where there is no variance.
    pub weight_squares: u64,
    /// From which value to which, the largest first.
    pub transitions: Vec<Transition>,
    /// By the attribute that was asked for, the largest first.
    pub groups: Vec<Group>,
    /// As many as were asked for, at most.
    pub examples: Vec<Example>,
    /// Why there is nothing else.
    pub failed: Option<Failed>,
}

/// Why an edge has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub enum Failed {
    /// It does not sample the environment, or otherwise than the question says.
    NotSampled,
    /// The draft cannot be prepared with what is served.
    DraftRefused,
    /// Too many questions wait.
    Busy,
}

/// Answers whose value would have changed.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Transition {
    /// Of which flag.
    pub flag_key: String,
    /// The value served, in the form of [`told`](crate::wire::usage::told).
    pub from: String,
    /// The value of the draft.
    pub to: String,
    /// How many.
    pub answers: u64,
}

/// Answers to contexts with one value of an attribute.
#[derive(Clone, PartialEq, Eq, Encode, Decode)]
pub struct Group {
    /// The value as JSON, in the form of [`told`](crate::wire::usage::told); nothing without the attribute.
    pub value: Option<String>,
    /// How many.
    pub answers: u64,
    /// Those that would have had another value.
    pub changed: u64,
}

/// One answer that would have changed.
#[derive(Clone, Default, PartialEq, Eq, Encode, Decode)]
pub struct Example {
    /// Of which flag.
    pub flag_key: String,
    /// The context's key as it was kept.
    pub key: String,
    /// The attributes that were kept, as a JSON object.
    pub attributes_json: String,
    /// The value served, in the form of [`told`](crate::wire::usage::told).
    pub from: String,
    /// The value of the draft.
    pub to: String,
}

/// A finding that exceeds its bounds: the edge is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a finding has too much in its {0}")]
pub struct OutOfBounds(&'static str);

impl fmt::Debug for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Group(..)")
    }
}

impl fmt::Debug for Example {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Example(..)")
    }
}

impl Example {
    /// Bytes of its texts.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        self.flag_key.len()
            + self.key.len()
            + self.attributes_json.len()
            + self.from.len()
            + self.to.len()
    }
}

impl Finding {
    /// A finding that says why there is nothing to find.
    #[must_use]
    pub fn failed(question: [u8; 16], boot: [u8; 16], version: Version, failed: Failed) -> Self {
        Self {
            question,
            boot,
            version,
            failed: Some(failed),
            ..Self::default()
        }
    }

    /// Checks that it respects its bounds. The limit of its frame is checked before it is decoded.
    ///
    /// # Errors
    /// Names the part that exceeds them.
    pub fn check(&self) -> Result<(), OutOfBounds> {
        let are_told = |values: [&str; 2]| values.iter().all(|value| value.len() <= MAX_VALUE);
        let transitions = self.transitions.iter();
        let are_short =
            transitions.map(|one| one.flag_key.len() <= MAX_TEXT && are_told([&one.from, &one.to]));
        if self.transitions.len() > MOST_TRANSITIONS || !are_short.into_iter().all(|it| it) {
            return Err(OutOfBounds("transitions"));
        }
        let values = self.groups.iter().filter_map(|group| group.value.as_ref());
        let mut lengths = values.map(String::len);
        if self.groups.len() > MOST_GROUPS || lengths.any(|length| length > MAX_VALUE) {
            return Err(OutOfBounds("groups"));
        }
        let is_short = |example: &Example| {
            example.flag_key.len() <= MAX_TEXT
                && example.key.len() <= MAX_TEXT
                && example.attributes_json.len() <= LONGEST_CONTEXT
                && are_told([&example.from, &example.to])
        };
        let bytes: usize = self.examples.iter().map(Example::bytes).sum();
        if self.examples.len() > MOST_EXAMPLES
            || bytes > EXAMPLES_BYTES
            || !self.examples.iter().all(is_short)
        {
            return Err(OutOfBounds("examples"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_has_bounds_in_every_direction() {
        let example = Example {
            flag_key: "f".repeat(MAX_TEXT),
            key: "k".repeat(MAX_TEXT),
            attributes_json: "a".repeat(LONGEST_CONTEXT),
            from: "v".repeat(MAX_VALUE),
            to: "v".repeat(MAX_VALUE),
        };
        let transition = Transition {
            flag_key: example.flag_key.clone(),
            from: example.from.clone(),
            to: example.to.clone(),
            answers: 1,
        };
        let group = Group {
            value: Some(example.from.clone()),
            answers: 2,
            changed: 1,
        };
        let count = EXAMPLES_BYTES / example.bytes();
        let most = Finding {
            transitions: vec![transition; MOST_TRANSITIONS],
            groups: vec![group; MOST_GROUPS],
            examples: vec![example; count],
            ..Finding::default()
        };
        assert_eq!(most.check(), Ok(()));
        let mut many = most.clone();
        many.examples = vec![Example::default(); MOST_EXAMPLES];
        assert_eq!(many.check(), Ok(()));
        many.examples.push(Example::default());
        assert_eq!(many.check(), Err(OutOfBounds("examples")));
        type Change = fn(&mut Finding);
        let changes: [(Change, &str); 11] = [
            (
                |it| it.transitions.push(it.transitions[0].clone()),
                "transitions",
            ),
            (|it| it.transitions[9].flag_key.push('f'), "transitions"),
            (|it| it.transitions[9].from.push('v'), "transitions"),
            (|it| it.transitions[9].to.push('v'), "transitions"),
            (|it| it.groups.push(it.groups[0].clone()), "groups"),
            (
                |it| it.groups[9].value = Some("v".repeat(MAX_VALUE + 1)),
                "groups",
            ),
            (|it| it.examples.push(it.examples[0].clone()), "examples"),
            (|it| it.examples[2].flag_key.push('f'), "examples"),
            (|it| it.examples[2].key.push('k'), "examples"),
            (|it| it.examples[2].attributes_json.push('a'), "examples"),
            (|it| it.examples[2].to.push('v'), "examples"),
        ];
        for (change, part) in changes {
            let mut beyond = most.clone();
            change(&mut beyond);
            assert_eq!(beyond.check(), Err(OutOfBounds(part)));
        }
    }

    #[test]
    fn contexts_are_not_written_to_logs() {
        let finding = Finding {
            groups: vec![Group {
                value: Some("\"secret\"".to_owned()),
                answers: 1,
                changed: 1,
            }],
            examples: vec![Example {
                flag_key: "flag".to_owned(),
                key: "secret".to_owned(),
                attributes_json: r#"{"mail": "secret"}"#.to_owned(),
                from: "1".to_owned(),
                to: "2".to_owned(),
            }],
            ..Finding::default()
        };
        assert!(!format!("{finding:?}").contains("secret"));
    }
}
