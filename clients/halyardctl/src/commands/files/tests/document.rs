//! The page about flags as files: its examples are as it says.

use super::{NOW, folder, loaded};
use crate::commands::files::{cases::run::run, test::for_people};

const PAGE: &str = include_str!("../../../../../../docs/flags-as-files.md");

/// The files on the page: their names, which are their first lines, and their texts.
pub(super) fn files() -> Vec<(&'static str, &'static str)> {
    let blocks = PAGE.split("```yaml\n").skip(1);
    let texts = blocks.map(|block| block.split("```").next().unwrap());
    let named = texts.filter_map(|text| {
        let name = text.lines().next()?.strip_prefix("# ")?;
        name.ends_with(".yaml").then_some((name, text))
    });
    let files: Vec<_> = named.collect();
    assert_eq!(files.len(), 4);
    files
}

#[test]
fn the_examples_are_valid_and_their_tests_pass() {
    let loaded = loaded(&folder(&files()));
    assert_eq!(loaded.warnings, []);
    let cases: Vec<_> = loaded.cases.iter().collect();
    assert_eq!(cases.len(), 5);
    let outcomes = run(&loaded.project, &cases, NOW).unwrap();
    for outcome in outcomes {
        if let Some(failure) = outcome.failure {
            panic!("{}: {} {:?}", outcome.case.name, failure.got, failure.why);
        }
    }
}

#[test]
fn the_problem_on_the_page_is_told_so() {
    let files = files();
    let broken: Vec<_> = files
        .iter()
        .map(|(name, text)| (*name, text.replace("percentage: 2500", "percentge: 2500")))
        .collect();
    let texts: Vec<_> = broken
        .iter()
        .map(|(name, text)| (*name, text.as_str()))
        .collect();
    let found = super::problems(&folder(&texts));
    let [found] = &found[..] else {
        panic!("{found:?}");
    };
    assert!(PAGE.contains(&format!("broken/{found}\n")), "{found}");
}

#[test]
fn the_failure_on_the_page_is_told_so() {
    let files = files();
    let moved: Vec<_> = files
        .iter()
        .map(|(name, text)| (*name, text.replace("country: DE", "country: NL")))
        .collect();
    let texts: Vec<_> = moved
        .iter()
        .map(|(name, text)| (*name, text.as_str()))
        .collect();
    let dir = folder(&texts);
    let loaded = loaded(&dir);
    let cases: Vec<_> = loaded.cases.iter().collect();
    let outcomes = run(&loaded.project, &cases, NOW).unwrap();
    let told = for_people(&outcomes, 1).replace(&format!("{}/", dir.path().display()), "");
    assert!(PAGE.contains(&told), "{told}");
}
