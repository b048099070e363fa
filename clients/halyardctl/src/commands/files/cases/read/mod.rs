//! Reads cases, and places what is wrong with them. `docs/flags-as-files.md` has the form.

mod parts;

use files::{
    Document, Path, Problem,
    project::{Project, WrittenFlag},
    tree, unknown_fields,
};
use serde_json::{Value, json};
use time::OffsetDateTime;

use super::{Case, Expect, Question};

/// The fields of a file with cases.
pub(in crate::commands::files) const FILE: [&str; 4] = ["flag", "environment", "at", "tests"];
/// The fields of a case.
pub(in crate::commands::files) const CASE: [&str; 8] = [
    "name",
    "flag",
    "environment",
    "at",
    "context",
    "contexts",
    "expect",
    "share",
];
/// The fields of a context; `expect` only in a list.
pub(in crate::commands::files) const CONTEXT: [&str; 3] = ["key", "attributes", "expect"];
/// The fields of an expected answer.
pub(in crate::commands::files) const EXPECT: [&str; 3] = ["value", "reason", "variant"];
/// The fields of a share.
pub(in crate::commands::files) const SHARE: [&str; 11] = [
    "flag",
    "environment",
    "at",
    "contexts",
    "keys",
    "attributes",
    "value",
    "reason",
    "variant",
    "percent",
    "within",
];

const MOST_CONTEXTS: u64 = 1_000_000;
const CONTEXTS: u32 = 10_000;
/// Percentage points.
const WITHIN: f64 = 2.0;

/// The cases of all files, in their order.
///
/// # Errors
/// Everything that is wrong with them.
pub(in crate::commands::files) fn all(
    files: &[tree::File],
    project: &Project,
) -> Result<Vec<Case>, Vec<Problem>> {
    let mut cases = Vec::new();
    let mut problems = Vec::new();
    for file in files {
        let at = match file.name.split_once('/') {
            Some(("tests", _)) => Path::root(),
            None if !file.name.starts_with("environments.") => Path::root().key("tests"),
            _ => continue,
        };
        let document = match file.parse() {
            Ok(document) => document,
            Err(found) => {
                problems.extend(found);
                continue;
            }
        };
        let mut reader = Reader {
            document: &document,
            project,
            cases: Vec::new(),
            problems: Vec::new(),
        };
        if document.get(&at).is_some_and(|value| !value.is_null()) {
            reader.file(&at);
        }
        cases.append(&mut reader.cases);
        problems.append(&mut reader.problems);
    }
    problems.sort();
    if problems.is_empty() {
        Ok(cases)
    } else {
        Err(problems)
    }
}

/// What cases are about unless they say otherwise. What was given and is wrong is `Some(None)`.
#[derive(Clone, Default)]
struct Setting<'a> {
    flag: Option<Option<&'a WrittenFlag>>,
    environment: Option<Option<&'a str>>,
    at: Option<Option<OffsetDateTime>>,
}

struct Reader<'a> {
    document: &'a Document,
    project: &'a Project,
    cases: Vec<Case>,
    problems: Vec<Problem>,
}

impl<'a> Reader<'a> {
    fn refuse(&mut self, at: &Path, message: impl Into<String>) {
        self.problems.push(self.document.problem(at, message));
    }

    fn file(&mut self, at: &Path) {
        let document = self.document;
        match document.get(at) {
            Some(Value::Array(list)) => self.list(at, list.len(), &Setting::default()),
            Some(Value::Object(_)) => {
                self.problems.extend(unknown_fields(document, at, &FILE));
                let setting = self.setting(at, &Setting::default());
                let tests = at.clone().key("tests");
                match document.get(&tests) {
                    Some(Value::Array(list)) => self.list(&tests, list.len(), &setting),
                    Some(_) => self.refuse(&tests, "tests must be a list of cases"),
                    None => self.refuse(at, "tests is required: a list of cases"),
                }
            }
            _ => self.refuse(at, "expected a list of cases, or `tests` with one"),
        }
    }

    fn list(&mut self, at: &Path, cases: usize, setting: &Setting<'a>) {
        for index in 0..cases {
            self.case(&at.clone().index(index), setting);
        }
    }

    fn case(&mut self, at: &Path, setting: &Setting<'a>) {
        let document = self.document;
        if !document.get(at).is_some_and(Value::is_object) {
            return self.refuse(at, "a case must be a map");
        }
        self.problems.extend(unknown_fields(document, at, &CASE));
        let setting = self.setting(at, setting);
        let name = self.text(at, "name");
        let has = |field: &str| document.get(&at.clone().key(field)).is_some();
        match (has("context"), has("contexts"), has("share")) {
            (true, false, false) => {
                let context = self.context(&at.clone().key("context"), false);
                let Some(expect) = self.expected(at, &setting) else {
                    return self.refuse(at, "expect is required");
                };
                self.keep(
                    at,
                    name.as_deref(),
                    &setting,
                    context.map(Question::One),
                    expect,
                );
            }
            (false, true, false) => self.contexts(at, name.as_deref(), &setting),
            (false, false, true) => {
                if has("expect") {
                    self.refuse(
                        &at.clone().key("expect"),
                        "a share says itself what it expects",
                    );
                }
                self.share(&at.clone().key("share"), name.as_deref(), &setting);
            }
            _ => self.refuse(at, "a case has one of `context`, `contexts` and `share`"),
        }
    }

