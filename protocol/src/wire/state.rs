//! The encoding of flag states.
//!
//! The byte of an absent or present `percentage_rollout` (0, 1) is 2 or 3 where a bucketing follows the number. So states without
//! one have the bytes that they always had, and builds that know no bucketing refuse a push with one, instead of drawing other
//! buckets: an edge keeps the contents before.

use super::codec::{self, Decode, Decoder, Encode, Encoder, impl_borrow_decode};
use crate::snapshot::FlagState;

const HAS_ROLLOUT: u8 = 1;
const HAS_BUCKETING: u8 = 2;

impl Encode for FlagState {
    fn encode<E: Encoder>(&self, encoder: &mut E) -> Result<(), codec::EncodeFault> {
        self.enabled.encode(encoder)?;
        self.default_value.encode(encoder)?;
        self.rules.encode(encoder)?;
        let rollout = u8::from(self.percentage_rollout.is_some()) * HAS_ROLLOUT;
        let bucketing = u8::from(self.bucketing.is_some()) * HAS_BUCKETING;
        (rollout | bucketing).encode(encoder)?;
        if let Some(percentage) = self.percentage_rollout {
            percentage.encode(encoder)?;
        }
        if let Some(bucketing) = &self.bucketing {
            bucketing.encode(encoder)?;
        }
        self.variants.encode(encoder)
    }
}

impl<Context> Decode<Context> for FlagState {
    fn decode<D: Decoder<Context = Context>>(decoder: &mut D) -> Result<Self, codec::DecodeFault> {
        let enabled = Decode::decode(decoder)?;
        let default_value = Decode::decode(decoder)?;
        let rules = Decode::decode(decoder)?;
        let parts = u8::decode(decoder)?;
        if parts > HAS_ROLLOUT | HAS_BUCKETING {
            return Err(codec::DecodeFault::Other("the parts of a state"));
        }
        let percentage_rollout = match parts & HAS_ROLLOUT {
            0 => None,
            _ => Some(Decode::decode(decoder)?),
        };
        let bucketing = match parts & HAS_BUCKETING {
            0 => None,
            _ => Some(Decode::decode(decoder)?),
        };
        Ok(Self {
            enabled,
            default_value,
            rules,
            percentage_rollout,
            variants: Decode::decode(decoder)?,
            bucketing,
        })
    }
}

impl_borrow_decode!(FlagState);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bucketing::Bucketing;

    /// The form before there was a bucketing.
    #[derive(Debug, PartialEq, Encode, Decode)]
    struct Before {
        enabled: bool,
        default_value: Option<String>,
        rules: Vec<crate::snapshot::Rule>,
        percentage_rollout: Option<i64>,
        variants: Vec<crate::snapshot::Variant>,
    }

    fn state(percentage_rollout: Option<i64>, bucketing: Option<Bucketing>) -> FlagState {
        FlagState {
            enabled: true,
            percentage_rollout,
            bucketing,
            ..FlagState::default()
        }
    }

    #[test]
    fn states_without_bucketing_have_the_bytes_of_before() {
        for percentage_rollout in [None, Some(5_000)] {
            let before = Before {
                enabled: true,
                default_value: None,
                rules: Vec::new(),
                percentage_rollout,
                variants: Vec::new(),
            };
            let bytes = codec::encode(&state(percentage_rollout, None));
            assert_eq!(bytes, codec::encode(&before));
        }
    }

    #[test]
    fn builds_of_before_refuse_states_with_bucketing() {
        let unleash = Bucketing::Unleash {
            group_id: "g".to_owned(),
        };
        let salted = Bucketing::LaunchDarkly {
            salt: "s".to_owned(),
            seed: Some(7),
        };
        for bucketing in [unleash, salted] {
            for percentage_rollout in [None, Some(5_000)] {
                let state = state(percentage_rollout, Some(bucketing.clone()));
                let bytes = codec::encode(&state);
                assert_eq!(codec::decode::<FlagState>(&bytes).unwrap(), state);
                assert!(codec::decode::<Before>(&bytes).is_err());
                assert!(codec::decode::<Option<Before>>(&[&[1], &bytes[..]].concat()).is_err());
            }
        }
    }

    #[test]
    fn other_parts_are_refused() {
        let mut bytes = codec::encode(&state(None, None));
        let at = 1 + 1 + 8;
        assert_eq!(bytes[at], 0);
        for parts in [4, 5, 255] {
            bytes[at] = parts;
            assert!(codec::decode::<FlagState>(&bytes).is_err());
        }
    }
}
