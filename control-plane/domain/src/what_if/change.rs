//! Asking. The organization's lock, and an index behind it, keep two questions from being open at a time.

use protocol::{
    what_if::{LONGEST_DRAFT, OPEN},
    wire::codec::encode,
};
use time::Duration;

use super::{draft::Compared, model::Question, store};
use crate::{
    events::{Action, Event, Subject},
    unit::{OrgChange, Recorded},
};
use base::{
    ids::{EnvId, ProjectId, WhatIfQuestionId},
    refusal::Refusal,
};

/// Questions of an organization in an hour; they are kept as long.
const MOST: i64 = 60;
pub const KEPT: Duration = Duration::hours(1);

/// A question that is complete.
#[derive(Debug)]
pub struct NewQuestion {
    pub env_id: EnvId,
    pub compared: Compared,
    pub by: Option<String>,
    /// How many contexts are to be shown.
    pub examples: u8,
    /// How many edges serve the environment.
    pub edges: usize,
}

impl NewQuestion {
    /// The draft as it is stored.
    pub fn encoded(&self) -> Result<Vec<u8>, Refusal> {
        if self.compared.is_empty() {
            let words = "the draft changes nothing that is served in the environment";
            return Err(Refusal::invalid(words));
        }
        let draft = encode(&self.compared.draft);
        if draft.len() > LONGEST_DRAFT {
            let words = "the draft has more than 1 MiB: ask about a part of it";
            return Err(Refusal::invalid(words));
        }
        Ok(draft)
    }
}

/// Opens a question. The audit log has those that show contexts, before any edge is asked: others change nothing, and show nobody's
/// data.
pub async fn ask(
    change: &mut OrgChange<'_>,
    project_id: ProjectId,
    new: NewQuestion,
    draft: Vec<u8>,
) -> Result<Recorded<Question>, Refusal> {
    let (org_id, now) = (change.org_id(), change.now());
    if let Some(asked_at) = store::find_open(change, org_id).await? {
        if asked_at + OPEN > now {
            return Err(Refusal::conflict(
                "another question of the organization is open: it ends after 10 seconds at most",
            ));
        }
        store::close(change, org_id).await?;
    }
    store::delete_older(change, org_id, now - KEPT).await?;
    let (count, oldest) = store::count(change, org_id).await?;
    if let Some(oldest) = oldest.filter(|_| count >= MOST) {
        let words = "at most 60 questions of an organization in an hour";
        return Err(Refusal::until(oldest + KEPT, now, words));
    }
    let question = Question {
        id: WhatIfQuestionId::new(now),
        env_id: new.env_id,
        asked_at: now,
        not_sampled: new.compared.not_sampled,
        names_keys: new.compared.names_keys,
        examples: new.examples.into(),
        edges: i32::try_from(new.edges).unwrap_or(i32::MAX),
        is_open: new.edges > 0,
    };
    let version = i64::try_from(new.compared.version).unwrap_or(i64::MAX);
    let by = new.by.as_deref();
    store::insert(change, org_id, &question, version, by, &draft).await?;
    if question.examples == 0 {
        return Ok(change.unchanged(question));
    }
    let subject = Subject::Environment(question.env_id);
    let event = Event::new(Action::EnvironmentExamplesShown, subject)
        .in_project(project_id)
        .note("question_id", &question.id)
        .note("examples", &question.examples);
    Ok(change.record(event, question).await?)
}

#[cfg(test)]
mod tests {
    use protocol::what_if::Draft;
    use time::OffsetDateTime;

    use super::*;

    fn question(removed_flags: Vec<String>) -> NewQuestion {
        let draft = Draft {
            removed_flags,
            ..Draft::default()
        };
        NewQuestion {
            env_id: EnvId::new(OffsetDateTime::UNIX_EPOCH),
            compared: Compared {
                version: 0,
                draft,
                not_sampled: Vec::new(),
                names_keys: false,
            },
            by: None,
            examples: 0,
            edges: 1,
        }
    }

    #[test]
    fn a_draft_of_more_than_a_mebibyte_is_refused() {
        let room = LONGEST_DRAFT - question(vec![String::new()]).encoded().unwrap().len();
        // Lengths of more than 250 bytes take four more.
        let most = question(vec!["k".repeat(room - 4)]).encoded().unwrap();
        assert!(most.len() <= LONGEST_DRAFT && most.len() + 8 > LONGEST_DRAFT);
        let refused = question(vec!["k".repeat(room + 1)]).encoded().unwrap_err();
        let words = "the draft has more than 1 MiB: ask about a part of it";
        assert_eq!(refused.to_string(), words);
    }
}
