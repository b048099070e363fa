//! The demo's flags, one of each kind.

use base::{ids::EnvId, input::Key};
use domain::{
    flags::{
        change::{self, Authority, Place},
        edit,
        input::NewFlag,
        states::input::StatePatch,
        store,
    },
    segments::{self, input::NewSegment},
    unit::{Draft, Expected, ProjectChange, Recorded},
};
use serde_json::{Value, json};

/// The flag that the printed example asks for.
pub(super) const FIRST: &str = "new-dashboard";

/// A part of the demo that was created.
pub(super) type Made = Recorded<()>;

/// Creates missing flags, with a state in every environment. Existing ones stay as they are.
pub(super) async fn create(
    project: &mut ProjectChange<'_>,
    env_ids: &[EnvId],
) -> anyhow::Result<Option<Made>> {
    let (org_id, project_id, now) = (project.org_id(), project.project().id, project.now());
    let mut made = None;
    let segment = serde_json::from_value::<NewSegment>(beta_testers())?.check(now)?;
    let key = Key::parse(Some(segment.key.clone()))?;
    let found = segments::store::find(project, org_id, project_id, &key).await?;
    if found.is_none() {
        made = Some(segments::change::create(project, segment).await?.map(drop));
    }
    for (flag, state) in flags() {
        let flag = serde_json::from_value::<NewFlag>(flag)?.check(now)?;
        let key = Key::parse(Some(flag.key.clone()))?;
        if store::find(project, org_id, project_id, &key)
            .await?
            .is_some()
        {
            continue;
        }
        let (flag_id, flag_type) = (flag.id, flag.flag_type);
        made = Some(edit::create(project, flag).await?.map(drop));
        let patch: StatePatch = serde_json::from_value(state)?;
        for &env_id in env_ids {
            let place = Place { flag_id, env_id };
            let wish = patch.clone().check(flag_type, now)?;
            let draft = Draft::new(wish, None);
            let stated =
                change::update(project, place, draft, Authority::Import, &Expected::Any).await?;
            made = Some(stated.map(drop));
        }
    }
    Ok(made)
}

fn beta_testers() -> Value {
    json!({
        "key": "beta-testers",
        "name": "Beta testers",
        "rules": [{"attribute": "email", "operator": "endsWith", "values": ["@halyard.test"]}],
    })
}

fn flags() -> [(Value, Value); 4] {
    [
        (
            json!({"key": FIRST, "name": "New dashboard", "description": "A plain switch"}),
            json!({"enabled": true}),
        ),
        (
            json!({"key": "instant-search", "name": "Instant search",
                   "description": "For beta testers, and for a quarter of everybody else"}),
            json!({
                "enabled": true,
                "rules": [{"segment_keys": ["beta-testers"], "value": true}],
                "percentage_rollout": 2500,
            }),
        ),
        (
            json!({"key": "banner", "name": "Banner", "flag_type": "string", "default_value": "Welcome",
                   "description": "A text that depends on the country"}),
            json!({
                "enabled": true,
                "rules": [{
                    "conditions": [{"attribute": "country", "operator": "in", "values": ["AT", "CH", "DE"]}],
                    "value": "Willkommen",
                }],
            }),
        ),
        (
            json!({"key": "checkout", "name": "Checkout", "flag_type": "ab", "default_value": "classic",
                   "description": "An experiment with two variants"}),
            json!({
                "enabled": true,
                "variants": [
                    {"key": "control", "value": "classic", "weight": 5000},
                    {"key": "treatment", "value": "one-page", "weight": 5000},
                ],
            }),
        ),
    ]
}
