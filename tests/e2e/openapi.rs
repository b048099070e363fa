//! `halyard openapi`, and the file that is committed of what it prints.

use std::process::Command;

use harness::places;

#[test]
fn the_committed_document_is_what_the_command_prints() {
    let mut command = Command::new(places::binary("halyard"));
    let output = command.arg("openapi").output().expect("the binary runs");
    assert!(output.status.success(), "{output:?}");
    let committed = places::repository().join("docs/openapi.json");
    assert!(
        output.stdout == std::fs::read(committed).expect("the document"),
        "docs/openapi.json is stale: halyard openapi >docs/openapi.json"
    );
}
