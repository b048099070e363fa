//! Questions as sent by clients.

use std::time::Duration;

use protocol::{objects::Object, what_if::MOST_EXAMPLES};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::content::input::ContentChange;
use base::{
    ids::ChangeSetId,
    input::{Invalid, in_range},
};

/// A draft, and what is to be told about it: either `changes` or `change_set_id` is given.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = WhatIfInput)]
pub struct Body {
    /// The edits, as `applyContent` takes them: of a flag's state, of a segment, or of any number of things.
    #[schema(value_type = Option<ContentChange>)]
    changes: Option<Object<ContentChange>>,
    /// The change set that is to be applied.
    #[schema(value_type = Option<ChangeSetId>)]
    change_set_id: Option<String>,
    /// The attribute by whose values answers are grouped: one that is kept.
    by: Option<String>,
    /// How many contexts to show whose answers change, 0 to 20; none when absent. It takes a permission of its own, `what_if.examples`, and
    /// is written to the audit log.
    examples: Option<i64>,
    /// For how many seconds to wait for edges, 0 to 5; 2 when absent.
    wait_seconds: Option<i64>,
}

#[derive(Debug)]
pub enum Subject {
    Changes(ContentChange),
    ChangeSet(ChangeSetId),
}

#[derive(Debug)]
pub struct Asked {
    pub subject: Subject,
    pub by: Option<String>,
    pub examples: u8,
    pub wait: Duration,
}

const ONE_OF: &str = "one of changes and change_set_id is required";

impl Body {
    pub fn check(self) -> Result<Asked, Invalid> {
        let subject = match (self.changes, self.change_set_id) {
            (Some(Object(changes)), None) => Subject::Changes(changes),
            (None, Some(id)) => {
                let id = ChangeSetId::parse(&id);
                Subject::ChangeSet(id.ok_or_else(|| Invalid::new("change_set_id must be an id"))?)
            }
            (None, None) | (Some(_), Some(_)) => return Err(Invalid::new(ONE_OF)),
        };
        let most = i64::try_from(MOST_EXAMPLES).unwrap_or(i64::MAX);
        let examples = in_range("examples", self.examples.unwrap_or(0), 0, most)?;
        let seconds = in_range("wait_seconds", self.wait_seconds.unwrap_or(2), 0, 5)?;
        Ok(Asked {
            subject,
            by: self.by.filter(|name| !name.is_empty()),
            examples: u8::try_from(examples).unwrap_or_default(),
            wait: Duration::from_secs(seconds.unsigned_abs()),
        })
    }
}
