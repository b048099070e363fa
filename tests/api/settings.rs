//! What docs/settings.md says of durations, and what the processes do with them.

use std::collections::BTreeMap;

use control_plane::config::Settings;
use edge_node::config::Config;
use harness::places;
use regex::Regex;
use serving::settings::parse_duration;

/// The settings of a section whose defaults are durations.
fn durations(section: &str) -> Vec<String> {
    let path = places::repository().join("docs/settings.md");
    let text = std::fs::read_to_string(path).unwrap();
    let (_, text) = text.split_once(&format!("\n## {section}")).unwrap();
    let text = text.split("\n## ").next().unwrap();
    let row = Regex::new(r"(?m)^\| ([^|]+) \| ([^|]+) \|").unwrap();
    let unquoted = |text: &str| text.trim_matches('`').to_owned();
    row.captures_iter(text)
        .flat_map(|row| {
            let [names, defaults] =
                [1, 2].map(|cell| row[cell].split(", ").map(unquoted).collect::<Vec<_>>());
            names.into_iter().zip(defaults)
        })
        .filter(|(_, default)| parse_duration(default).is_some_and(|it| !it.is_zero()))
        .map(|(name, _)| name)
        .collect()
}

fn with_huge(names: &[String]) -> BTreeMap<String, String> {
    let huge = "18446744073709551615ms".to_owned();
    names
        .iter()
        .map(|name| (name.clone(), huge.clone()))
        .collect()
}

fn assert_refused(names: &[String], problems: &str) {
    for name in names {
        assert!(
            problems.contains(&format!(
                "\n  {name} `18446744073709551615ms`: must be from "
            )),
            "{name}: {problems}"
        );
    }
}

#[tokio::test]
async fn every_duration_that_is_documented_has_bounds() {
    let mut of_control = durations("Control plane");
    assert!(of_control.len() > 15, "{of_control:?}");
    let both = durations("Both");
    assert!(both.len() > 7, "{both:?}");
    let problems = Config::load(&with_huge(&both)).unwrap_err();
    assert_refused(&both, &problems.to_string());

    // The others of both are read by the edge that is built in.
    let of_listeners = [
        "HEADER_TIMEOUT",
        "KEEP_ALIVE_TIMEOUT",
        "SLOW_READER_TIMEOUT",
    ];
    assert!(
        of_listeners
            .iter()
            .all(|name| both.contains(&(*name).to_owned()))
    );
    of_control.extend(of_listeners.map(str::to_owned));
    let problems = Settings::load(&with_huge(&of_control)).unwrap_err();
    assert_refused(&of_control, &problems.to_string());
}
