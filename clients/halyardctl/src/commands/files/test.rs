//! Whether flags answer as their tests say.

use std::{fs, time::Instant};

use serde_json::{Value, json};

use super::{
    cases::{
        Case, Question, junit,
        run::{Outcome, run},
    },
    project::{as_json, count, load, tell},
};
use crate::{
    api::Error,
    arguments::{Global, Test},
    environment,
    exit::Exit,
    output::{self, Format, Printer, escape},
};

/// Runs the cases beside the flags.
///
/// # Errors
/// When the report cannot be written.
pub(in crate::commands) fn test(global: &Global, wanted: &Test) -> Result<Exit, Error> {
    let begun = Instant::now();
    let now = environment::now();
    let path = wanted.files.path();
    let loaded = match load(path, now) {
        Ok(loaded) => loaded,
        Err(problems) => {
            if global.output == Format::Table {
                tell(&problems);
                output::message(&count(problems.len(), "problem"));
            } else {
                let problems = json!({"problems": as_json(&problems)});
                Printer::new(global.output).value(&problems)?;
            }
            return Ok(Exit::Failed);
        }
    };
    let filter = wanted.filter.as_deref().unwrap_or_default();
    let cases: Vec<&Case> = loaded
        .cases
        .iter()
        .filter(|case| case.name.contains(filter))
        .collect();
    if cases.is_empty() {
        let why = match filter {
            "" => format!("there are no tests in {}", path.display()),
            _ => format!("no test has {filter:?} in its name"),
        };
        return Err(Error::Failed(why));
    }
    let outcomes = run(&loaded.project, &cases, now)?;
    if let Some(file) = &wanted.junit {
        let failed = |why: String| Error::while_doing(&file.display().to_string(), why);
        let report = junit::report(&outcomes, begun.elapsed());
        let report = report.map_err(|why| failed(why.to_string()))?;
        fs::write(file, report).map_err(|why| failed(why.to_string()))?;
    }
    let failed = outcomes.iter().filter(|outcome| outcome.failure.is_some());
    let failed = failed.count();
    if global.output == Format::Table {
        output::write(&for_people(&outcomes, failed))?;
    } else {
        let cases: Value = outcomes.iter().map(for_programs).collect();
        Printer::new(global.output).value(&json!({
            "passed": outcomes.len() - failed,
            "failed": failed,
            "cases": cases,
        }))?;
    }
    Ok(if failed == 0 {
        Exit::Done
    } else {
        Exit::Failed
    })
}

/// The failures, and how many there are.
pub(super) fn for_people(outcomes: &[Outcome<'_>], failed: usize) -> String {
    let mut lines = Vec::new();
    for Outcome { case, failure, .. } in outcomes {
        let Some(failure) = failure else { continue };
        let (file, line, column) = (&case.file, case.place.line, case.place.column);
        lines.push(format!("{file}:{line}:{column}: failed: {}", case.name));
        lines.push(format!("  flag     {} in {}", case.flag, case.environment));
        if let Question::One(context) = &case.question {
            lines.push(format!("  context  {context}"));
        }
        lines.push(format!("  expected {}", failure.expected));
        lines.push(format!("  got      {}", failure.got));
        let why = failure.why.iter().enumerate();
        lines.extend(why.map(|(place, why)| {
            let title = if place == 0 { "because" } else { "" };
            format!("  {title:8} {why}")
        }));
    }
    let of = count(outcomes.len(), "test");
    lines.push(match failed {
        0 if outcomes.len() == 1 => "1 test passes".to_owned(),
        0 => format!("{of} pass"),
        failed => format!("{failed} of {of} failed"),
    });
    let lines = lines.iter().map(|line| escape(line) + "\n");
    lines.collect()
}

fn for_programs(outcome: &Outcome<'_>) -> Value {
    let case = outcome.case;
    let mut told = json!({
        "name": case.name,
        "file": case.file,
        "line": case.place.line,
        "column": case.place.column,
        "flag": case.flag,
        "environment": case.environment,
        "passed": outcome.failure.is_none(),
    });
    if let Some(failure) = &outcome.failure {
        told["expected"] = failure.expected.as_str().into();
        told["got"] = failure.got.as_str().into();
        told["explanation"] = json!(failure.why);
    }
    told
}
