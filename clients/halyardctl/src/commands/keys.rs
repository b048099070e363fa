//! Keys of SDKs. A key is in one answer alone, that to its creation.

use super::{
    confirm::confirm,
    session::{Changed, Session},
};
use crate::{
    api::{Error, Request, operations},
    arguments::{CreateKey, KeyCommand, KeyType},
    output::{Column, Format, message},
};

const COLUMNS: &[Column] = &[
    Column::new("NAME", "/name"),
    Column::new("TYPE", "/type"),
    Column::new("BEGINS WITH", "/key_prefix"),
    Column::new("LAST USED", "/last_used_at"),
    Column::new("EXPIRES", "/expires_at"),
    Column::new("REVOKED", "/revoked_at"),
    Column::new("ID", "/id"),
];

pub(super) async fn run(session: &Session, command: KeyCommand) -> Result<(), Error> {
    match command {
        KeyCommand::List { within, paging } => {
            let project = session.project(&within.within).await?;
            let request = Request::new(&operations::LIST_KEYS, &[&project, &within.env]);
            let list = session.list(&request, &paging).await?;
            session.printer.list(&list, COLUMNS)
        }
        KeyCommand::Create(create) => created(session, create).await,
        KeyCommand::Revoke { id, change, sure } => {
            confirm(&sure, &format!("revoking key {id}"))?;
            let request = Request::new(&operations::REVOKE_KEY, &[&id]).with(&change);
            session.change(&request, &format!("revoked key {id}")).await
        }
        KeyCommand::Rotate {
            id,
            grace_hours,
            change,
        } => {
            let request = Request::new(&operations::ROTATE_KEY, &[&id])
                .body(Some(serde_json::json!({})))
                .field("grace_period_hours", grace_hours)
                .with(&change);
            shown_once(session, &request).await
        }
    }
}

async fn created(session: &Session, create: CreateKey) -> Result<(), Error> {
    let CreateKey {
        name,
        kind,
        expires_in_days,
        within,
        change,
    } = create;
    let project = session.project(&within.within).await?;
    let kind = kind.map(|kind| match kind {
        KeyType::Server => "server",
        KeyType::Client => "client",
    });
    let request = Request::new(&operations::CREATE_KEY, &[&project, &within.env])
        .field("name", Some(name))
        .field("type", kind)
        .field("expires_in_days", expires_in_days)
        .with(&change);
    shown_once(session, &request).await
}

/// Writes an answer with a new key, in every format to standard output.
async fn shown_once(session: &Session, request: &Request) -> Result<(), Error> {
    let answer = session.get(request).await?;
    session.printer.item(&answer)?;
    if session.printer.format() == Format::Table {
        message("the key is not shown again");
    }
    Ok(())
}
