//! Contents of environments: what a damaged cache or a broken peer could hold. A start from them and a delta to them answer the same.

use std::{borrow::Cow, sync::LazyLock};

use protocol::{
    digest,
    eval::{Attribute, Context, Environment, Scratch, evaluate, explain},
    ids::EnvId,
    snapshot::{Head, Snapshot},
    wire::codec,
};
use uuid::Uuid;

#[path = "../../../protocol/tests/difference/mod.rs"]
mod difference;

static CONTEXTS: LazyLock<[Context<'static>; 2]> = LazyLock::new(|| {
    let attributes = [
        ("email", Attribute::Text(Cow::Borrowed("ada@example.com"))),
        ("age", Attribute::Int(36)),
        ("version", Attribute::Text(Cow::Borrowed("1.2.3"))),
        ("beta", Attribute::Bool(true)),
        (
            "tags",
            Attribute::Array(vec![Attribute::Null, Attribute::Float(0.5)]),
        ),
    ];
    let attributes = attributes
        .into_iter()
        .map(|(name, value)| (Cow::Borrowed(name), value));
    let known = Context {
        key: Cow::Borrowed("user-1"),
        attributes: attributes.collect(),
    };
    [known, Context::new("")]
});

pub(crate) fn run(bytes: &[u8]) {
    let Ok(mut new) = codec::decode::<Snapshot>(bytes) else {
        return;
    };
    let Ok(prepared) = Environment::prepare(&new) else {
        return;
    };
    let answers = answers(&prepared, &new);
    // From nothing, by a delta.
    let old = Snapshot {
        head: Head {
            version: 0,
            ..new.head.clone()
        },
        ..Snapshot::default()
    };
    new.head.version = 1;
    let delta = difference::difference(&old, &new, 0);
    let empty = Environment::prepare(&old).unwrap();
    if let Ok(followed) = empty.apply(&delta) {
        assert_eq!(answers, self::answers(&followed, &new));
        assert_eq!(digest::of(&new), delta.digest);
    }
    let foreign = Head {
        env_id: EnvId::from(Uuid::max()),
        ..new.head
    };
    assert!(
        empty
            .apply(&protocol::snapshot::Delta {
                head: foreign,
                ..delta
            })
            .is_err()
    );
}

fn answers(environment: &Environment, snapshot: &Snapshot) -> Vec<String> {
    let mut scratch = Scratch::new();
    let mut all = Vec::new();
    for (flag, key) in environment.flags().take(50) {
        for context in &*CONTEXTS {
            let evaluation = evaluate(environment, flag, context, &mut scratch);
            all.push(format!(
                "{key} {} {}",
                evaluation.value_json, evaluation.reason
            ));
            let explained = explain(environment, snapshot, key, context, &mut scratch);
            assert_eq!(explained.result.reason, evaluation.reason, "{key}");
        }
    }
    all
}
