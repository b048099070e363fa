//! What an evaluation allocates: nothing.

mod sample;

use allocation_counter::measure;
use halyard::{Client, Context};
use serde_json::Value;

use self::sample::{environment, flag, with_rule};

/// More than a thread counts in a table that it shares.
const WARM: usize = 3_000;

#[test]
fn evaluations_allocate_nothing() {
    let flags = vec![
        with_rule("bool"),
        flag("text", r#""a""#),
        flag("json", "[1]"),
        flag("number", "2.5"),
    ];
    let client = Client::from_snapshot(environment(1, flags)).unwrap();
    let user = Context::builder("user-1").with("plan", "pro").build();
    let (text, json) = (
        client.string("text", &user, ""),
        client.json("json", &user, Value::Null),
    );
    let ask = || {
        assert!(client.bool("bool", &user, false));
        assert_eq!(client.number("number", &user, 0.0), 2.5);
        assert_eq!(client.int("number", &user, 3), 3);
        assert_eq!(client.string("text", &user, text.clone()), text);
        assert_eq!(client.json("json", &user, json.clone()), json);
        assert!(client.bool_detail("bool", &user, false).error.is_none());
    };
    (0..WARM).for_each(|_| ask());
    let counted = measure(|| (0..1_000).for_each(|_| ask()));
    assert_eq!(counted.count_total, 0, "{counted:?}");
}
