//! Sends changes.

use std::time::Duration;

use serde_json::Value;

use super::{body, changes::Changes, fetch, folder::Local, refused};
use crate::{
    api::{Answer, Error, Request, StatusCode, operations},
    arguments::Apply,
    commands::{Session, confirm, session::Changed},
    output::{Format, cell, message},
};

/// How often changes are sent again while others are being made.
const TURNS: usize = 5;

/// The pause before that.
const PAUSE: Duration = Duration::from_secs(2);

/// Asks whether to apply the changes, unless that was said before.
pub(super) fn agreed(apply: &Apply, all: &[&(Local, Changes)]) -> Result<(), Error> {
    if apply.yes {
        return Ok(());
    }
    let projects: Vec<_> = all
        .iter()
        .map(|(_, changes)| changes.project.as_str())
        .collect();
    let projects = projects.join(", ");
    confirm::ask(
        &format!("Apply this to {projects}?"),
        "nothing was applied: say --yes where nobody can be asked",
    )
}

/// Applies the changes of a project, and tells what became of them.
pub(super) async fn apply(
    session: &Session,
    apply: &Apply,
    local: &Local,
    changes: &Changes,
) -> Result<Value, Error> {
    let project = &changes.project;
    let mut created = None;
    if let Some(name) = &changes.is_new {
        if apply.dry_run {
            message(&format!(
                "project {project} is not there yet, so that the service cannot check it"
            ));
            return Ok(changes.to_json());
        }
        created = Some(create(session, project, name, changes).await?);
    }
    let changes = created.as_ref().unwrap_or(changes);
    let mut request = body::request(project, changes).with(&apply.change);
    if apply.dry_run {
        request = request.query("dry_run", Some(true));
    }
    let answer = sent(session, &request).await;
    let answer = answer.map_err(|error| refused::told(local, error))?;
    let result: Value = answer.json()?;
    if session.printer.format() == Format::Table {
        tell(session, apply, &result);
    }
    crate::output::told_of_change(&answer, &result);
    Ok(result)
}

/// Sends the changes, again while another change of the organization is being made: nothing was done then.
async fn sent(session: &Session, request: &Request) -> Result<Answer, Error> {
    for _ in 0..TURNS {
        match session.send(request).await {
            Err(error) if error.status() == Some(StatusCode::TOO_MANY_REQUESTS) => {
                tokio::time::sleep(PAUSE).await;
            }
            answer => return answer,
        }
    }
    session.send(request).await
}

/// Creates the project, and has the changes follow its version.
async fn create(
    session: &Session,
    slug: &str,
    name: &str,
    changes: &Changes,
) -> Result<Changes, Error> {
    let request = Request::new(&operations::CREATE_PROJECT, &[])
        .field("name", Some(name))
        .field("slug", Some(slug));
    session.send(&request).await?;
    message(&format!("created project {name}"));
    Ok(changes.at(fetch::content(session, slug).await?.version))
}

fn tell(session: &Session, apply: &Apply, result: &Value) {
    let count = |what: &str| {
        let counts = result[what].as_object().into_iter().flatten();
        counts.filter_map(|(_, count)| count.as_u64()).sum::<u64>()
    };
    let [created, updated, removed] = ["created", "updated", "removed"].map(count);
    let version = cell(&result["version"]);
    let told = format!("{created} created, {updated} changed, {removed} removed");
    message(&if apply.dry_run {
        format!("the service would take it at version {version}: {told} (--dry-run)")
    } else {
        format!("applied as version {version}: {told}")
    });
    for approval in result["approvals"].as_array().into_iter().flatten() {
        let (flag, slug) = (cell(&approval["flag_key"]), cell(&approval["env_slug"]));
        let link = approval["id"].as_str().map_or_else(String::new, |id| {
            let address = session.client.settings().address.as_str();
            format!(": {address}/approvals/{id}")
        });
        message(&format!("needs approval: {flag} in {slug}{link}"));
    }
}
