//! The audit log, and the edges.

use super::session::Session;
use crate::{
    api::{Error, Request, operations},
    arguments::{Audit, Edges, EdgesCommand, InProject, Waves},
    output::{Column, cell},
};

const ENTRIES: &[Column] = &[
    Column::new("AT", "/created_at"),
    Column::new("WHO", "/actor_name"),
    Column::new("ACTION", "/action"),
    Column::new("WHAT", "/resource_name"),
    Column::new("COMMENT", "/metadata/comment"),
];

const EDGES: &[Column] = &[
    Column::new("NAME", "/name"),
    Column::new("KIND", "/kind"),
    Column::new("REGION", "/region"),
    Column::new("CONNECTED", "/connected"),
    Column::new("LAST SEEN", "/last_seen_at"),
    Column::new("RTT MS", "/rtt_ms"),
    Column::new("BUILD", "/build"),
];

pub(super) async fn audit(session: &Session, wanted: Audit) -> Result<(), Error> {
    let project = match &wanted.project {
        Some(slug) => Some(session.id(&operations::GET_PROJECT, &[slug]).await?),
        None => None,
    };
    let env = environment(session, wanted.project.clone(), wanted.env).await?;
    let request = Request::new(&operations::LIST_AUDIT_ENTRIES, &[])
        .query("project_id", project)
        .query("env_id", env)
        .query("action", wanted.action)
        .query("resource_type", wanted.resource_type)
        .query("resource_id", wanted.resource)
        .query("actor_id", wanted.actor)
        .query("from", wanted.from)
        .query("to", wanted.to)
        .query("q", wanted.query);
    let mut paging = wanted.paging;
    // The log may be long: the newest unless more is asked for.
    paging.limit = paging.limit.or(Some(50));
    let list = session.list(&request, &paging).await?;
    session.printer.list(&list, ENTRIES)
}

pub(super) async fn edges(session: &Session, edges: Edges) -> Result<(), Error> {
    match edges.command {
        None | Some(EdgesCommand::List) => {
            let list = session
                .get(&Request::new(&operations::LIST_EDGES, &[]))
                .await?;
            session.printer.list(&list, EDGES)
        }
        Some(EdgesCommand::Waves(wanted)) => waves(session, wanted).await,
    }
}

async fn waves(session: &Session, wanted: Waves) -> Result<(), Error> {
    let env = environment(session, wanted.project, wanted.env).await?;
    let request = Request::new(&operations::LIST_WAVES, &[])
        .query("env_id", env)
        .query("limit", wanted.limit);
    let list = session.get(&request).await?;
    let waves = list["data"].as_array().into_iter().flatten();
    let rows = waves.map(|wave| {
        let acknowledged = wave["acknowledged"].as_array();
        let acknowledged = acknowledged.into_iter().flatten();
        let slowest = acknowledged
            .clone()
            .filter_map(|edge| edge["after_ms"].as_i64());
        vec![
            cell(&wave["committed_at"]),
            cell(&wave["version"]),
            cell(&wave["action"]),
            cell(&wave["resource_key"]),
            acknowledged.count().to_string(),
            slowest
                .max()
                .map_or_else(|| "-".to_owned(), |slowest| slowest.to_string()),
            cell(&wave["lagging"]),
        ]
    });
    let titles = [
        "AT",
        "VERSION",
        "ACTION",
        "WHAT",
        "EDGES",
        "SLOWEST MS",
        "LAGGING",
    ];
    session.printer.table(&list, titles.into_iter(), rows)
}

/// The id of an environment that is named by slug within a project.
async fn environment(
    session: &Session,
    project: Option<String>,
    env: Option<String>,
) -> Result<Option<String>, Error> {
    let Some(env) = env else {
        return Ok(None);
    };
    if uuid::Uuid::try_parse(&env).is_ok() {
        return Ok(Some(env));
    }
    let project = session.project(&InProject { project }).await?;
    let id = session
        .id(&operations::GET_ENVIRONMENT, &[&project, &env])
        .await?;
    Ok(Some(id))
}
