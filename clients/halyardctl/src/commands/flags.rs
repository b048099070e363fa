//! Flags: as a whole here, in an environment in `states`, over time in `history`.

use serde_json::Value;

use super::{
    confirm::confirm,
    explain, history, input, refs,
    session::{Changed, Session},
    stale, states,
};
use crate::{
    api::{Error, Operation, Request, operations},
    arguments::{CreateFlag, FlagCommand, FlagFields, ListFlags, Whole},
    output::{Column, cell, escape},
};

pub(super) async fn run(session: &Session, command: FlagCommand) -> Result<(), Error> {
    match command {
        FlagCommand::List(list) => listed(session, list).await,
        FlagCommand::Get { key, env, within } => {
            let project = session.project(&within).await?;
            let request = match &env {
                Some(env) => Request::new(&operations::GET_STATE, &[&project, &key, env]),
                None => Request::new(&operations::GET_FLAG, &[&project, &key]),
            };
            session.printer.item(&session.get(&request).await?)
        }
        FlagCommand::Create(create) => created(session, create).await,
        FlagCommand::Update(update) => states::update(session, update).await,
        FlagCommand::Enable(switch) => states::switch(session, &switch, true).await,
        FlagCommand::Disable(switch) => states::switch(session, &switch, false).await,
        FlagCommand::Kill {
            key,
            within,
            change,
        } => {
            let project = session.project(&within.within).await?;
            let request = Request::new(&operations::KILL_FLAG, &[&project, &key])
                .field("env_id", Some(within.env.as_str()))
                .with(&change);
            let done = format!("killed flag {key} in {}", within.env);
            session.change(&request, &done).await
        }
        FlagCommand::Explain(wanted) => explain::explain(session, wanted).await,
        FlagCommand::History(wanted) => history::history(session, wanted).await,
        FlagCommand::Rollback(back) => history::roll_back(session, back).await,
        FlagCommand::Promote(promote) => states::promote(session, promote).await,
        FlagCommand::Archive(whole) => {
            changed(session, &operations::ARCHIVE_FLAG, &whole, "archived").await
        }
        FlagCommand::Restore(whole) => {
            changed(session, &operations::RESTORE_FLAG, &whole, "restored").await
        }
        FlagCommand::Delete { whole, sure } => {
            confirm(&sure, &format!("deleting flag {}", whole.key))?;
            changed(session, &operations::DELETE_FLAG, &whole, "deleted").await
        }
        FlagCommand::References {
            key,
            within,
            paging,
        } => refs::of_flag(session, &key, &within, &paging).await,
        // It ends in a way of its own.
        FlagCommand::Stale(wanted) => stale::stale(session, wanted).await.map(drop),
    }
}

async fn changed(
    session: &Session,
    operation: &'static Operation,
    whole: &Whole,
    done: &str,
) -> Result<(), Error> {
    let project = session.project(&whole.within).await?;
    let request = Request::new(operation, &[&project, &whole.key]).with(&whole.change);
    session
        .change(&request, &format!("{done} flag {}", whole.key))
        .await
}

async fn created(session: &Session, create: CreateFlag) -> Result<(), Error> {
    let CreateFlag {
        key,
        kind,
        mut fields,
        within,
        change,
    } = create;
    let project = session.project(&within).await?;
    if fields.name.is_none() && fields.input.is_none() {
        fields.name = Some(key.clone());
    }
    let request = Request::new(&operations::CREATE_FLAG, &[&project]);
    let request = described(request, fields)?
        .field("key", Some(key.as_str()))
        .field("flag_type", kind)
        .with(&change);
    session
        .change(&request, &format!("created flag {key}"))
        .await
}

/// Adds what is said of a flag as a whole.
pub(super) fn described(request: Request, fields: FlagFields) -> Result<Request, Error> {
    let default = input::json("--default", fields.default.as_deref())?;
    let some = |list: Vec<String>| (!list.is_empty()).then_some(list);
    Ok(request
        .body(input::body(fields.input.as_deref())?)
        .field("name", fields.name)
        .field("description", fields.description)
        .field("default_value", default)
        .field("tags", some(fields.tags))
        .field("prerequisites", some(fields.prerequisites))
        .field("mutual_exclusion_group", fields.group)
        .field("permanent", fields.permanent))
}

async fn listed(session: &Session, list: ListFlags) -> Result<(), Error> {
    const ARCHIVED: &[Column] = &[
        Column::new("KEY", "/key"),
        Column::new("TYPE", "/flag_type"),
        Column::new("TAGS", "/tags"),
        Column::new("ARCHIVED", "/archived_at"),
    ];
    let project = session.project(&list.within).await?;
    if list.archived {
        let request = Request::new(&operations::LIST_ARCHIVED_FLAGS, &[&project])
            .query("archived", Some(true));
        let answer = session.list(&request, &list.paging).await?;
        return session.printer.list(&answer, ARCHIVED);
    }
    let request = Request::new(&operations::LIST_FLAGS, &[&project])
        .query("q", list.query)
        .query("tag", list.tag)
        .query("type", list.kind)
        .query("state", list.state)
        .query("env_id", list.env)
        .query("sort", Some("key"))
        .query("order", Some("asc"));
    let answer = session.list(&request, &list.paging).await?;
    let environments = answer["environments"].as_array();
    let environments: Vec<_> = environments.into_iter().flatten().collect();
    let slugs = environments.iter().filter_map(|env| env["slug"].as_str());
    let titles = ["KEY", "TYPE"].into_iter().chain(slugs).chain(["TAGS"]);
    let flags = answer["data"].as_array().into_iter().flatten();
    let rows = flags.map(|flag| {
        let states = environments.iter().map(|env| {
            let id = env["id"].as_str().unwrap_or_default();
            state(&flag["states"][id])
        });
        let mut row = vec![cell(&flag["key"]), cell(&flag["flag_type"])];
        row.extend(states);
        row.push(cell(&flag["tags"]));
        row
    });
    session.printer.table(&answer, titles, rows)
}

/// A state in a few words, such as `on 12.5%, 2 rules`.
fn state(state: &Value) -> String {
    if state["enabled"] != true {
        return "off".to_owned();
    }
    let mut words = "on".to_owned();
    if let Some(points) = state["percentage_rollout"].as_u64() {
        words = format!("{words} {}%", percent(points));
    }
    for (field, one, many) in [
        ("rules", "rule", "rules"),
        ("variants", "variant", "variants"),
    ] {
        match state[field].as_u64() {
            None | Some(0) => {}
            Some(1) => words = format!("{words}, 1 {one}"),
            Some(number) => words = format!("{words}, {number} {many}"),
        }
    }
    escape(&words)
}

/// Basis points in percent, without zeros at the end.
fn percent(points: u64) -> String {
    let text = format!("{}.{:02}", points / 100, points % 100);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn states_are_told_in_a_few_words() {
        assert_eq!(state(&json!(null)), "off");
        assert_eq!(state(&json!({"enabled": false, "rules": 2})), "off");
        let full = json!({"enabled": true, "percentage_rollout": 1250, "rules": 1, "variants": 2});
        assert_eq!(state(&full), "on 12.5%, 1 rule, 2 variants");
        for (points, text) in [(0, "0"), (7, "0.07"), (10_000, "100"), (1000, "10")] {
            assert_eq!(percent(points), text);
        }
    }
}
