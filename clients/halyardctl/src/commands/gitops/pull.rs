//! Writes what a project has as files.

use std::collections::BTreeMap;

use files::{
    Node, Problem, comments,
    content::{self, Content, Format},
    project::Project,
    tree::{self, file_name, write_changed},
};
use serde_json::{Value, json};

use super::{Outcome, fetch, folder, keep, projects::Of};
use crate::{
    api::Error,
    arguments::{FileFormat, Pull},
    commands::Session,
    environment,
    output::{self, escape, message},
};

/// What is in the folder: by the name of each file without its ending, and without folders in between.
#[derive(Default)]
struct There {
    files: BTreeMap<String, (tree::File, Option<Content>)>,
    problems: Vec<Problem>,
}

/// Writes the files of a project, and tells what was done.
pub(super) async fn pull(session: &Session, pull: &Pull, of: &Of) -> Result<Outcome<Value>, Error> {
    let there = look(of);
    if !there.problems.is_empty() && !pull.force {
        folder::tell(&of.dir, &there.problems);
        message("nothing was written; --force writes over files that cannot be read");
        return Ok(Outcome::Wrong);
    }
    let mut stored = fetch::content(session, &of.slug).await?.content;
    if let Some((_, Some(listed))) = there.files.get("environments") {
        keep::in_order_of(&mut stored.environments, &listed.environments);
    }
    let wanted = pull.format.map(|format| match format {
        FileFormat::Yaml => Format::Yaml,
        FileFormat::Json => Format::Json,
    });
    let mut writing = Writing {
        there,
        stored: &stored,
        wanted,
        files: Vec::from_iter(of.file()),
        removed: Vec::new(),
    };
    writing.all();
    let gone: Vec<_> = writing
        .there
        .files
        .into_values()
        .map(|(file, _)| file.name)
        .collect();
    let mut removed = writing.removed;
    if pull.prune {
        removed.extend(gone.iter().cloned());
    }
    let left = if pull.prune { Vec::new() } else { gone };
    let done = write_changed(&of.dir, &writing.files, &removed)
        .map_err(|problem| Error::Failed(problem.to_string()))?;
    let unchanged = writing.files.len() - done.written.len();
    if session.printer.format() == output::Format::Table {
        for (what, names) in [("wrote", &done.written), ("removed", &done.removed)] {
            for name in names {
                output::write(&format!(
                    "{what} {}\n",
                    escape(&of.dir.join(name).to_string_lossy())
                ))?;
            }
        }
        for name in &left {
            let name = of.dir.join(name);
            message(&format!(
                "not in the project: {} (--prune removes it)",
                escape(&name.to_string_lossy())
            ));
        }
        let (written, slug) = (done.written.len(), escape(&of.slug));
        message(&format!(
            "project {slug}: {written} files written, {unchanged} unchanged"
        ));
    }
    Ok(Outcome::Done(json!({
        "project": of.slug,
        "written": done.written,
        "removed": done.removed,
        "unchanged": unchanged,
        "not_in_project": left,
    })))
}

/// Reads what is in the folder, each file by itself.
fn look(of: &Of) -> There {
    let mut there = There::default();
    if !of.dir.exists() {
        return there;
    }
    let files = match tree::read(&of.dir) {
        Ok(files) => files,
        Err(problems) => {
            there.problems = problems;
            return there;
        }
    };
    for file in files {
        let Some(slot) = slot(&file.name) else {
            continue;
        };
        let read = match Project::of_files(std::slice::from_ref(&file), environment::now()) {
            Ok(project) => Some(Content::from(&project)),
            Err(problems) => {
                there.problems.extend(problems);
                None
            }
        };
        if let Some((other, _)) = there.files.get(&slot) {
            let words = format!("is about the same as {}", other.name);
            there.problems.push(Problem::of_file(&file.name, words));
            continue;
        }
        there.files.insert(slot, (file, read));
    }
    there
}

/// `flags/checkout` of `flags/web/checkout.yaml`; `None` for files that are not written.
fn slot(name: &str) -> Option<String> {
    let (stem, _) = name.rsplit_once('.')?;
    match stem.split_once('/') {
        None => Some(stem.to_owned()),
        Some((folder @ ("flags" | "segments"), below)) => {
            let stem = below.rsplit('/').next().unwrap_or(below);
            Some(format!("{folder}/{stem}"))
        }
        Some(_) => None,
    }
}

struct Writing<'a> {
    /// What was not met yet.
    there: There,
    stored: &'a Content,
    wanted: Option<Format>,
    files: Vec<(String, String)>,
    removed: Vec<String>,
}

impl Writing<'_> {
    fn all(&mut self) {
        let stored = self.stored;
        let slugs = stored.slugs();
        self.one(
            "environments".to_owned(),
            &content::environments(&stored.environments),
        );
        for (key, segment) in &stored.segments {
            self.one(
                format!("segments/{}", file_name(key)),
                &content::segment(segment),
            );
        }
        for (key, flag) in &stored.flags {
            self.one(
                format!("flags/{}", file_name(key)),
                &content::flag(flag, &slugs),
            );
        }
    }

    fn one(&mut self, slot: String, node: &Node) {
        let Some((file, read)) = self.there.files.remove(&slot) else {
            let format = self.wanted.unwrap_or_default();
            self.files
                .push((format!("{slot}.{}", format.ending()), format.text(node)));
            return;
        };
        let (stem, ending) = file.name.rsplit_once('.').unwrap_or((&file.name, ""));
        let is = if ending == "json" {
            Format::Json
        } else {
            Format::Yaml
        };
        let format = self.wanted.unwrap_or(is);
        if format != is {
            self.files
                .push((format!("{stem}.{}", format.ending()), format.text(node)));
            self.removed.push(file.name);
            return;
        }
        let is_same = read.is_some_and(|read| keep::is_same(&read, self.stored));
        let text = match format {
            _ if is_same => file.text,
            Format::Yaml => comments::carry(&file.text, &format.text(node)),
            Format::Json => format.text(node),
        };
        self.files.push((file.name, text));
    }
}
