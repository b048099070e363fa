//! Events: an operation records each one in the transaction of its change, which writes the audit log. A unit of work writes
//! the events for webhooks at its commit.

mod action;
mod actor;
pub mod contents;
mod edge_name;
pub mod exported;
pub mod outbox;
pub mod store;

use serde::Serialize;
use serde_json::{Map, Value, json};
use sqlx::PgConnection;
use time::OffsetDateTime;

pub use self::{action::Action, actor::Actor, edge_name::EdgeName};
use crate::audit::{self, budget::Spending, details::Details, model::NewEntry};
use base::{
    db,
    ids::{
        AccessTokenId, ApiKeyId, ApprovalId, ChangeSetId, CustomRoleId, EnvId, FlagId, GrantId,
        MemberId, MigrationId, OrgId, ProjectId, RepositoryId, ScimTokenId, SegmentId,
        SignInDomainId, SignInProviderId, UserId, WebhookId,
    },
    input::Comment,
};

/// The member of an entry's metadata that says why a change was made.
const COMMENT: &str = "comment";

/// The member of an entry's metadata that names the change set it was a part of.
const CHANGE_SET: &str = "change_set_id";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    Org(OrgId),
    User(UserId),
    Member(MemberId),
    /// A custom role.
    Role(CustomRoleId),
    /// A project.
    Project(ProjectId),
    /// An environment.
    Environment(EnvId),
    /// A segment.
    Segment(SegmentId),
    Flag(FlagId),
    FlagState(FlagId, EnvId),
    /// An API key of an environment.
    ApiKey(ApiKeyId, EnvId),
    Approval(ApprovalId, EnvId),
    ChangeSet(ChangeSetId),
    /// A grant in an environment.
    Grant(GrantId, EnvId),
    /// A webhook.
    Webhook(WebhookId),
    ScimToken(ScimTokenId),
    AccessToken(AccessTokenId),
    SignInProvider(SignInProviderId),
    SignInDomain(SignInDomainId),
    Migration(MigrationId),
    Repository(RepositoryId),
    /// An edge, which belongs to the installation.
    Edge(EdgeName),
}

impl Subject {
    fn id(self) -> String {
        match self {
            Self::Org(id) => id.to_string(),
            Self::User(id) => id.to_string(),
            Self::Member(id) => id.to_string(),
            Self::Role(id) => id.to_string(),
            Self::Project(id) => id.to_string(),
            Self::Environment(id) => id.to_string(),
            Self::Segment(id) => id.to_string(),
            Self::Flag(id) | Self::FlagState(id, _) => id.to_string(),
            Self::ApiKey(id, _) => id.to_string(),
            Self::Approval(id, _) => id.to_string(),
            Self::ChangeSet(id) => id.to_string(),
            Self::Grant(id, _) => id.to_string(),
            Self::Webhook(id) => id.to_string(),
            Self::ScimToken(id) => id.to_string(),
            Self::AccessToken(id) => id.to_string(),
            Self::SignInProvider(id) => id.to_string(),
            Self::SignInDomain(id) => id.to_string(),
            Self::Migration(id) => id.to_string(),
            Self::Repository(id) => id.to_string(),
            Self::Edge(name) => name.to_string(),
        }
    }

    /// Details that are not in its id.
    fn metadata(self) -> Option<Value> {
        match self {
            Self::FlagState(_, env_id)
            | Self::ApiKey(_, env_id)
            | Self::Approval(_, env_id)
            | Self::Grant(_, env_id) => Some(json!({"env_id": env_id})),
            _ => None,
        }
    }
}

/// Its states are those shown by the API, never secrets.
#[derive(Clone, Debug)]
pub struct Event {
    action: Action,
    subject: Subject,
    project_id: Option<ProjectId>,
    before: Option<Value>,
    after: Option<Value>,
    metadata: Option<Value>,
}

impl Event {
    pub fn new(action: Action, subject: Subject) -> Self {
        Self {
            action,
            subject,
            project_id: None,
            before: None,
            after: None,
            metadata: subject.metadata(),
        }
    }

