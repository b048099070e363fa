//! Tells the service which flags a repository names.

use serde_json::{Value, json};

use super::{
    super::{Session, files::project::count},
    bound::MAX_REFERENCES,
    keys,
    looked::{Looked, look, of_flags},
    repository::Repository,
    settings::Settings,
};
use crate::{
    api::{Error, Request, operations},
    arguments::{Global, Scan},
    exit::Exit,
    output::{Format, Printer, cell, escape, message},
};

/// Scans a repository, and sends what it has, or shows it.
pub(super) async fn scan(global: &Global, wanted: &Scan) -> Result<Exit, Error> {
    let repository = Repository::of(&wanted.path, &wanted.of)?;
    let settings = Settings::read(&repository.root)?;
    let mut session = None;
    let keys = if let Some(dir) = &wanted.dir {
        match keys::of_files(dir) {
            Some(keys) => keys,
            None => return Ok(Exit::Failed),
        }
    } else {
        let opened = Session::open(global)?;
        let project = opened.project(&wanted.within).await?;
        let keys = keys::of_project(&opened, &project).await?;
        session = Some((opened, project));
        keys
    };
    let without = wanted.dir.as_deref().map(of_flags).unwrap_or_default();
    let looked = look(
        &repository,
        &settings,
        &wanted.path,
        &without,
        &keys,
        &wanted.named,
    )?;
    let left_out = looked.scanned.left_out;
    if left_out > 0 {
        message(&format!(
            "warning: {} left out: {} is the most of a repository",
            count(left_out, "reference"),
            MAX_REFERENCES
        ));
    }
    match session {
        Some((session, project)) if !wanted.dry_run => {
            let link = wanted.link.as_ref().or(settings.link.as_ref());
            send(&session, &project, &repository, link, &looked).await?;
        }
        _ => show(global, &repository, &looked)?,
    }
    Ok(Exit::Done)
}

async fn send(
    session: &Session,
    project: &str,
    repository: &Repository,
    link: Option<&String>,
    looked: &Looked,
) -> Result<(), Error> {
    let name = repository.name()?;
    let references = looked.scanned.references.iter();
    let references: Vec<_> = references
        .map(|one| {
            json!({"key": looked.key(one), "path": &*one.path, "line": one.line, "alias": one.alias})
        })
        .collect();
    let request = Request::new(&operations::PUT_REFERENCES, &[project])
        .field("repository", Some(name))
        .field("branch", Some(json!(repository.branch)))
        .field("commit", Some(json!(repository.commit)))
        .field("link", Some(json!(link)))
        .field("references", Some(references));
    let mut answer = session.get(&request).await?;
    for key in answer["unknown_keys"].as_array().into_iter().flatten() {
        message(&format!(
            "warning: the project has no flag {} any more",
            cell(key)
        ));
    }
    if session.printer.format() == Format::Table {
        let number = |field: &str| usize::try_from(answer[field].as_u64().unwrap_or_default());
        message(&escape(&format!(
            "{name} has {} of {} in {}",
            count(number("reference_count").unwrap_or_default(), "reference"),
            count(number("flag_count").unwrap_or_default(), "flag"),
            count(looked.scanned.files, "file"),
        )));
        return Ok(());
    }
    answer["left_out"] = looked.scanned.left_out.into();
    session.printer.value(&answer)
}

/// What would be sent.
fn show(global: &Global, repository: &Repository, looked: &Looked) -> Result<(), Error> {
    let references = looked.scanned.references.iter();
    let each: Vec<Value> = references
        .map(|one| {
            json!({
                "key": looked.key(one),
                "path": &*one.path,
                "line": one.line,
                "column": one.column,
                "alias": one.alias,
            })
        })
        .collect();
    let rows = each.iter().map(|one| {
        let place = ["path", "line", "column"].map(|field| cell(&one[field]));
        vec![cell(&one["key"]), place.join(":"), cell(&one["alias"])]
    });
    let rows: Vec<_> = rows.collect();
    let answer = json!({
        "repository": repository.name,
        "branch": repository.branch,
        "commit": repository.commit,
        "files": looked.scanned.files,
        "left_out": looked.scanned.left_out,
        "references": each,
    });
    let titles = ["FLAG", "WHERE", "ALIAS"];
    Printer::new(global.output).table(&answer, titles.into_iter(), rows.into_iter())?;
    if global.output == Format::Table {
        message("nothing was sent (--dry-run)");
    }
    Ok(())
}
