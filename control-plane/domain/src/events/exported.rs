//! Committed events as OTLP logs, for operators: ids and names of settings, nothing about persons but their id.
//!
//! The process that commits exports, so that two control planes never export the same event, and the record carries the trace of
//! the request. What it has not sent when it is killed is lost; the audit log has all of it.

use std::collections::HashMap;

use sqlx::PgConnection;

use super::{Actor, outbox::NewOutboxEvent, store};
use crate::version::Change;
use base::{
    db,
    ids::{FlagId, OrgId},
};
use serving::trace;

/// What is exported once the events are committed.
pub struct Exported {
    keys: HashMap<FlagId, String>,
}

impl Exported {
    /// Looks up what the events lack; `None` if nothing is exported.
    pub async fn of(
        conn: &mut PgConnection,
        org_id: OrgId,
        events: &[NewOutboxEvent],
    ) -> db::Result<Option<Self>> {
        if events.is_empty() || !trace::exports_events() {
            return Ok(None);
        }
        let flags: Vec<_> = events.iter().filter_map(|event| event.flag_id).collect();
        let keys = store::flag_keys(conn, org_id, &flags).await?;
        let keys = keys.into_iter().collect();
        Ok(Some(Self { keys }))
    }

    /// Exports the events.
    pub fn committed(
        &self,
        org_id: OrgId,
        actor: Actor,
        events: &[NewOutboxEvent],
        change: Option<&Change>,
    ) {
        let (actor_type, actor_id) = actor.shown();
        for event in events {
            let resource = &event.contents.about.resource;
            let key = event.flag_id.and_then(|id| self.keys.get(&id).cloned());
            let version = key.as_ref().and(change);
            let id = event.env_id.map(|id| id.to_string());
            let project_id = event.project_id.map(|id| id.to_string());
            let set = key.as_ref().and(id.as_ref().or(project_id.as_ref()));
            let attributes = [
                ("feature_flag.set.id", set.cloned()),
                (
                    "feature_flag.version",
                    version.map(|change| change.version.to_string()),
                ),
                ("feature_flag.key", key),
                ("halyard.change.type", Some(event.event_type.to_owned())),
                ("halyard.resource.type", Some(resource.kind.clone())),
                ("halyard.resource.id", Some(resource.id.clone())),
                ("halyard.organization.id", Some(org_id.to_string())),
                ("halyard.project.id", project_id),
                ("halyard.environment.id", id),
                ("halyard.actor.type", Some(actor_type.to_owned())),
                ("halyard.actor.id", actor_id.map(|id| id.to_string())),
            ];
            let attributes = attributes.into_iter();
            let attributes = attributes.filter_map(|(name, value)| Some((name, value?)));
            trace::record("halyard.change", event.happened_at.into(), attributes);
        }
    }
}
