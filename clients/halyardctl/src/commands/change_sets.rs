//! Change sets.

use serde_json::Value;

use super::{
    confirm::confirm,
    gitops,
    session::{Changed, Session},
};
use crate::{
    api::{Error, Operation, Request, operations},
    arguments::{ChangeSetCommand, InChangeSet, Place, Plan},
    exit::Exit,
    output::{Column, Format, cell, escape, message},
};

const COLUMNS: &[Column] = &[
    Column::new("ID", "/id"),
    Column::new("NAME", "/name"),
    Column::new("STATUS", "/status"),
    Column::new("APPLY AT", "/apply_at"),
    Column::new("UPDATED", "/updated_at"),
];

const PARTS: &[Column] = &[
    Column::new("ACTION", "/action"),
    Column::new("KIND", "/kind"),
    Column::new("KEY", "/key"),
    Column::new("ENV", "/env_slug"),
    Column::new("CHANGES", "/sentences"),
];

pub(super) async fn run(session: &Session, command: ChangeSetCommand) -> Result<Exit, Error> {
    match command {
        ChangeSetCommand::Create {
            name,
            description,
            within,
            dir,
            prune,
        } => {
            let place = Place {
                within,
                all: false,
                dir,
            };
            let plan = Plan { place, prune };
            return create(session, &name, description, &plan).await;
        }
        ChangeSetCommand::List {
            status,
            within,
            paging,
        } => {
            let project = session.project(&within).await?;
            let request = Request::new(&operations::LIST_CHANGE_SETS, &[&project]);
            let request = request.query("status", status);
            let list = session.list(&request, &paging).await?;
            session.printer.list(&list, COLUMNS)?;
        }
        ChangeSetCommand::Get(set) => {
            let request = of(session, &operations::GET_CHANGE_SET, &set).await?;
            session.printer.item(&session.get(&request).await?)?;
        }
        ChangeSetCommand::Diff(set) => diff(session, &set).await?,
        ChangeSetCommand::Request(set) => {
            let request = of(session, &operations::REQUEST_CHANGE_SET, &set).await?;
            change(session, &request).await?;
        }
        ChangeSetCommand::Approve {
            set,
            note,
            seen_version,
        } => {
            let request = review(session, &set, "approve", note).await?;
            change(session, &request.field("seen_version", seen_version)).await?;
        }
        ChangeSetCommand::Reject { set, note } => {
            change(session, &review(session, &set, "reject", note).await?).await?;
        }
        ChangeSetCommand::Apply {
            set,
            at,
            seen_version,
            change: options,
        } => {
            let request = of(session, &operations::APPLY_CHANGE_SET, &set).await?;
            let request = request
                .body(Some(Value::Object(serde_json::Map::new())))
                .field("at", at)
                .field("seen_version", seen_version)
                .with(&options);
            let applied = change(session, &request).await;
            applied.map_err(|error| unapproved(error, &set.id))?;
        }
        ChangeSetCommand::Undo(set) => {
            let request = of(session, &operations::UNDO_CHANGE_SET, &set).await?;
            change(session, &request).await?;
        }
        ChangeSetCommand::Reopen(set) => {
            let request = of(session, &operations::REOPEN_CHANGE_SET, &set).await?;
            change(session, &request).await?;
        }
        ChangeSetCommand::Delete { set, sure } => {
            let done = format!("deleting change set {}", set.id);
            confirm(&sure, &done)?;
            let request = of(session, &operations::DELETE_CHANGE_SET, &set).await?;
            let done = format!("deleted change set {}", set.id);
            session.change(&request, &done).await?;
        }
    }
    Ok(Exit::Done)
}

/// A call of an operation of a change set.
async fn of(
    session: &Session,
    operation: &'static Operation,
    set: &InChangeSet,
) -> Result<Request, Error> {
    let project = session.project(&set.within).await?;
    Ok(Request::new(operation, &[&project, &set.id]))
}

async fn review(
    session: &Session,
    set: &InChangeSet,
    action: &str,
    note: Option<String>,
) -> Result<Request, Error> {
    let request = of(session, &operations::REVIEW_CHANGE_SET, set).await?;
    Ok(request.field("action", Some(action)).field("note", note))
}

/// Sends a change of a set, and tells where it stands then.
async fn change(session: &Session, request: &Request) -> Result<(), Error> {
    let answer = session.send(request).await?;
    let set: Value = answer.json()?;
    session.printer.changed(&answer, &standing(&set))
}

/// The error, with what to do where approval is missing.
fn unapproved(mut error: Error, id: &str) -> Error {
    if let Error::Refused(refusal) = &mut error
        && refusal.body["error"] == "approval_required"
    {
        refusal.advice = Some(format!("run `halyardctl change-set request {id}`"));
    }
    error
}

/// A set in a line: `change set New checkout (ID) is pending: 0 of 2 approvals`.
fn standing(set: &Value) -> String {
    let [name, id, status] = ["name", "id", "status"].map(|field| cell(&set[field]));
    let more = match status.as_str() {
        "pending" => {
            let reviews = set["reviews"].as_array().into_iter().flatten();
            let given = reviews.filter(|one| one["action"] == "approve").count();
            let required = cell(&set["required_approvals"]);
            format!(": {given} of {required} approvals")
        }
        "scheduled" => format!(" for {}", cell(&set["apply_at"])),
        "applied" => format!(" as version {}", cell(&set["applied_version"])),
        _ => String::new(),
    };
    format!("change set {name} ({id}) is {status}{more}")
}

/// Drafts what the files of a folder change.
async fn create(
    session: &Session,
    name: &str,
    description: Option<String>,
    plan: &Plan,
) -> Result<Exit, Error> {
    let project = session.project(&plan.place.within).await?;
    let Some(edits) = gitops::edits(session, plan).await? else {
        return Ok(Exit::Failed);
    };
    if edits.is_empty() {
        return Err(Error::Failed(
            "no change set was made: the files change nothing".to_owned(),
        ));
    }
    let request = Request::new(&operations::CREATE_CHANGE_SET, &[&project])
        .field("name", Some(name))
        .field("description", description)
        .field("changes", Some(edits));
    change(session, &request).await?;
    Ok(Exit::Done)
}

async fn diff(session: &Session, set: &InChangeSet) -> Result<(), Error> {
    let request = of(session, &operations::GET_CHANGE_SET_DIFF, set).await?;
    let diff = session.get(&request).await?;
    if session.printer.format() != Format::Table {
        return session.printer.value(&diff);
    }
    session.printer.list(&diff["parts"], PARTS)?;
    let texts = |field: &str| diff[field].as_array().cloned().unwrap_or_default();
    for conflict in texts("conflicts") {
        let [key, field] = ["key", "field"].map(|part| cell(&conflict[part]));
        let slug = conflict["env_slug"].as_str();
        let place = slug.map_or_else(String::new, |slug| format!(" in {}", escape(slug)));
        let [base, current] = ["base", "current"].map(|side| escape(&conflict[side].to_string()));
        message(&format!(
            "changed since the draft: {key}{place}, {field}: {base} → {current}"
        ));
    }
    if let Some(refusal) = diff["refusal"].as_str() {
        message(&format!("would be refused: {}", escape(refusal)));
    }
    let protected: Vec<_> = texts("protected").iter().map(cell).collect();
    if !protected.is_empty() {
        let required = cell(&diff["required_approvals"]);
        message(&format!(
            "approvals needed: {required}; protected: {}",
            protected.join(", ")
        ));
    }
    message(&format!("compared with version {}", diff["version"]));
    Ok(())
}
