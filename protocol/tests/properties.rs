//! What holds for every environment: an explanation agrees with the answer, an answer does not depend on what else is
//! asked in the same request, and a delta results in what a fresh start would.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod arbitrary;
mod difference;

use std::borrow::Cow;

use arbitrary::{ATTRIBUTES, snapshot};
use difference::difference;
use proptest::{collection::vec, prelude::*, sample::select};
use protocol::{
    delta::ApplyError,
    digest,
    eval::{Attribute, Context, Environment, Evaluator, Scratch, evaluate, explain},
    signature::Contents,
    snapshot::{Digest, Snapshot},
};

fn context() -> impl Strategy<Value = Context<'static>> {
    let scalar = prop_oneof![
        Just(Attribute::Null),
        any::<bool>().prop_map(Attribute::Bool),
        (-3..7_i64).prop_map(Attribute::Int),
        Just(Attribute::Uint(u64::MAX)),
        any::<f64>().prop_map(Attribute::Float),
        select(&["", "abc", "5", "1.2.3", "2024-01-01T00:00:00+01:00", "ü"][..])
            .prop_map(|text| Attribute::Text(Cow::Borrowed(text))),
    ];
    let attribute = prop_oneof![
        4 => scalar.clone(),
        1 => vec(scalar, 0..3).prop_map(Attribute::Array),
        1 => Just(Attribute::Object(vec![])),
    ];
    let entry = (select(ATTRIBUTES).prop_map(Cow::Borrowed), attribute);
    ("[a-z]{0,4}", vec(entry, 0..4)).prop_map(|(key, attributes)| Context {
        key: Cow::Owned(key),
        attributes: attributes.into_iter().collect(),
    })
}