    fn contexts(&mut self, case: &Path, name: Option<&str>, setting: &Setting<'a>) {
        let at = case.clone().key("contexts");
        let common = self.expected(case, setting);
        let Some(Value::Array(list)) = self.document.get(&at) else {
            return self.refuse(&at, "contexts must be a list");
        };
        if list.is_empty() {
            self.refuse(&at, "contexts must not be empty");
        }
        for (index, given) in list.iter().enumerate() {
            let at = at.clone().index(index);
            let context = self.context(&at, true);
            let own = given
                .get("expect")
                .and_then(|_| self.expected(&at, setting));
            let Some(expect) = own.or_else(|| common.clone()) else {
                self.refuse(&at, "expect is required, here or of the case");
                continue;
            };
            let key = context.as_ref().and_then(|context| context["key"].as_str());
            let name = name.map(|name| format!("{name}: {}", key.unwrap_or_default()));
            self.keep(
                &at,
                name.as_deref(),
                setting,
                context.map(Question::One),
                expect,
            );
        }
    }

    fn share(&mut self, at: &Path, name: Option<&str>, setting: &Setting<'a>) {
        let document = self.document;
        if !document.get(at).is_some_and(Value::is_object) {
            return self.refuse(at, "share must be a map");
        }
        self.problems.extend(unknown_fields(document, at, &SHARE));
        let setting = self.setting(at, setting);
        let expect = self.answer(at, &setting);
        let contexts = match document.get(&at.clone().key("contexts")) {
            None => Some(CONTEXTS),
            Some(given) => {
                let number = given
                    .as_u64()
                    .filter(|number| (1..=MOST_CONTEXTS).contains(number));
                let number = number.and_then(|number| u32::try_from(number).ok());
                if number.is_none() {
                    let message = format!("contexts must be a number from 1 to {MOST_CONTEXTS}");
                    self.refuse(&at.clone().key("contexts"), message);
                }
                number
            }
        };
        let percent = self.percent(at, "percent");
        if document.get(&at.clone().key("percent")).is_none() {
            self.refuse(at, "percent is required");
        }
        let within = self.percent(at, "within").unwrap_or(WITHIN);
        let keys = self.text(at, "keys").unwrap_or_else(|| "user-".to_owned());
        let attributes = at.clone().key("attributes");
        let given = document
            .get(&attributes)
            .cloned()
            .unwrap_or_else(|| json!({}));
        let attributes = self.sent(&attributes, json!({"key": keys, "attributes": given}));
        if let (Some(contexts), Some(percent), Some(mut context)) = (contexts, percent, attributes)
        {
            let question = Question::Share {
                contexts,
                keys,
                attributes: context["attributes"].take(),
                percent,
                within,
            };
            self.keep(at, name, &setting, Some(question), expect);
        }
    }

    /// A case that is complete.
    fn keep(
        &mut self,
        at: &Path,
        name: Option<&str>,
        setting: &Setting<'a>,
        question: Option<Question>,
        expect: Expect,
    ) {
        let flag = match setting.flag {
            Some(flag) => flag,
            None => {
                self.refuse(at, "flag is required, here or at the top of the file");
                None
            }
        };
        let environment = match setting.environment {
            Some(environment) => environment,
            None => self.only_environment(at),
        };
        let (Some(flag), Some(environment), Some(question)) = (flag, environment, question) else {
            return;
        };
        let flag = flag.flag.made.key.clone();
        let whom = match &question {
            Question::One(context) => context["key"].as_str().unwrap_or_default().to_owned(),
            Question::Share { percent, .. } => format!("{percent} %"),
        };
        self.cases.push(Case {
            name: name.map_or_else(
                || format!("{flag} in {environment} for {whom}"),
                str::to_owned,
            ),
            file: self.document.name().to_owned(),
            place: self.document.key_place(at),
            flag,
            environment: environment.to_owned(),
            at: setting.at.flatten(),
            question,
            expect,
        });
    }

    fn only_environment(&mut self, at: &Path) -> Option<&'a str> {
        let all = &self.project.environments;
        if let [only] = &all[..] {
            return Some(&only.made.slug);
        }
        let names: Vec<_> = all.iter().map(|one| &*one.made.slug).collect();
        let names = names.join(", ");
        self.refuse(at, format!("environment is required, one of: {names}"));
        None
    }
}
