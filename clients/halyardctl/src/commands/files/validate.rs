//! Whether files are valid.

use serde_json::json;

use super::project::{Loaded, as_json, count, load, tell};
use crate::{
    api::Error,
    arguments::{Global, Validate},
    environment,
    exit::Exit,
    output::{self, Format, Printer},
};

/// Checks files as the service would, and says all that is wrong.
///
/// # Errors
/// When what was found cannot be written.
pub(in crate::commands) fn validate(global: &Global, wanted: &Validate) -> Result<Exit, Error> {
    let loaded = load(wanted.files.path(), environment::now());
    let (loaded, problems) = match loaded {
        Ok(loaded) => (Some(loaded), Vec::new()),
        Err(problems) => (None, problems),
    };
    let warnings = loaded.as_ref().map_or(&[][..], |loaded| &loaded.warnings);
    let is_doubted = wanted.strict && !warnings.is_empty();
    let is_valid = problems.is_empty() && !is_doubted;
    if global.output == Format::Table {
        tell(&problems);
        for warning in warnings {
            let mut warning = warning.clone();
            warning.message.insert_str(0, "warning: ");
            tell(&[warning]);
        }
        if is_valid && let Some(loaded) = &loaded {
            output::write(&summary(loaded))?;
        } else {
            output::message(&verdict(problems.len(), warnings.len()));
        }
    } else {
        let number = |of: fn(&Loaded) -> usize| loaded.as_ref().map(of);
        Printer::new(global.output).value(&json!({
            "valid": is_valid,
            "problems": as_json(&problems),
            "warnings": as_json(warnings),
            "flags": number(|loaded| loaded.project.flags.len()),
            "segments": number(|loaded| loaded.project.segments.len()),
            "environments": number(|loaded| loaded.project.environments.len()),
            "tests": number(|loaded| loaded.cases.len()),
        }))?;
    }
    Ok(if is_valid { Exit::Done } else { Exit::Failed })
}

fn summary(loaded: &Loaded) -> String {
    let project = &loaded.project;
    let mut parts = vec![
        count(project.flags.len(), "flag"),
        count(project.segments.len(), "segment"),
        count(project.environments.len(), "environment"),
    ];
    if !loaded.cases.is_empty() {
        parts.push(count(loaded.cases.len(), "test"));
    }
    let last = parts.pop().unwrap_or_default();
    format!("{} and {last} are valid\n", parts.join(", "))
}

fn verdict(problems: usize, warnings: usize) -> String {
    match (problems, warnings) {
        (0, warnings) => format!("{} (--strict)", count(warnings, "warning")),
        (problems, _) => count(problems, "problem"),
    }
}
