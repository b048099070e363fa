//! Reading a folder or a file with flags, and telling what is wrong with it.

use std::path::Path;

use files::{Problem, project::Project, tree};
use serde_json::{Value, json};
use time::OffsetDateTime;

use super::cases::{Case, read};
use crate::output::{escape, message};

/// What files say.
pub(in crate::commands) struct Loaded {
    pub(in crate::commands) project: Project,
    pub(in crate::commands::files) cases: Vec<Case>,
    /// What is valid and looks like a mistake.
    pub(in crate::commands) warnings: Vec<Problem>,
}

/// Reads flags and their tests. Problems and warnings name their files from where the path does.
///
/// # Errors
/// Everything that is wrong, in the order of files and lines.
pub(in crate::commands) fn load(path: &Path, now: OffsetDateTime) -> Result<Loaded, Vec<Problem>> {
    let files = tree::read(path).map_err(|problems| shown(path, problems))?;
    if files.is_empty() {
        let message = "has no flags/*.yaml, segments/*.yaml or environments.yaml";
        return Err(shown(path, vec![Problem::of_file("", message)]));
    }
    let loaded = Project::of_files(&files, now).and_then(|project| {
        let cases = read::all(&files, &project)?;
        Ok(Loaded {
            warnings: shown(path, project.suspects(&files)),
            project,
            cases,
        })
    });
    let mut loaded = loaded.map_err(|problems| shown(path, problems))?;
    for case in &mut loaded.cases {
        case.file = named(path, &case.file);
    }
    Ok(loaded)
}

/// Problems with the names of files as the path begins them.
fn shown(path: &Path, mut problems: Vec<Problem>) -> Vec<Problem> {
    for problem in &mut problems {
        problem.file = named(path, &problem.file);
    }
    problems
}

/// A file by the name that leads to it from where the path does.
pub(in crate::commands) fn named(path: &Path, file: &str) -> String {
    let full = match file {
        "" => path.to_owned(),
        file if path.is_dir() => path.strip_prefix(".").unwrap_or(path).join(file),
        // The name is that of the path itself, as of one that is not there.
        _ => path.to_owned(),
    };
    full.display().to_string()
}

/// Tells problems to people.
pub(in crate::commands) fn tell(problems: &[Problem]) {
    for problem in problems {
        message(&escape(&problem.to_string()));
    }
}

/// Problems for programs.
pub(in crate::commands) fn as_json(problems: &[Problem]) -> Value {
    let each = problems.iter().map(|problem| {
        json!({
            "file": problem.file,
            "line": problem.line,
            "column": problem.column,
            "message": problem.message,
        })
    });
    each.collect()
}

/// A number of things in words.
pub(in crate::commands) fn count(number: usize, one: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{number} {one}{ending}")
}
