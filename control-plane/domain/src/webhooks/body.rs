//! The body of a delivery. It is made from what was stored with the change, so it is the same at each attempt.

use serde::Serialize;
use serde_json::Value;
use time::OffsetDateTime;
use uuid::Uuid;

use super::{message, page, store::lanes::Next};
use crate::events::contents::Resource;
use base::ids::{EnvId, FlagId, ProjectId};

/// The contract's members, and what else a receiver needs. It never contains secrets.
#[derive(Serialize)]
struct Body<'a> {
    #[serde(rename = "type")]
    event_type: &'a str,
    flag_id: Option<FlagId>,
    env_id: Option<EnvId>,
    #[serde(with = "time::serde::rfc3339")]
    timestamp: OffsetDateTime,
    flag_key: Option<&'a str>,
    project_id: Option<ProjectId>,
    project_slug: Option<&'a str>,
    env_slug: Option<&'a str>,
    actor: Option<Actor<'a>>,
    resource: Option<Resource>,
    changed: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    comment: Option<&'a str>,
    before: Option<&'a Value>,
    after: Option<&'a Value>,
    /// Whether values are missing in `before` and `after`.
    truncated: bool,
    url: String,
}

#[derive(Serialize)]
struct Actor<'a> {
    id: Option<Uuid>,
    name: Option<&'a str>,
    #[serde(rename = "type")]
    kind: &'a str,
}

/// The names of what an event is about, as they were then. What was deleted by the change is named by its resource alone.
pub(super) struct Names<'a> {
    pub(super) flag: Option<&'a str>,
    pub(super) project: Option<&'a str>,
    pub(super) env: Option<&'a str>,
}

impl<'a> Names<'a> {
    pub(super) fn of(next: &'a Next) -> Self {
        let resource = next.about.as_ref().map(|about| &about.resource);
        let own = |kind| {
            let resource = resource.filter(|resource| resource.kind == kind)?;
            resource.key.as_deref()
        };
        Self {
            flag: next.flag_key.as_deref().or_else(|| own("flag")),
            project: next.project_slug.as_deref().or_else(|| own("project")),
            env: next.env_slug.as_deref().or_else(|| own("environment")),
        }
    }
}

/// The body in the webhook's format, for a dashboard at this address.
pub(super) fn of(next: &Next, dashboard: &str) -> serde_json::Result<Vec<u8>> {
    let names = Names::of(next);
    let url = page::of(dashboard, next, &names);
    if let Some(message) = message::of(next.format, next, &names, &url) {
        return serde_json::to_vec(&message);
    }
    let about = next.about.as_ref();
    let actor = next.actor_type.as_deref().map(|kind| Actor {
        id: next.actor_id,
        name: next.actor_name.as_deref(),
        kind,
    });
    serde_json::to_vec(&Body {
        event_type: &next.event_type,
        flag_id: next.flag_id,
        env_id: next.env_id,
        timestamp: next.happened_at,
        flag_key: names.flag,
        project_id: next.project_id,
        project_slug: names.project,
        env_slug: names.env,
        actor,
        resource: about.map(|about| resource(next, &about.resource)),
        changed: about.map_or(&[], |about| &about.changed),
        comment: about.and_then(|about| about.comment.as_deref()),
        before: next.before_values.as_ref(),
        after: next.after_values.as_ref(),
        truncated: next.truncated.unwrap_or(true),
        url,
    })
}

/// The resource. Of a flag whose state changed, only the id was known to the change.
fn resource(next: &Next, stored: &Resource) -> Resource {
    let mut resource = stored.clone();
    if resource.kind == "flag" {
        resource.key = resource.key.or_else(|| next.flag_key.clone());
        resource.name = resource.name.or_else(|| next.flag_name.clone());
    }
    resource
}
