//! Each metric that code emits is described by a table of code, and docs/metrics.md has exactly those.

use std::collections::BTreeSet;

use regex::Regex;

use crate::{
    assert_none,
    sources::{self, Source},
};

const DOCUMENT: &str = "docs/metrics.md";
/// Writes what it counts itself, and not by the macros.
const REQUESTS: &str = "protocol/serving/src/telemetry/requests.rs";

/// A metric's name, and its kind.
type Metric = (String, String);

fn found(pattern: &Regex, text: &str) -> BTreeSet<Metric> {
    pattern
        .captures_iter(text)
        .map(|found| (found["name"].to_owned(), found["kind"].to_owned()))
        .collect()
}

fn shipped(sources: &[Source], pattern: &str) -> BTreeSet<Metric> {
    let pattern = Regex::new(pattern).unwrap();
    sources
        .iter()
        .filter(|source| source.is_shipped() && source.text.contains("\"halyard_"))
        .flat_map(|source| found(&pattern, &source.shipped_code()))
        .collect()
}

/// What the macros of `metrics` emit, and not what tables describe. They know one kind for summaries and histograms.
fn emitted(sources: &[Source]) -> BTreeSet<Metric> {
    shipped(
        sources,
        r#"(?:^|[^:\w])(?:metrics::)?(?<kind>counter|gauge|histogram)!?\(\s*"(?<name>halyard_\w+)""#,
    )
}

/// What tables describe.
fn described(sources: &[Source]) -> BTreeSet<Metric> {
    shipped(
        sources,
        r#"\bMetric::(?<kind>counter|gauge|summary|histogram)\(\s*"(?<name>halyard_\w+)",\s*"[^"]{10,}\.""#,
    )
}

/// The rows of the document's tables. Names in `_total` are counters, others gauges unless the meaning begins with the kind.
fn documented(document: &str) -> BTreeSet<Metric> {
    let row = r"(?m)^\| `(?<name>halyard_\w+)(?:\{[a-z, ]+\})?` \| (?:(?<kind>histogram|summary): )?[^|]{5,} \|$";
    Regex::new(row)
        .unwrap()
        .captures_iter(document)
        .map(|found| {
            let name = found["name"].to_owned();
            let by_name = if name.ends_with("_total") {
                "counter"
            } else {
                "gauge"
            };
            let kind = found.name("kind").map_or(by_name, |kind| kind.as_str());
            (name, kind.to_owned())
        })
        .collect()
}

fn as_emitted((name, kind): &Metric) -> Metric {
    let kind = if kind == "summary" { "histogram" } else { kind };
    (name.clone(), kind.to_owned())
}

fn differences(sources: &[Source], document: &str) -> Vec<String> {
    let (emitted, described) = (emitted(sources), described(sources));
    let documented = documented(document);
    let by_hand: BTreeSet<Metric> = sources
        .iter()
        .filter(|source| source.path == REQUESTS)
        .flat_map(|source| self::described(std::slice::from_ref(source)))
        .collect();
    let in_code: BTreeSet<Metric> = described.iter().map(as_emitted).collect();
    let says =
        |what: &'static str| move |(name, kind): &Metric| format!("{name}, a {kind}, {what}");
    let undescribed = emitted.difference(&in_code);
    let stale = described
        .iter()
        .filter(|metric| !emitted.contains(&as_emitted(metric)) && !by_hand.contains(*metric));
    undescribed
        .map(says("is described by no table"))
        .chain(stale.map(says("is emitted by nothing")))
        .chain(
            described
                .difference(&documented)
                .map(says("is not in docs/metrics.md")),
        )
        .chain(
            documented
                .difference(&described)
                .map(says("is in docs/metrics.md alone")),
        )
        .collect()
}

/// Names in other documents that are no metrics.
fn misnamed(documents: &[Source], documented: &BTreeSet<Metric>) -> Vec<String> {
    let name = Regex::new(r"\bhalyard_[a-z_]+").unwrap();
    let suffixes = ["", "_bucket", "_sum", "_count"];
    let is_known = |named: &str| {
        documented.iter().any(|(name, _)| {
            let rest = named.strip_prefix(name.as_str());
            rest.is_some_and(|rest| suffixes.contains(&rest))
        })
    };
    documents
        .iter()
        .flat_map(|document| {
            let tables = document
                .text
                .lines()
                .filter(|line| line.starts_with("| `halyard_"));
            let named =
                tables.flat_map(|line| name.find_iter(line.split(" | ").next().unwrap_or("")));
            named
                .filter(|named| !is_known(named.as_str()))
                .map(|named| format!("{}: there is no metric {}", document.path, named.as_str()))
                .collect::<Vec<_>>()
        })
        .collect()
}

#[test]
fn every_metric_is_described_and_documented() {
    let document = sources::file(DOCUMENT).text;
    assert_none(&differences(&sources::all(), &document));
}

#[test]
fn tables_of_other_documents_name_metrics_that_there_are() {
    let documented = documented(&sources::file(DOCUMENT).text);
    assert_none(&misnamed(&sources::documents(), &documented));
}

#[test]
fn each_check_can_fail() {
    let source = |path: &str, text: &str| Source::new(path, text);
    let emits = "fn f() {\n    metrics::counter!(\"halyard_a_total\").increment(1);\n    metrics::histogram!(\n        \"halyard_b_seconds\"\n    );\n}\n";
    let table = "const T: &[Metric] = &[Metric::counter(\"halyard_a_total\", \"Counts all of a.\"),\n    \
                 Metric::summary(\n        \"halyard_b_seconds\",\n        \"Seconds that b took.\",\n    )];\n";
    let document = "| `halyard_a_total{reason}` | counts of a |\n| `halyard_b_seconds` | summary: times of b |\n";
    let sources = [
        source("edge-node/src/a.rs", emits),
        source("edge-node/src/telemetry/table.rs", table),
    ];
    assert_none(&differences(&sources, document));
    assert_eq!(
        differences(&sources[..1], document),
        [
            "halyard_a_total, a counter, is described by no table",
            "halyard_b_seconds, a histogram, is described by no table",
            "halyard_a_total, a counter, is in docs/metrics.md alone",
            "halyard_b_seconds, a summary, is in docs/metrics.md alone",
        ]
    );
    assert_eq!(
        differences(&sources[1..], ""),
        [
            "halyard_a_total, a counter, is emitted by nothing",
            "halyard_b_seconds, a summary, is emitted by nothing",
            "halyard_a_total, a counter, is not in docs/metrics.md",
            "halyard_b_seconds, a summary, is not in docs/metrics.md",
        ]
    );
    let requests =
        "const C: Metric = Metric::histogram(\"halyard_c_seconds\", \"Seconds that c took.\");\n";
    let documented_too = "| `halyard_c_seconds` | histogram: times of c |\n";
    assert_none(&differences(&[source(REQUESTS, requests)], documented_too));

    let other = [source(
        "docs/b.md",
        "| `halyard_a_total`, `halyard_d_total` | what |\n",
    )];
    assert_eq!(
        misnamed(&other, &documented(document)),
        ["docs/b.md: there is no metric halyard_d_total"]
    );
}