/// Every answer of an environment, and everything else that can be observed of it.
fn answers(env: &Environment, contexts: &[Context<'_>]) -> Vec<String> {
    let mut scratch = Scratch::new();
    let required: Vec<_> = env.required().collect();
    let mut all = vec![format!("{required:?}")];
    for (flag, key) in env.flags() {
        assert_eq!(env.flag(key), Some(flag));
        all.push(format!(
            "{key} {} {}",
            env.key_json(flag),
            env.flag_id(flag)
        ));
        all.extend(
            contexts
                .iter()
                .map(|context| format!("{:?}", evaluate(env, flag, context, &mut scratch))),
        );
    }
    for segment in ["s0", "s1", "s2", "s3", "gone"] {
        all.push(format!(
            "{segment}: {:?}",
            env.flags_with_segment(segment).collect::<Vec<_>>()
        ));
    }
    all
}

/// `new`, except for the flags and segments that it adds or removes.
fn without_shifts(old: &Snapshot, new: &Snapshot) -> Snapshot {
    let mut mixed = old.clone();
    for flag in &mut mixed.flags {
        if let Some(changed) = new.flags.iter().find(|changed| changed.key == flag.key) {
            // Every other flag keeps its ties to others, so that both ways of applying are exercised.
            let mut changed = changed.clone();
            if new.flags.len().is_multiple_of(2) {
                changed.prerequisites.clone_from(&flag.prerequisites);
                changed.mutual_exclusion_group.clear();
                flag.mutual_exclusion_group.clear();
            }
            *flag = changed;
        }
    }
    for segment in &mut mixed.segments {
        if let Some(changed) = new
            .segments
            .iter()
            .find(|changed| changed.key == segment.key)
        {
            *segment = changed.clone();
        }
    }
    mixed
}

fn applying_equals_preparing(
    old: &Snapshot,
    new: &Snapshot,
    contexts: &[Context<'_>],
) -> Result<(), TestCaseError> {
    let delta = difference(old, new, 1);
    let expected = Environment::prepare(new).unwrap();
    let applied = Environment::prepare(old).unwrap().apply(&delta).unwrap();
    prop_assert_eq!(applied.digest(), expected.digest());
    prop_assert_eq!(applied.head(), &delta.head);
    // What is signed follows a delta, whether or not it was asked for before.
    let asked = Environment::prepare(old).unwrap();
    prop_assert_eq!(asked.contents().version, old.head.version);
    let signed = Contents {
        version: delta.head.version,
        ..expected.contents()
    };
    prop_assert_eq!(asked.apply(&delta).unwrap().contents(), signed);
    prop_assert_eq!(applied.contents(), signed);
    prop_assert_eq!(answers(&applied, contexts), answers(&expected, contexts));

    let mut compiled = old.clone();
    let head = delta.head.clone();
    compiled.apply(delta).unwrap();
    prop_assert_eq!(
        compiled,
        Snapshot {
            head,
            ..new.clone()
        }
    );
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn an_explanation_agrees_with_the_answer(snapshot in snapshot(), contexts in vec(context(), 4)) {
        let env = Environment::prepare(&snapshot).unwrap();
        let mut scratch = Scratch::new();
        for context in &contexts {
            for (flag, key) in env.flags() {
                let evaluation = evaluate(&env, flag, context, &mut scratch);
                let explanation = explain(&env, &snapshot, key, context, &mut scratch);
                prop_assert!(evaluation.answer < env.answers(flag));
                prop_assert_eq!(env.answer(flag, evaluation.answer), Some(evaluation.served()));
                prop_assert_eq!(explanation.result.value.get(), evaluation.value_json);
                prop_assert_eq!(explanation.result.reason, evaluation.reason);
                prop_assert_eq!(explanation.result.variant_key, evaluation.variant_key());
                prop_assert_eq!(explanation.steps.last().map(|step| step.step), Some(explanation.decided_by));
                prop_assert!(serde_json::to_string(&explanation.rules).is_ok());
            }
        }
    }

    #[test]
    fn an_answer_does_not_depend_on_what_else_is_asked(
        snapshot in snapshot(),
        contexts in vec(context(), 3),
        order in any::<u64>(),
        settled in any::<bool>(),
    ) {
        let env = Environment::prepare(&snapshot).unwrap();
        let mut flags: Vec<_> = env.flags().map(|(flag, _)| flag).collect();
        flags.sort_by_key(|flag| (flag.position() as u64 + 1).wrapping_mul(order | 1).rotate_left(32));
        // One space for all contexts: nothing may be left of the one before.
        let mut scratch = Scratch::new();
        for context in &contexts {
            let mut evaluator = Evaluator::new(&env, context, &mut scratch);
            if settled {
                env.required().for_each(|flag| evaluator.settle(flag));
            }
            for flag in &flags {
                let alone = evaluate(&env, *flag, context, &mut Scratch::new());
                prop_assert_eq!(evaluator.evaluate(*flag), alone);
            }
        }
    }

    #[test]
    fn applying_any_delta_equals_preparing(old in snapshot(), new in snapshot(), contexts in vec(context(), 3)) {
        applying_equals_preparing(&old, &new, &contexts)?;
    }

    #[test]
    fn applying_a_delta_of_states_equals_preparing(
        old in snapshot(),
        new in snapshot(),
        contexts in vec(context(), 3),
    ) {
        let new = without_shifts(&old, &new);
        applying_equals_preparing(&old, &new, &contexts)?;
    }

    #[test]
    fn the_digest_of_the_prepared_form_is_that_of_the_compiled_one(snapshot in snapshot()) {
        prop_assert_eq!(Environment::prepare(&snapshot).unwrap().digest(), digest::of(&snapshot));
    }

    #[test]
    fn two_deltas_as_one_result_in_the_same(old in snapshot(), middle in snapshot(), mut new in snapshot()) {
        let first = difference(&old, &middle, 1);
        let mut middle = middle;
        middle.head.version = first.head.version;
        new.head.version = middle.head.version + 1;
        let second = difference(&middle, &new, 2);

        let both = first.followed_by(second);
        let applied = Environment::prepare(&old).unwrap().apply(&both).unwrap();
        prop_assert_eq!(applied.digest(), digest::of(&new));
        let mut compiled = old;
        compiled.apply(both).unwrap();
        prop_assert_eq!(compiled, new);
    }

    #[test]
    fn a_delta_on_anything_else_is_refused_and_changes_nothing(old in snapshot(), new in snapshot()) {
        let good = difference(&old, &new, 1);
        let mut other = good.clone();
        other.head.env_id = uuid::Uuid::max().into();
        let mut ahead = good.clone();
        ahead.base = 7;
        let mut back = good.clone();
        back.head.version = 1;
        let mut altered = good;
        altered.digest = Digest::default();

        let env = Environment::prepare(&old).unwrap();
        for (delta, expected) in [
            (other, ApplyError::Environment),
            (ahead, ApplyError::Base { held: 1, base: 7 }),
            (back, ApplyError::Backwards),
            (altered, ApplyError::Digest),
        ] {
            prop_assert_eq!(env.apply(&delta).unwrap_err(), expected.clone());
            let mut compiled = old.clone();
            prop_assert_eq!(compiled.apply(delta).unwrap_err(), expected);
            prop_assert_eq!(&compiled, &old);
        }
    }
}
