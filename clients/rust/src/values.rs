//! Texts and JSON values of one version of an environment, parsed when they are first asked for.

use std::sync::{Arc, OnceLock};

use protocol::eval::{Environment, Evaluation, FlagIndex};
use serde_json::Value;

/// By flag and by the number of the answer. A flag that is never asked for a text or a JSON value takes two words.
#[derive(Debug, Default)]
pub(crate) struct Values(OnceLock<Box<[OnceLock<Answers>]>>);

/// By the number of the answer.
type Answers = Box<[Parsed]>;

/// `None` for what is not of the type.
#[derive(Debug, Default)]
struct Parsed {
    text: OnceLock<Option<Arc<str>>>,
    json: OnceLock<Option<Arc<Value>>>,
}

impl Values {
    /// The value as a text, if it is one.
    pub(crate) fn text(
        &self,
        environment: &Environment,
        flag: FlagIndex,
        evaluation: &Evaluation<'_>,
    ) -> Option<Arc<str>> {
        let json = evaluation.value_json;
        if !json.starts_with('"') {
            return None;
        }
        let parse = || serde_json::from_str::<String>(json).ok().map(Arc::from);
        match self.place(environment, flag, evaluation.answer) {
            Some(parsed) => parsed.text.get_or_init(parse).clone(),
            None => parse(),
        }
    }

    /// The value as JSON, which every value is.
    pub(crate) fn json(
        &self,
        environment: &Environment,
        flag: FlagIndex,
        evaluation: &Evaluation<'_>,
    ) -> Option<Arc<Value>> {
        let parse = || {
            serde_json::from_str(evaluation.value_json)
                .ok()
                .map(Arc::new)
        };
        match self.place(environment, flag, evaluation.answer) {
            Some(parsed) => parsed.json.get_or_init(parse).clone(),
            None => parse(),
        }
    }

    fn place(&self, environment: &Environment, flag: FlagIndex, answer: u32) -> Option<&Parsed> {
        let flags = self.0.get_or_init(|| {
            let flags = environment.positions();
            flags.map(|_| OnceLock::new()).collect()
        });
        let answers = flags.get(flag.position())?.get_or_init(|| {
            let answers = 0..environment.answers(flag);
            answers.map(|_| Parsed::default()).collect()
        });
        answers.get(answer as usize)
    }
}
