//! A project as files: written from what the service has, compared with it, applied to it.

mod apply;
mod body;
mod changes;
mod compare;
mod fetch;
mod folder;
mod keep;
mod locate;
mod projects;
mod pull;
mod refused;
mod show;
#[cfg(test)]
mod tests;
mod what_if;

use std::{collections::BTreeSet, path::Path};

use files::content::Content;
use serde_json::{Map, Value, json};

use self::changes::{Action, Changes, Kind};
use super::Session;
use crate::{
    api::Error,
    arguments::{Apply, InProject, Place, Plan, Pull, ShowPlan},
    environment,
    exit::Exit,
    output::Format,
};

/// What is done for a project.
enum Outcome<T> {
    /// It is done.
    Done(T),
    /// What the files say is wrong, which was told.
    Wrong,
}

/// Writes a project as files.
pub(super) async fn pull(session: &Session, pull: &Pull) -> Result<Exit, Error> {
    let mut told = Vec::new();
    for one in projects::stored(session, &pull.place).await? {
        match pull::pull(session, pull, &one).await? {
            Outcome::Done(done) => told.push(done),
            Outcome::Wrong => return Ok(Exit::Failed),
        }
    }
    write(session, pull.place.all, told)?;
    Ok(Exit::Done)
}

/// Shows what applying files would change, and what it would have changed of answers if that is asked for.
pub(super) async fn plan(session: &Session, wanted: &ShowPlan) -> Result<Exit, Error> {
    let Outcome::Done(all) = compared(session, &wanted.plan).await? else {
        return Ok(Exit::Failed);
    };
    let is_table = session.printer.format() == Format::Table;
    if is_table {
        show::changes(&all)?;
    }
    let mut told = Vec::new();
    for (_, changes) in &all {
        let mut one = changes.to_json();
        if wanted.what_if {
            let estimates = what_if::ask(session, changes).await?;
            if is_table {
                what_if::tell(changes, &estimates)?;
            }
            let estimates = estimates.iter().map(what_if::Estimate::to_json);
            one["what_if"] = estimates.collect();
        }
        told.push(one);
    }
    write(session, wanted.plan.place.all, told)?;
    let differs = all.iter().any(|(_, changes)| !changes.is_empty());
    Ok(if differs { Exit::Differs } else { Exit::Done })
}

/// Changes projects to what files say.
pub(super) async fn apply(session: &Session, apply: &Apply) -> Result<Exit, Error> {
    let Outcome::Done(all) = compared(session, &apply.plan).await? else {
        return Ok(Exit::Failed);
    };
    if session.printer.format() == Format::Table {
        show::changes(&all)?;
    }
    let mut told = Vec::new();
    let differing: Vec<_> = all
        .iter()
        .filter(|(_, changes)| !changes.is_empty())
        .collect();
    if !differing.is_empty() && !apply.dry_run {
        apply::agreed(apply, &differing)?;
    }
    for (local, changes) in differing {
        told.push(apply::apply(session, apply, local, changes).await?);
    }
    if session.printer.format() != Format::Table {
        write(session, apply.plan.place.all, told)?;
    }
    Ok(Exit::Done)
}

/// What a project has.
pub(super) async fn content(session: &Session, project: &str) -> Result<Content, Error> {
    Ok(fetch::content(session, project).await?.content)
}

/// What applying the files of a folder changes, as a body of `applyContent`; `None` if what is wrong with them was told.
pub(super) async fn edits(
    session: &Session,
    plan: &Plan,
) -> Result<Option<Map<String, Value>>, Error> {
    let Outcome::Done(all) = compared(session, plan).await? else {
        return Ok(None);
    };
    if session.printer.format() == Format::Table {
        show::changes(&all)?;
    }
    Ok(all.first().map(|(_, changes)| body::edits(changes)))
}

/// The flags that applying the files of a folder with `--prune` archives or deletes; `None` if what is wrong with them was told.
pub(super) async fn going(
    session: &Session,
    within: &InProject,
    dir: &Path,
) -> Result<Option<BTreeSet<String>>, Error> {
    let place = Place {
        within: within.clone(),
        all: false,
        dir: dir.to_owned(),
    };
    let plan = Plan { place, prune: true };
    let Outcome::Done(all) = compared(session, &plan).await? else {
        return Ok(None);
    };
    let changes = all.into_iter().flat_map(|(_, changes)| changes.list);
    let goes = changes.filter(|change| {
        change.thing.kind == Kind::Flag
            && (change.action == Action::Remove
                || change.fields.get("archived").is_some_and(|is| *is == true))
    });
    Ok(Some(goes.map(|change| change.thing.key).collect()))
}

/// The files of each project, and what applying them changes.
async fn compared(
    session: &Session,
    plan: &Plan,
) -> Result<Outcome<Vec<(folder::Local, Changes)>>, Error> {
    let mut all = Vec::new();
    let mut is_wrong = false;
    for one in projects::written(session, &plan.place).await? {
        let local = match folder::read(&one, environment::now())? {
            Ok(local) => local,
            Err(problems) => {
                folder::tell(&one.dir, &problems);
                is_wrong = true;
                continue;
            }
        };
        let found = match &one.is_new {
            Some(_) => fetch::Found::default(),
            None => fetch::content(session, &one.slug).await?,
        };
        match compare::compare(&local, &found, plan.prune, environment::now()) {
            Ok(changes) => all.push((local, changes)),
            Err(problems) => {
                folder::tell(&one.dir, &problems);
                is_wrong = true;
            }
        }
    }
    Ok(if is_wrong {
        Outcome::Wrong
    } else {
        Outcome::Done(all)
    })
}

/// Writes what programs read: of one project, or of all in a list.
fn write(session: &Session, all: bool, mut told: Vec<Value>) -> Result<(), Error> {
    if session.printer.format() == Format::Table {
        return Ok(());
    }
    match told.pop() {
        Some(one) if !all => session.printer.value(&one),
        None if !all => session.printer.value(&json!({"unchanged": true})),
        last => {
            told.extend(last);
            session.printer.value(&Value::from(told))
        }
    }
}
