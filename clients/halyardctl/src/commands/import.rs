//! Imports from other platforms. Their credential is sent with each step, and neither kept nor shown.

use std::time::Duration;

use secrecy::ExposeSecret;
use serde_json::Value;
use tokio::time::sleep;

use super::{input, session::Session};
use crate::{
    api::{Error, Operation, Request, operations},
    arguments::{ImportCommand, Platform, Source},
    environment,
    output::{self, Column, Format, cell},
};

/// How often the state of an import is asked for.
const PAUSE: Duration = Duration::from_secs(1);

const ITEMS: &[Column] = &[
    Column::new("KIND", "/kind"),
    Column::new("SOURCE", "/source"),
    Column::new("KEY", "/key"),
    Column::new("VERDICT", "/verdict"),
    Column::new("REASONS", "/reasons"),
];

pub(super) async fn run(session: &Session, command: ImportCommand) -> Result<(), Error> {
    match command {
        ImportCommand::Analyze(source) => {
            let request = requested(session, &operations::ANALYZE_IMPORT, source).await?;
            let answer = session.get(&request).await?;
            let items = answer["details"]["items"].as_array().into_iter().flatten();
            let rows = items.map(|item| ITEMS.iter().map(|column| column.of(item)).collect());
            session
                .printer
                .table(&answer, ITEMS.iter().map(|column| column.title), rows)
        }
        ImportCommand::Execute {
            source,
            dry_run,
            no_wait,
        } => {
            let request = requested(session, &operations::EXECUTE_IMPORT, source).await?;
            if dry_run {
                let request = request.query("dry_run", Some(true));
                return session.change(&request, "nothing was changed").await;
            }
            let started = session.get(&request).await?;
            if no_wait {
                return session.printer.item(&started);
            }
            awaited(
                session,
                started["migration_id"].as_str().unwrap_or_default(),
            )
            .await
        }
        ImportCommand::Status { id } => {
            let request = Request::new(&operations::GET_IMPORT, &[&id]);
            session.printer.item(&session.get(&request).await?)
        }
        ImportCommand::Report {
            id,
            verdict,
            paging,
        } => {
            let request =
                Request::new(&operations::GET_IMPORT_REPORT, &[&id]).query("verdict", verdict);
            let list = session.list(&request, &paging).await?;
            session.printer.list(&list, ITEMS)
        }
    }
}

async fn requested(
    session: &Session,
    operation: &'static Operation,
    source: Source,
) -> Result<Request, Error> {
    let project = session.project(&source.within).await?;
    let text = |value: &str| Ok(Value::from(value));
    let environments = input::pairs("--environment", &source.environments, text)?;
    let key = input::secret(Some(environment::IMPORT_KEY), "Credential: ")?;
    let provider = match source.from {
        Platform::Launchdarkly => "provider_a",
        Platform::Unleash => "provider_b",
        Platform::Flagsmith => "provider_c",
    };
    Ok(Request::new(operation, &[])
        .field("provider", Some(provider))
        .field("api_key", Some(key.expose_secret()))
        .field("base_url", source.base_url)
        .field("project_key", source.source_project)
        .field("target_project_id", Some(project))
        .field(
            "environments",
            (!environments.is_empty()).then_some(environments),
        )
        .field("buckets", source.keep_buckets.then_some("keep")))
}

/// Waits until an import has ended, and tells how.
async fn awaited(session: &Session, id: &str) -> Result<(), Error> {
    let request = Request::new(&operations::GET_IMPORT, &[id]);
    let mut before = Value::Null;
    loop {
        let state = session.get(&request).await?;
        if state["status"] != "in_progress" {
            session.printer.item(&state)?;
            return match state["status"].as_str() {
                Some("completed") => Ok(()),
                _ => Err(Error::Failed(format!("import {id} failed"))),
            };
        }
        let imported = &state["flags_imported"];
        if session.printer.format() == Format::Table && *imported != before {
            let (imported, total) = (cell(imported), cell(&state["flags_total"]));
            output::message(&format!("{imported} of {total} flags are imported"));
        }
        before = state["flags_imported"].clone();
        sleep(PAUSE).await;
    }
}
