//! States of flags in environments.

use super::{
    flags::described,
    input,
    session::{Changed, Session},
};
use crate::{
    api::{Error, Request, operations},
    arguments::{Promote, Switch, UpdateFlag},
};

/// Changes a flag, or its state where an environment is named.
pub(super) async fn update(session: &Session, update: UpdateFlag) -> Result<(), Error> {
    let UpdateFlag {
        key,
        within,
        env,
        fields,
        state,
        change,
    } = update;
    let project = session.project(&within).await?;
    let Some(env) = env else {
        let request = Request::new(&operations::UPDATE_FLAG, &[&project, &key]);
        let request = described(request, fields)?.with(&change);
        return session
            .change(&request, &format!("changed flag {key}"))
            .await;
    };
    let request = Request::new(&operations::UPDATE_STATE, &[&project, &key, &env])
        .body(input::body(fields.input.as_deref())?)
        .field(
            "default_value",
            input::json("--default", fields.default.as_deref())?,
        )
        .field("rules", input::json("--rules", state.rules.as_deref())?)
        .field(
            "variants",
            input::json("--variants", state.variants.as_deref())?,
        )
        .field(
            "percentage_rollout",
            input::basis_points("--rollout", state.rollout.as_deref())?,
        )
        .field("scheduled_enable_at", state.enable_at)
        .field("scheduled_disable_at", state.disable_at)
        .with(&change);
    session
        .change(&request, &format!("changed flag {key} in {env}"))
        .await
}

/// Switches a flag on or off.
pub(super) async fn switch(session: &Session, switch: &Switch, on: bool) -> Result<(), Error> {
    let Switch {
        key,
        within,
        change,
    } = switch;
    let project = session.project(&within.within).await?;
    let request = Request::new(&operations::UPDATE_STATE, &[&project, key, &within.env])
        .field("enabled", Some(on))
        .with(change);
    let done = if on { "enabled" } else { "disabled" };
    let done = format!("{done} flag {key} in {}", within.env);
    session.change(&request, &done).await
}

/// Copies a state to another environment.
pub(super) async fn promote(session: &Session, promote: Promote) -> Result<(), Error> {
    let Promote {
        key,
        within,
        from,
        to,
        variants,
        change,
    } = promote;
    let project = session.project(&within).await?;
    let done = format!("promoted flag {key} from {from} to {to}");
    let request = Request::new(&operations::PROMOTE_FLAG, &[&project, &key])
        .field("source_env_id", Some(from))
        .field("target_env_id", Some(to))
        .field("variants", variants)
        .with(&change);
    session.change(&request, &done).await
}
