//! Uses as the API shows them.

use serde::Serialize;
use utoipa::ToSchema;

use base::warning::Warning;
use base::{ids::EnvId, input::visible};

/// The flags that need something.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FlagUses)]
pub struct Uses {
    /// In the order of their keys; the first thousand.
    pub(super) flags: Vec<Use>,
    /// How many there are.
    pub(super) total: i64,
}

/// Flags that a warning names.
const NAMED: usize = 5;

impl Uses {
    /// Warns that these flags fail closed, or answer something else.
    pub fn warning(&self) -> Option<Warning> {
        self.warn("prerequisites", "required by")
    }

    /// Warns that a segment is in use.
    pub fn segment_warning(&self) -> Option<Warning> {
        self.warn("segment", "named by rules of")
    }

    fn warn(&self, place: &str, how: &str) -> Option<Warning> {
        let named = self.flags.iter().take(NAMED);
        let mut named: Vec<_> = named.map(|one| visible(&one.key)).collect();
        let more = self.total - i64::try_from(named.len()).unwrap_or(i64::MAX);
        if more > 0 {
            named.push(format!("{more} more"));
        }
        (!named.is_empty()).then(|| Warning {
            place: place.to_owned(),
            message: format!("{how} {}", named.join(", ")),
        })
    }
}

/// A required flag that is on for nobody.
#[derive(Debug)]
pub struct Unusable {
    pub(super) key: String,
    /// It is there, and archived.
    pub(super) is_archived: bool,
}

impl Unusable {
    /// Warns that the flag which requires it serves its default value.
    pub fn warning(&self) -> Warning {
        let key = visible(&self.key);
        Warning {
            place: "prerequisites".to_owned(),
            message: if self.is_archived {
                format!("the flag {key} is archived")
            } else {
                format!("no flag has the key {key}")
            },
        }
    }
}

/// A flag that needs something.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FlagUse)]
pub(super) struct Use {
    /// The flag's key.
    pub(super) key: String,
    /// The environments in which it does.
    pub(super) env_ids: Vec<EnvId>,
}
