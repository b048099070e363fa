//! House rules as ordinary tests: who may name what, how long a file may get, what never ships, which
//! licences and TLS stacks are linked, what documents may refer to.
//!
//! Each check is a function from sources to complaints, so that the tests here can also show it fail.

mod api;
mod budgets;
mod dashboard;
mod dependencies;
mod documents;
mod jobs;
mod layers;
mod manifests;
mod metrics;
mod paths;
mod previous;
mod references;
mod shape;
mod sources;
mod threats;

/// Fails with one complaint a line.
fn assert_none(complaints: &[String]) {
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}
