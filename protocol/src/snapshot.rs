//! The compiled form of an environment: what is sent over the link and stored in an edge's cache.
//!
//! Plain data without behaviour. Values are JSON text, because the encoding is not self-describing and because an edge
//! serves them as they are. The authored form is in `rule` (for people), the prepared one in `eval` (for speed).

use crate::{
    bucketing::Bucketing,
    ids::{ApiKeyId, EnvId, FlagId, OrgId, ProjectId, SegmentId},
    wire::codec::{Decode, Encode},
};

/// A position in the history of a project's answers. Drawn in the transaction of every change that can alter an answer;
/// a larger number is newer, and 0 precedes everything.
pub type Version = u64;

/// JSON text, compact. Always valid when the control plane writes it; an edge checks it in `prepare`.
pub type JsonText = String;

/// One whole environment. `flags` and `segments` are sorted by key, `keys` by hash, so that equal contents have equal
/// bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
pub struct Snapshot {
    /// Which environment this is, and the version of its contents.
    pub head: Head,
    /// Every flag of the project, with its state in this environment.
    pub flags: Vec<Flag>,
    /// Every segment of the project.
    pub segments: Vec<Segment>,
    /// The API keys that may read this environment. Expired ones may be included; revoked ones are not.
    pub keys: Vec<ApiKey>,
}

/// The identity of an environment, and the version of its contents.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
pub struct Head {
    /// The tenant.
    pub org_id: OrgId,
    /// The project whose flags are served.
    pub project_id: ProjectId,
    /// The environment.
    pub env_id: EnvId,
    /// The environment key in evaluation paths.
    pub slug: String,
    /// Version of the contents.
    pub version: Version,
}

/// What changed from `base` to `head.version`. Upserts carry the whole item.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
pub struct Delta {
    /// Identity and new version.
    pub head: Head,
    /// The version that this applies to; a receiver holding any other requests the whole environment.
    pub base: Version,
    /// Digest of the whole environment after applying.
    pub digest: Digest,
    /// New and changed flags, including those in which only unserved fields changed, because clients are notified of
    /// them too.
    pub flags: Vec<Flag>,
    /// Deleted flags.
    pub removed_flags: Vec<RemovedFlag>,
    /// New and changed segments.
    pub segments: Vec<Segment>,
    /// Keys of deleted segments.
    pub removed_segments: Vec<String>,
    /// New and changed API keys.
    pub keys: Vec<ApiKey>,
    /// Hashes of revoked API keys.
    pub removed_keys: Vec<KeyHash>,
    /// True if a flag was switched off: such a delta overtakes others on the link.
    pub urgent: bool,
}

/// A flag that no longer exists; stream events name its id.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct RemovedFlag {
    /// The flag's id.
    pub id: FlagId,
    /// The flag's key.
    pub key: String,
}

/// Digest of an environment's contents, see `digest`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Encode, Decode)]
pub struct Digest(pub [u8; 32]);

/// SHA-256 of an API key's text.
pub type KeyHash = [u8; 32];

/// The type of a flag's values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Encode, Decode)]
pub enum FlagType {
    /// `true` or `false`.
    #[default]
    Boolean,
    /// A text.
    String,
    /// A number.
    Number,
    /// Any JSON value.
    Json,
    /// Any JSON value, chosen by variants.
    Ab,
}

/// A flag and its state in one environment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
pub struct Flag {
    /// Named by stream events.
    pub id: FlagId,
    /// Unique in the project.
    pub key: String,
    /// Type of its values.
    pub flag_type: FlagType,
    /// Served if nothing else is.
    pub default_value: JsonText,
    /// Keys of flags that must be on.
    pub prerequisites: Vec<String>,
    /// Empty if there is no group.
    pub mutual_exclusion_group: String,
    /// Absent if nothing was ever stored for this environment.
    pub state: Option<FlagState>,
}

/// A flag's state in one environment, as stored: `prepare` gives numbers out of range their meaning.
/// Encoded by `wire::state`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FlagState {
    /// Master toggle.
    pub enabled: bool,
    /// Environment default; absent if not set.
    pub default_value: Option<JsonText>,
    /// In stored order.
    pub rules: Vec<Rule>,
    /// Basis points; absent means "not set", which differs from 10000.
    pub percentage_rollout: Option<i64>,
    /// In stored order.
    pub variants: Vec<Variant>,
    /// Absent for Halyard's own buckets.
    pub bucketing: Option<Bucketing>,
}

/// A targeting rule.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
pub struct Rule {
    /// Named by explanations.
    pub id: String,
    /// Lower is tried first; ties keep stored order.
    pub priority: i64,
    /// How `conditions` combine.
    pub match_type: MatchType,
    /// May be empty.
    pub conditions: Vec<Condition>,
    /// At least one existing segment of these must match, unless empty.
    pub segment_keys: Vec<String>,
    /// Basis points.
    pub percentage: i64,
    /// Absent differs from `null`.
    pub value: Option<JsonText>,
}

/// How conditions combine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Encode, Decode)]
pub enum MatchType {
    /// Every one.
    #[default]
    All,
    /// At least one.
    Any,
}

/// One test of one attribute. The operator is text: an unknown one is stored data that never matches.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
pub struct Condition {
    /// Flat name; `key` is the context key.
    pub attribute: String,
    /// The spelling in the API.
    pub operator: String,
    /// Operands, always text.
    pub values: Vec<String>,
}

/// A variant of an `ab` flag.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Variant {
    /// Name of the variant.
    pub key: String,
    /// JSON text.
    pub value: JsonText,
    /// Basis points; a negative one counts as 0.
    pub weight: i64,
}

/// A named, reusable list of conditions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
pub struct Segment {
    /// The segment's id.
    pub id: SegmentId,
    /// Unique in the project.
    pub key: String,
    /// How `rules` combine.
    pub match_type: MatchType,
    /// The conditions; with none the segment matches nobody.
    pub rules: Vec<Condition>,
}

/// An API key without its text.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct ApiKey {
    /// The key's id.
    pub id: ApiKeyId,
    /// SHA-256 of the key's text.
    pub hash: KeyHash,
    /// Unix milliseconds after which the key is refused; absent if it never expires.
    pub expires_at_ms: Option<i64>,
}