    pub fn created(action: Action, subject: Subject, after: &impl Serialize) -> Self {
        Self::new(action, subject).after(after)
    }

    pub fn updated<T: Serialize>(action: Action, subject: Subject, before: &T, after: &T) -> Self {
        Self::new(action, subject).before(before).after(after)
    }

    pub fn deleted(action: Action, subject: Subject, before: &impl Serialize) -> Self {
        Self::new(action, subject).before(before)
    }

    pub const fn action(&self) -> Action {
        self.action
    }

    pub const fn subject(&self) -> Subject {
        self.subject
    }

    pub const fn project_id(&self) -> Option<ProjectId> {
        self.project_id
    }

    /// What is shown of the subject before and after.
    pub const fn states(&self) -> (Option<&Value>, Option<&Value>) {
        (self.before.as_ref(), self.after.as_ref())
    }

    /// The project it happened in.
    pub const fn in_project(mut self, project_id: ProjectId) -> Self {
        self.project_id = Some(project_id);
        self
    }

    pub fn before(mut self, state: &impl Serialize) -> Self {
        self.before = Some(shown(state));
        self
    }

    pub fn after(mut self, state: &impl Serialize) -> Self {
        self.after = Some(shown(state));
        self
    }

    /// Replaces the subject's metadata.
    pub fn with(mut self, metadata: Value) -> Self {
        self.metadata = Some(metadata);
        self
    }

    /// Adds why the change was made.
    pub fn commented(self, comment: &Comment) -> Self {
        self.note(COMMENT, &comment.as_str())
    }

    pub(crate) fn comment(&self) -> Option<&str> {
        self.metadata.as_ref()?.get(COMMENT)?.as_str()
    }

    /// Names the change set that it is a part of. The set's own events are no parts.
    pub(crate) fn part_of(self, id: ChangeSetId) -> Self {
        match self.subject {
            Subject::ChangeSet(_) => self,
            _ => self.note(CHANGE_SET, &id),
        }
    }

    pub(crate) fn is_part(&self) -> bool {
        let metadata = self.metadata.as_ref();
        metadata.is_some_and(|metadata| metadata.get(CHANGE_SET).is_some())
    }

    /// Adds a named detail.
    pub fn note(mut self, name: &str, fact: &impl Serialize) -> Self {
        let metadata = self.metadata.get_or_insert_with(|| json!({}));
        metadata[name] = shown(fact);
        self
    }
}

/// Records an event. Call it in the transaction of the change; operations on a [`crate::unit::Unit`] record through it.
pub async fn record(
    conn: &mut PgConnection,
    org_id: OrgId,
    actor: Actor,
    event: Event,
    now: OffsetDateTime,
) -> db::Result<()> {
    let entries = entries(actor, vec![event]);
    audit::store::insert(conn, org_id, &entries, Spending::default(), now).await
}

/// The audit entries of events, in their order.
pub fn entries(actor: Actor, events: Vec<Event>) -> Vec<NewEntry> {
    let (actor_type, actor_id) = actor.shown();
    let entries = events.into_iter().map(|event| NewEntry {
        actor_type,
        actor_id,
        ip: actor.ip(),
        action: event.action.as_str(),
        resource_type: event.action.resource_type(),
        resource_id: event.subject.id(),
        project_id: event.project_id,
        details: Details::bounded(
            event.before,
            event.after,
            merged(event.metadata, actor.metadata()),
        ),
    });
    entries.collect()
}

fn shown(state: &impl Serialize) -> Value {
    serde_json::to_value(state).expect("what the API shows has text keys and serializes")
}

fn merged(one: Option<Value>, other: Option<Value>) -> Option<Value> {
    let mut fields = Map::new();
    for value in [one, other].into_iter().flatten() {
        if let Value::Object(more) = value {
            fields.extend(more);
        }
    }
    (!fields.is_empty()).then_some(Value::Object(fields))
}
