//! A report that continuous integration reads.

use std::time::Duration;

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::run::Outcome;

/// The report of a run: a suite for each file.
pub(in crate::commands::files) fn report(
    outcomes: &[Outcome<'_>],
    took: Duration,
) -> Result<String, quick_junit::SerializeError> {
    let mut report = Report::new("halyardctl test");
    report.set_time(took);
    for of_file in outcomes.chunk_by(|one, other| one.case.file == other.case.file) {
        let Some(first) = of_file.first() else {
            continue;
        };
        let mut suite = TestSuite::new(first.case.file.as_str());
        suite.set_time(of_file.iter().map(|outcome| outcome.took).sum());
        for outcome in of_file {
            suite.add_test_case(case(outcome));
        }
        report.add_test_suite(suite);
    }
    report.to_string()
}

fn case(outcome: &Outcome<'_>) -> TestCase {
    let status = match &outcome.failure {
        None => TestCaseStatus::success(),
        Some(failure) => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            let message = format!("expected {}, got {}", failure.expected, failure.got);
            status.set_message(message);
            status.set_description(failure.why.join("\n"));
            status
        }
    };
    let mut case = TestCase::new(outcome.case.name.as_str(), status);
    case.set_classname(outcome.case.flag.as_str());
    case.set_time(outcome.took);
    let place = outcome.case.place;
    case.extra
        .insert("file".into(), outcome.case.file.as_str().into());
    case.extra
        .insert("line".into(), place.line.to_string().into());
    case
}
