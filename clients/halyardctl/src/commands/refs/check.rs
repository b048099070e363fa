//! Whether flags that are to go are still named in a tree.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use serde_json::{Value, json};

use super::{
    super::{Session, files::project::count, gitops},
    keys::text,
    looked::{Looked, look, of_flags},
    repository::Repository,
    settings::Settings,
};
use crate::{
    api::{Error, Request, operations},
    arguments::{CheckRefs, Global, InRepository, Paging},
    environment,
    exit::Exit,
    output::{self, Format, Printer, escape, message},
};

/// What other repositories have: by the key of a flag, how many references each.
type Others = BTreeMap<String, BTreeMap<String, usize>>;

/// Fails where a flag is still named.
pub(super) async fn check(global: &Global, wanted: &CheckRefs) -> Result<Exit, Error> {
    let given = InRepository {
        repository: wanted.repository.clone(),
        branch: None,
        commit: None,
    };
    let repository = Repository::of(&wanted.path, &given)?;
    let settings = Settings::read(&repository.root)?;
    let names_project =
        wanted.within.project.is_some() || environment::text(environment::PROJECT).is_some();
    let session = if wanted.dir.is_some() || names_project {
        Some(Session::open(global)?)
    } else {
        None
    };
    let keys: BTreeSet<String> = match (&wanted.dir, &session) {
        (Some(dir), Some(session)) => match gitops::going(session, &wanted.within, dir).await? {
            Some(keys) => keys,
            None => return Ok(Exit::Failed),
        },
        _ => wanted.keys.iter().cloned().collect(),
    };
    let mut without = wanted.dir.as_deref().map(of_flags).unwrap_or_default();
    // That of an earlier run names them.
    without.extend(wanted.junit.clone());
    let looked = look(
        &repository,
        &settings,
        &wanted.path,
        &without,
        &keys,
        &wanted.named,
    )?;
    let others = match &session {
        Some(session) => others(session, wanted, &repository, &keys).await?,
        None => Others::new(),
    };
    let is_named = !looked.scanned.references.is_empty();
    let is_doubted = wanted.strict && !others.is_empty();
    if let Some(file) = &wanted.junit {
        write_report(file, &looked, &others, wanted.strict)?;
    }
    if global.output == Format::Table {
        tell(&looked, &others)?;
    } else {
        Printer::new(global.output).value(&for_programs(&looked, &others))?;
    }
    Ok(if is_named || is_doubted {
        Exit::Failed
    } else {
        Exit::Done
    })
}

/// What the service knows of other repositories.
async fn others(
    session: &Session,
    wanted: &CheckRefs,
    repository: &Repository,
    keys: &BTreeSet<String>,
) -> Result<Others, Error> {
    let project = session.project(&wanted.within).await?;
    let mut others = Others::new();
    for key in keys {
        let request = Request::new(&operations::LIST_FLAG_REFERENCES, &[&project, key]);
        let list = match session.list(&request, &Paging::default()).await {
            // It went before its references did.
            Err(Error::Refused(refusal)) if refusal.message == "flag not found" => continue,
            list => list?,
        };
        for one in list["data"].as_array().into_iter().flatten() {
            let name = text(one, "repository");
            if repository.name.as_deref() != Some(name) {
                let of_key = others.entry(key.clone()).or_default();
                *of_key.entry(name.to_owned()).or_default() += 1;
            }
        }
    }
    Ok(others)
}

fn tell(looked: &Looked, others: &Others) -> Result<(), Error> {
    let mut lines = String::new();
    for one in &looked.scanned.references {
        let (path, line, column) = (&one.path, one.line, one.column);
        let alias = one.alias.as_ref();
        let alias = alias.map_or_else(String::new, |alias| format!(" as {alias}"));
        let line = format!(
            "{path}:{line}:{column}: flag {} is still named{alias}",
            looked.key(one)
        );
        lines.push_str(&(escape(&line) + "\n"));
    }
    output::write(&lines)?;
    for (key, repositories) in others {
        for (name, number) in repositories {
            message(&escape(&format!(
                "warning: {name} has {} of flag {key}",
                count(*number, "reference")
            )));
        }
    }
    let named: BTreeSet<_> = looked
        .scanned
        .references
        .iter()
        .map(|one| one.key)
        .collect();
    let verdict = match (named.len(), looked.keys.len()) {
        (_, 0) => "no flag is to go".to_owned(),
        (0, _) => "no flag that is to go is still named here".to_owned(),
        (number, of) => format!("still named here: {number} of {}", count(of, "flag")),
    };
    message(&verdict);
    Ok(())
}

fn for_programs(looked: &Looked, others: &Others) -> Value {
    let flags = looked.keys.iter().enumerate().map(|(place, key)| {
        let here = looked.scanned.references.iter();
        let here = here.filter(|one| one.key == place).map(|one| {
            json!({"path": &*one.path, "line": one.line, "column": one.column, "alias": one.alias})
        });
        json!({
            "key": key,
            "references": here.collect::<Value>(),
            "other_repositories": others.get(key).cloned().unwrap_or_default(),
        })
    });
    json!({"flags": flags.collect::<Value>(), "left_out": looked.scanned.left_out})
}

/// A case for each flag.
fn write_report(file: &Path, looked: &Looked, others: &Others, strict: bool) -> Result<(), Error> {
    let mut suite = TestSuite::new("references");
    for (place, key) in looked.keys.iter().enumerate() {
        let here = looked.scanned.references.iter();
        let here = here.filter(|one| one.key == place);
        let mut lines: Vec<_> = here
            .map(|one| format!("{}:{}:{}", one.path, one.line, one.column))
            .collect();
        if strict {
            let others = others.get(key).into_iter().flatten();
            lines.extend(others.map(|(name, number)| format!("{name}: {number}")));
        }
        let status = if lines.is_empty() {
            TestCaseStatus::success()
        } else {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_message(format!("flag {key} is still named"));
            status.set_description(lines.join("\n"));
            status
        };
        suite.add_test_case(TestCase::new(key.as_str(), status));
    }
    let mut report = Report::new("halyardctl refs check");
    report.add_test_suite(suite);
    let shown = file.display().to_string();
    let failed = |why: String| Error::while_doing(&shown, why);
    let text = report.to_string().map_err(|why| failed(why.to_string()))?;
    fs::write(file, text).map_err(|why| failed(why.to_string()))
}
