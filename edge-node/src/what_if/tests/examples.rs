//! Contexts whose answers a draft changes.

use std::collections::BTreeSet;

use protocol::what_if::{EXAMPLES_BYTES, Example, LONGEST_CONTEXT};
use serde_json::Value;

use super::*;

impl Asking {
    /// A request of a user who does not pay, with other attributes.
    fn answer_user(&self, user: &str, attributes: &[(&'static str, &str)]) {
        let served = self.edge.parts().current.environment(env_id()).unwrap();
        let attributes = [&[("plan", "free")], attributes].concat();
        let context = context(user, &attributes);
        self.edge
            .answered(&served, AskedFor::One("checkout"), &context);
    }

    /// Examples of what is served to those who do not pay, once it is for them.
    async fn examples(&mut self, kept: &Sampled) -> Vec<Example> {
        let mut question = self.question(kept.clone(), flag("checkout", None, Some("free")));
        question.examples = 20;
        self.ask(question).await.examples
    }
}

#[tokio::test]
async fn examples_have_bounds_however_large_attributes_are() {
    let kept = sampled(&["mail", "plan"], Keys::Plain);
    let mut asking = Asking::new(Some(kept.clone()));
    let long = "m".repeat(3_500);
    // As many as an hour has room for.
    for number in 0..21 {
        asking.answer_user(
            &format!("user-{number}"),
            &[("mail", &long), ("phone", "secret")],
        );
    }
    let examples = asking.examples(&kept).await;
    let bytes: usize = examples.iter().map(Example::bytes).sum();
    assert_eq!(examples.len(), 18, "the others do not fit");
    assert!((EXAMPLES_BYTES - 4_096..=EXAMPLES_BYTES).contains(&bytes));
    for example in &examples {
        let attributes: Value = serde_json::from_str(&example.attributes_json).unwrap();
        let expected = serde_json::json!({"mail": long, "plan": "free"});
        assert_eq!(attributes, expected, "nothing that is not kept");
        assert!(example.key.starts_with("user-"));
    }

    // Many attributes fit in a sample, and their names not in an example.
    let names: Vec<_> = (10..29)
        .map(|it| "n".repeat(98) + &it.to_string())
        .collect();
    let mut names: Vec<&'static str> = names.into_iter().map(|name| &*name.leak()).collect();
    names.push("plan");
    let kept = sampled(&names, Keys::Hashed);
    let mut asking = Asking::new(Some(kept.clone()));
    let value = "v".repeat(150);
    let attributes: Vec<_> = names[..19].iter().map(|&name| (name, &*value)).collect();
    asking.answer_user("user-1", &attributes);
    let [example] = asking.examples(&kept).await.try_into().unwrap();
    assert!((LONGEST_CONTEXT - 300..=LONGEST_CONTEXT).contains(&example.attributes_json.len()));
    let attributes: Value = serde_json::from_str(&example.attributes_json).unwrap();
    assert!((10..19).contains(&attributes.as_object().unwrap().len()));
    assert!(!example.key.contains("user"));
}

#[tokio::test]
async fn examples_are_drawn_by_lot_one_of_each_context() {
    let kept = sampled(&["plan"], Keys::Plain);
    let mut asking = Asking::new(Some(kept.clone()));
    asking.answer(200);
    let served = asking.edge.parts().current.environment(env_id()).unwrap();
    for number in 0..20 {
        let user = format!("all-{number}");
        let context = context(&user, &[("plan", "free")]);
        asking.edge.answered(&served, AskedFor::All, &context);
    }
    let mut drawn = BTreeSet::new();
    for _ in 0..2 {
        let mut question = asking.question(kept.clone(), flag("checkout", None, Some("free")));
        let other = flag("other", None, Some("free"));
        question.draft.flags.push(other);
        question.examples = 20;
        let finding = asking.ask(question).await;
        let keys = finding.examples.iter().map(|example| example.key.clone());
        let keys: BTreeSet<_> = keys.collect();
        assert_eq!(keys.len(), 20, "each context once");
        drawn.insert(keys);
    }
    assert_eq!(drawn.len(), 2, "others each time");
}

#[tokio::test]
async fn whoever_opts_out_while_a_question_waits_is_no_example() {
    let kept = sampled(&["plan"], Keys::Plain);
    let mut asking = Asking::new(Some(kept.clone()));
    asking.answer(200);
    let mut question = asking.question(kept.clone(), flag("checkout", None, Some("free")));
    question.examples = 20;
    // Nothing is answered before this test waits.
    let signed = Arc::new(question.unsigned());
    assert!(asking.edge.question(&signed, asking.findings.clone()));
    asking.edge.sample(&[]);
    let finding = asking.found.recv().await.unwrap();
    assert_eq!(finding.failed, Some(Failed::NotSampled));
    assert_eq!((finding.answers, finding.examples.len()), (0, 0));
}
