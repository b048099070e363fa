//! Flags over time: their versions, and those that nothing seems to need any more.

use super::session::{Changed, Session};
use crate::{
    api::{Error, Request, operations},
    arguments::{FlagHistory, RollBack},
    output::Column,
};

const VERSIONS: &[Column] = &[
    Column::new("VERSION", "/version"),
    Column::new("AT", "/at"),
    Column::new("BY", "/actor/name"),
    Column::new("ACTION", "/action"),
    Column::new("CHANGED", "/changed"),
    Column::new("COMMENT", "/comment"),
];

/// Lists versions, or shows one.
pub(super) async fn history(session: &Session, wanted: FlagHistory) -> Result<(), Error> {
    let FlagHistory {
        key,
        within,
        env,
        version,
        paging,
    } = wanted;
    let project = session.project(&within).await?;
    if let Some(version) = version {
        let version = version.to_string();
        let request = Request::new(&operations::GET_VERSION, &[&project, &key, &version])
            .query("env_id", env);
        return session.printer.item(&session.get(&request).await?);
    }
    let request = Request::new(&operations::LIST_HISTORY, &[&project, &key]).query("env_id", env);
    let list = session.list(&request, &paging).await?;
    session.printer.list(&list, VERSIONS)
}

/// Brings back an older version of a state.
pub(super) async fn roll_back(session: &Session, back: RollBack) -> Result<(), Error> {
    let RollBack {
        key,
        within,
        to,
        change,
    } = back;
    let project = session.project(&within.within).await?;
    let done = format!("rolled flag {key} in {} back to version {to}", within.env);
    let request = Request::new(&operations::ROLL_BACK_FLAG, &[&project, &key])
        .field("env_id", Some(within.env))
        .field("version", Some(to))
        .with(&change);
    session.change(&request, &done).await
}
