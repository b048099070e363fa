//! The alert on jobs must not fire for jobs that do what the table in docs/operations.md says.

use regex::Regex;

use crate::{assert_none, sources};

/// A job of the table, and its period in seconds where that is a number.
struct Job {
    name: String,
    period: Option<f64>,
}

fn jobs(document: &str) -> Vec<Job> {
    let row = Regex::new(
        r"(?m)^\| `(\w+)` \| (?:([0-9.]+) (ms|s|min|h)|`[A-Z_]+`) \| (?:leader|every replica)",
    )
    .unwrap();
    row.captures_iter(document)
        .map(|row| {
            let period = row.get(2).map(|number| {
                let number: f64 = number.as_str().parse().unwrap();
                number
                    * match &row[3] {
                        "ms" => 0.001,
                        "s" => 1.0,
                        "min" => 60.0,
                        _ => 3_600.0,
                    }
            });
            Job {
                name: row[1].to_owned(),
                period,
            }
        })
        .collect()
}

/// What is wrong with the alert: jobs that it would fire for though they are well, and jobs that it leaves out for nothing.
fn false_alarms(document: &str) -> Vec<String> {
    let alert = Regex::new(r#"task!~"([^"]+)"\}\s*\) > ([0-9]+)"#).unwrap();
    let Some(alert) = alert.captures(document) else {
        return vec!["there is no alert on jobs".to_owned()];
    };
    // As PromQL reads it: the whole name.
    let left_out = Regex::new(&format!("^(?:{})$", &alert[1])).unwrap();
    let threshold: f64 = alert[2].parse().unwrap();
    let jobs = jobs(document);
    if jobs.is_empty() {
        return vec!["there is no table of jobs".to_owned()];
    }
    jobs.iter()
        .filter_map(|Job { name, period }| {
            let is_slow = period.is_some_and(|period| period >= threshold);
            match (is_slow, left_out.is_match(name)) {
                (true, false) => Some(format!("the alert fires for {name} between two runs")),
                (false, true) => Some(format!("the alert leaves out {name}, which runs often")),
                (true, true) | (false, false) => None,
            }
        })
        .collect()
}

#[test]
fn the_alert_on_jobs_leaves_out_those_that_run_seldom_and_no_others() {
    let mut text = sources::file("docs/operations.md").text;
    text += &sources::file("deploy/observability/prometheus/alerts.yaml").text;
    assert_none(&false_alarms(&text));
}

#[test]
fn the_check_can_fail() {
    let table = "| `a_b` | 500 ms | leader | x |\n| `c` | 10 min | every replica | x |\n| `d` | 1 h | leader | x |\n\
                 | `e` | `LIFECYCLE_INTERVAL` | leader | x |\n";
    let with = |expression: &str| {
        format!("{table}max by (task) (\n  x{{task!~\"{expression}\"}}\n) > 300\n")
    };
    assert_none(&false_alarms(&with("c|d")));
    assert_eq!(
        false_alarms(&with("d|a")),
        ["the alert fires for c between two runs"]
    );
    assert_eq!(
        false_alarms(&with("c|d|a_.*")),
        ["the alert leaves out a_b, which runs often"]
    );
    assert_eq!(false_alarms(table), ["there is no alert on jobs"]);
}
