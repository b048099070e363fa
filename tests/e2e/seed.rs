//! The demo account of `halyard seed`.

use harness::Stack;
use serde_json::Value;

#[tokio::test]
async fn seeding_again_prints_the_same() {
    let stack = Stack::start().await;
    let first: Value = serde_json::from_str(&stack.halyard(&["seed"])).unwrap();
    let second: Value = serde_json::from_str(&stack.halyard(&["seed"])).unwrap();
    assert_eq!(first, second);
}
