//! Segments.

use super::{
    confirm::confirm,
    input,
    session::{Changed, Session},
};
use crate::{
    api::{Error, Request, operations},
    arguments::{SegmentCommand, SegmentFields},
    output::Column,
};

const COLUMNS: &[Column] = &[
    Column::new("KEY", "/key"),
    Column::new("NAME", "/name"),
    Column::new("MATCH", "/match_type"),
    Column::new("UPDATED", "/updated_at"),
];

pub(super) async fn run(session: &Session, command: SegmentCommand) -> Result<(), Error> {
    match command {
        SegmentCommand::List { within, paging } => {
            let project = session.project(&within).await?;
            let request = Request::new(&operations::LIST_SEGMENTS, &[&project]);
            let list = session.list(&request, &paging).await?;
            session.printer.list(&list, COLUMNS)
        }
        SegmentCommand::Get { key, within } => {
            let project = session.project(&within).await?;
            let request = Request::new(&operations::GET_SEGMENT, &[&project, &key]);
            session.printer.item(&session.get(&request).await?)
        }
        SegmentCommand::Create {
            key,
            mut fields,
            within,
            change,
        } => {
            let project = session.project(&within).await?;
            if fields.name.is_none() && fields.input.is_none() {
                fields.name = Some(key.clone());
            }
            let request = Request::new(&operations::CREATE_SEGMENT, &[&project]);
            let request = described(request, fields)?
                .field("key", Some(key.as_str()))
                .with(&change);
            session
                .change(&request, &format!("created segment {key}"))
                .await
        }
        SegmentCommand::Update {
            key,
            fields,
            within,
            change,
        } => {
            let project = session.project(&within).await?;
            let request = Request::new(&operations::UPDATE_SEGMENT, &[&project, &key]);
            let request = described(request, fields)?.with(&change);
            session
                .change(&request, &format!("changed segment {key}"))
                .await
        }
        SegmentCommand::Delete {
            key,
            within,
            change,
            sure,
        } => {
            let project = session.project(&within).await?;
            confirm(&sure, &format!("deleting segment {key}"))?;
            let request = Request::new(&operations::DELETE_SEGMENT, &[&project, &key]);
            let done = format!("deleted segment {key}");
            session.change(&request.with(&change), &done).await
        }
    }
}

fn described(request: Request, fields: SegmentFields) -> Result<Request, Error> {
    let rules = input::json("--rules", fields.rules.as_deref())?;
    Ok(request
        .body(input::body(fields.input.as_deref())?)
        .field("name", fields.name)
        .field("description", fields.description)
        .field("match_type", fields.match_type)
        .field("rules", rules))
}
