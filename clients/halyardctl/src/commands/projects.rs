//! Projects.

use super::{
    confirm::confirm,
    session::{Changed, Session},
};
use crate::{
    api::{Error, Request, operations},
    arguments::ProjectCommand,
    output::Column,
};

const COLUMNS: &[Column] = &[
    Column::new("SLUG", "/slug"),
    Column::new("NAME", "/name"),
    Column::new("CREATED", "/created_at"),
    Column::new("ID", "/id"),
];

pub(super) async fn run(session: &Session, command: ProjectCommand) -> Result<(), Error> {
    match command {
        ProjectCommand::List(paging) => {
            let request = Request::new(&operations::LIST_PROJECTS, &[]);
            let list = session.list(&request, &paging).await?;
            session.printer.list(&list, COLUMNS)
        }
        ProjectCommand::Get { project } => {
            let request = Request::new(&operations::GET_PROJECT, &[&project]);
            session.printer.item(&session.get(&request).await?)
        }
        ProjectCommand::Create { name, slug } => {
            let done = format!("created project {name}");
            let request = Request::new(&operations::CREATE_PROJECT, &[])
                .field("name", Some(name))
                .field("slug", slug);
            session.change(&request, &done).await
        }
        ProjectCommand::Update {
            project,
            name,
            slug,
        } => {
            let request = Request::new(&operations::UPDATE_PROJECT, &[&project])
                .field("name", name)
                .field("slug", slug);
            session
                .change(&request, &format!("changed project {project}"))
                .await
        }
        ProjectCommand::Delete {
            project,
            change,
            sure,
        } => {
            confirm(
                &sure,
                &format!("deleting project {project} with all its flags"),
            )?;
            let request = Request::new(&operations::DELETE_PROJECT, &[&project]).with(&change);
            session
                .change(&request, &format!("deleted project {project}"))
                .await
        }
    }
}
