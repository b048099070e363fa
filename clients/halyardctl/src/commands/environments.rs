//! Environments of a project.

use super::{
    confirm::confirm,
    session::{Changed, Session},
};
use crate::{
    api::{Error, Request, operations},
    arguments::{EnvironmentCommand, EnvironmentFields},
    output::Column,
};

const COLUMNS: &[Column] = &[
    Column::new("SLUG", "/slug"),
    Column::new("NAME", "/name"),
    Column::new("PROTECTED", "/protected"),
    Column::new("APPROVALS", "/required_approvals"),
    Column::new("ID", "/id"),
];

pub(super) async fn run(session: &Session, command: EnvironmentCommand) -> Result<(), Error> {
    match command {
        EnvironmentCommand::List { within, paging } => {
            let project = session.project(&within).await?;
            let request = Request::new(&operations::LIST_ENVIRONMENTS, &[&project]);
            let list = session.list(&request, &paging).await?;
            session.printer.list(&list, COLUMNS)
        }
        EnvironmentCommand::Get { env, within } => {
            let project = session.project(&within).await?;
            let request = Request::new(&operations::GET_ENVIRONMENT, &[&project, &env]);
            session.printer.item(&session.get(&request).await?)
        }
        EnvironmentCommand::Create {
            name,
            fields,
            within,
            change,
        } => {
            let project = session.project(&within).await?;
            let done = format!("created environment {name}");
            let request = Request::new(&operations::CREATE_ENVIRONMENT, &[&project]);
            let request = described(request, Some(name), fields).with(&change);
            session.change(&request, &done).await
        }
        EnvironmentCommand::Update {
            env,
            name,
            fields,
            within,
            change,
        } => {
            let project = session.project(&within).await?;
            let request = Request::new(&operations::UPDATE_ENVIRONMENT, &[&project, &env]);
            let request = described(request, name, fields).with(&change);
            session
                .change(&request, &format!("changed environment {env}"))
                .await
        }
        EnvironmentCommand::Delete {
            env,
            within,
            change,
            sure,
        } => {
            let project = session.project(&within).await?;
            confirm(
                &sure,
                &format!("deleting environment {env} of project {project}"),
            )?;
            let request = Request::new(&operations::DELETE_ENVIRONMENT, &[&project, &env]);
            let done = format!("deleted environment {env}");
            session.change(&request.with(&change), &done).await
        }
    }
}

fn described(request: Request, name: Option<String>, fields: EnvironmentFields) -> Request {
    request
        .field("name", name)
        .field("slug", fields.slug)
        .field("color", fields.color)
        .field("protected", fields.protected)
        .field("required_approvals", fields.required_approvals)
}
