//! Where flags are named in code: found in a tree, told to the service, checked before flags go.

mod bound;
mod check;
mod keys;
mod looked;
mod patterns;
mod repository;
mod scan;
mod settings;
mod tree;

use serde_json::Value;

use self::keys::text;
use super::{Session, confirm::confirm};
use crate::{
    api::{Error, Request, operations},
    arguments::{Global, InProject, Paging, RefsCommand, Sure},
    exit::Exit,
    output::{Column, cell},
};

pub(super) async fn run(global: &Global, command: &RefsCommand) -> Result<Exit, Error> {
    match command {
        RefsCommand::Scan(wanted) => return scan::scan(global, wanted).await,
        RefsCommand::Check(wanted) => return check::check(global, wanted).await,
        RefsCommand::List { within } => list(&Session::open(global)?, within).await?,
        RefsCommand::Remove {
            repository,
            within,
            sure,
        } => remove(&Session::open(global)?, repository, within, sure).await?,
    }
    Ok(Exit::Done)
}

async fn list(session: &Session, within: &InProject) -> Result<(), Error> {
    const COLUMNS: &[Column] = &[
        Column::new("REPOSITORY", "/repository"),
        Column::new("BRANCH", "/branch"),
        Column::new("COMMIT", "/commit"),
        Column::new("FLAGS", "/flag_count"),
        Column::new("REFERENCES", "/reference_count"),
        Column::new("SCANNED", "/scanned_at"),
        Column::new("BY", "/scanned_by/name"),
    ];
    session
        .printer
        .list(&repositories(session, within).await?.1, COLUMNS)
}

/// The project, and its repositories.
async fn repositories(session: &Session, within: &InProject) -> Result<(String, Value), Error> {
    let project = session.project(within).await?;
    let request = Request::new(&operations::LIST_REPOSITORIES, &[&project]);
    let list = session.get(&request).await?;
    Ok((project, list))
}

async fn remove(
    session: &Session,
    repository: &str,
    within: &InProject,
    sure: &Sure,
) -> Result<(), Error> {
    let (project, list) = repositories(session, within).await?;
    let all: Vec<_> = list["data"].as_array().into_iter().flatten().collect();
    let is_meant = |one: &&&Value| [text(one, "repository"), text(one, "id")].contains(&repository);
    let Some(found) = all.iter().find(is_meant) else {
        let names: Vec<_> = all.iter().map(|one| text(one, "repository")).collect();
        return Err(Error::Failed(format!(
            "no repository {repository} was scanned; there are: {}",
            names.join(", ")
        )));
    };
    confirm(sure, &format!("forgetting the references of {repository}"))?;
    let parts = [project.as_str(), text(found, "id")];
    let request = Request::new(&operations::DELETE_REPOSITORY, &parts);
    session
        .change(&request, &format!("forgot {repository}"))
        .await
}

/// Lists where a flag is named.
pub(super) async fn of_flag(
    session: &Session,
    key: &str,
    within: &InProject,
    paging: &Paging,
) -> Result<(), Error> {
    let project = session.project(within).await?;
    let request = Request::new(&operations::LIST_FLAG_REFERENCES, &[&project, key]);
    let list = session.list(&request, paging).await?;
    let each = list["data"].as_array().into_iter().flatten();
    let rows = each.map(|one| {
        let place = ["path", "line"].map(|field| cell(&one[field]));
        let mut row = vec![cell(&one["repository"]), place.join(":")];
        row.extend(["alias", "url", "scanned_at"].map(|field| cell(&one[field])));
        row
    });
    let titles = ["REPOSITORY", "WHERE", "ALIAS", "URL", "SCANNED"];
    session.printer.table(&list, titles.into_iter(), rows)
}
