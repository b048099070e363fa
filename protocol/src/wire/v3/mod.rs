//! Version 3 of the link (ALPN `halyard/3`), frozen. Its control stream is today's; what differs are batches of usage, which do not
//! tell what was served. Edges of before upload them, and so do today's to control planes and relays of before.

use super::{
    codec::{Decode, Encode},
    usage::{self, Impression, KeyUse},
};
use crate::{ids::EnvId, reason::Reason};

/// The name of this version in the TLS handshake.
pub const ALPN: &[u8] = b"halyard/3";

/// What was counted in one interval.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct UsageBatch {
    /// Drawn when the edge started; numbers of different boots are not comparable.
    pub boot: [u8; 16],
    /// Increases with every batch of a boot. A batch that is sent again keeps its number.
    pub sequence: u64,
    /// Evaluations by flag and reason.
    pub evaluations: Vec<EvaluationCount>,
    /// What clients reported to have shown.
    pub impressions: Vec<Impression>,
    /// When API keys were last used.
    pub keys_used: Vec<KeyUse>,
}

/// How often a flag was answered with a reason.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct EvaluationCount {
    /// Where.
    pub env_id: EnvId,
    /// The flag requested, which need not exist.
    pub flag_key: String,
    /// The reason answered.
    pub reason: Reason,
    /// How often.
    pub count: u64,
}

impl From<usage::UsageBatch> for UsageBatch {
    /// Values and variants are left out. Counts of one flag and reason are then there several times, and whoever receives them
    /// adds them up.
    fn from(batch: usage::UsageBatch) -> Self {
        let evaluations = batch.evaluations.into_iter();
        Self {
            boot: batch.boot,
            sequence: batch.sequence,
            evaluations: evaluations
                .map(|counted| EvaluationCount {
                    env_id: counted.env_id,
                    flag_key: counted.flag_key,
                    reason: counted.reason,
                    count: counted.count,
                })
                .collect(),
            impressions: batch.impressions,
            keys_used: batch.keys_used,
        }
    }
}

impl From<UsageBatch> for usage::UsageBatch {
    fn from(batch: UsageBatch) -> Self {
        let evaluations = batch.evaluations.into_iter();
        Self {
            boot: batch.boot,
            sequence: batch.sequence,
            evaluations: evaluations
                .map(|counted| usage::EvaluationCount {
                    env_id: counted.env_id,
                    flag_key: counted.flag_key,
                    reason: counted.reason,
                    value: String::new(),
                    variant_key: String::new(),
                    count: counted.count,
                })
                .collect(),
            impressions: batch.impressions,
            keys_used: batch.keys_used,
        }
    }
}
