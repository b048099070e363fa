//! Every case that defines the meaning of a flag, through the public interface; and written for SDKs of other languages.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod sample;
mod server;
#[path = "../../../protocol/tests/vectors/mod.rs"]
mod vectors;

use std::{
    collections::HashMap,
    fs,
    io::Write,
    path::{Path, PathBuf},
    sync::Arc,
};

use halyard::{Client, Context, Detail, ErrorKind, Reason, write_snapshot_file};
use serde::Serialize;
use serde_json::{Value, value::RawValue};

use self::{
    sample::{ID, environment, flag},
    server::{Server, signing::pin},
    vectors::{Case, Vectors, compile, same_json},
};

/// As many as there are; the test of the engine counts them by file.
const CASES: usize = 2_628;

#[test]
fn every_case_has_its_answer() {
    let mut cases = 0;
    for path in files() {
        let vectors = read(&path);
        let client = |stored| Client::from_snapshot(compile(stored)).unwrap();
        let environments = vectors.environments.iter();
        let clients = environments.map(|(name, stored)| (&**name, client(stored)));
        run(&path, &vectors.cases, &clients.collect());
        cases += vectors.cases.len();
    }
    assert_eq!(cases, CASES);
}

/// Tests of other SDKs read the folder (`HALYARD_VECTORS`): a local copy for each environment, one line for each case, and a copy
/// that is signed, with the environment and the key that are pinned for it.
#[tokio::test]
async fn every_case_is_written_for_other_languages() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("vectors");
    let parts = folder.with_extension("parts");
    for old in [&folder, &parts] {
        drop(fs::remove_dir_all(old));
    }
    fs::create_dir_all(&parts).unwrap();
    let mut lines = Vec::new();
    for path in files() {
        let vectors = read(&path);
        let stem = path.file_stem().unwrap().to_str().unwrap();
        let mut names: Vec<&str> = vectors.environments.keys().map(|name| &**name).collect();
        names.sort_unstable();
        let files: HashMap<&str, String> = (1..)
            .zip(names)
            .map(|(number, name)| (name, format!("{stem}-{number}.copy")))
            .collect();
        for (name, stored) in &vectors.environments {
            write_snapshot_file(parts.join(&files[&**name]), compile(stored)).unwrap();
        }
        for case in &vectors.cases {
            serde_json::to_writer(&mut lines, &written(case, &files)).unwrap();
            lines.push(b'\n');
        }
        let read_back = |file| Client::from_snapshot_file(parts.join(file)).unwrap();
        let clients = files.iter().map(|(name, file)| (*name, read_back(file)));
        run(&path, &vectors.cases, &clients.collect());
    }
    assert_eq!(lines.split_inclusive(|byte| *byte == b'\n').count(), CASES);
    let mut file = fs::File::create(parts.join("cases.jsonl")).unwrap();
    file.write_all(&lines).unwrap();
    write_signed(&parts).await;
    fs::rename(parts, folder).unwrap();
}

async fn write_signed(folder: &Path) {
    let server = Server::start(environment(1, vec![flag("of-text", r#""signed""#)])).await;
    server.sign(1, 0);
    let client = server.client().local_copy(folder.join("signed.copy"));
    client.start().await.unwrap().close().await;
    fs::write(folder.join("signed.environment"), ID.to_string()).unwrap();
    fs::write(folder.join("signed.key"), pin(1)).unwrap();
}

/// A case as tests of other languages read it.
#[derive(Serialize)]
struct Written<'a> {
    /// The local copy that answers.
    file: &'a str,
    name: &'a str,
    flag: &'a str,
    context: Box<RawValue>,
    value: &'a Value,
    reason: &'a str,
    /// Empty if no variant is served.
    variant: &'a str,
    version: u64,
}

fn written<'a>(case: &'a Case, files: &'a HashMap<&str, String>) -> Written<'a> {
    // No text in JSON has a line break in it, so these are between what it is made of.
    let context = case.context.get().replace('\n', " ");
    Written {
        file: &files[&*case.environment],
        name: case.name.as_deref().unwrap_or(&case.flag_key),
        flag: &case.flag_key,
        context: RawValue::from_string(context).unwrap(),
        value: &case.expected.value,
        reason: &case.expected.reason,
        variant: &case.expected.variant_key,
        version: 0,
    }
}

fn files() -> impl Iterator<Item = PathBuf> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../protocol/conformance");
    let entries = fs::read_dir(folder).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.filter(|path| path.extension().is_some_and(|end| end == "json"))
}

fn read(path: &Path) -> Vectors {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn run(path: &Path, cases: &[Case], clients: &HashMap<&str, Client>) {
    for case in cases {
        let told = case.name.as_deref().unwrap_or(&case.flag_key);
        let told = format!("{}: {told}", path.display());
        let context: Context = serde_json::from_str(case.context.get()).unwrap();
        check(&clients[&*case.environment], case, &context, &told);
    }
}

fn check(client: &Client, case: &Case, context: &Context, told: &str) {
    let (key, expected) = (&case.flag_key, &case.expected);
    let answer = client.json_detail(key, context, Value::Null);
    assert!(
        same_json(&answer.value, &expected.value),
        "{told}: {answer:?}"
    );
    assert_eq!(answer.reason.as_str(), expected.reason, "{told}");
    assert_eq!(answer.version, Some(0), "{told}");
    assert_eq!(
        answer.variant.as_deref().unwrap_or(""),
        expected.variant_key,
        "{told}"
    );
    if answer.reason == Reason::NotFound {
        assert_eq!(answer.error, Some(ErrorKind::FlagNotFound), "{told}");
        return;
    }
    let value = &expected.value;
    let bool = client.bool_detail(key, context, true);
    is_of_its_type(bool, value.as_bool(), true, told);
    let number = client.number_detail(key, context, 0.25);
    is_of_its_type(number, value.as_f64(), 0.25, told);
    let int = client.int_detail(key, context, -77);
    is_of_its_type(int, whole(value), -77, told);
    let text = client.string_detail(key, context, "default");
    is_of_its_type(text, value.as_str().map(Arc::from), "default".into(), told);
}

/// The value, or the caller's default and an error.
fn is_of_its_type<T>(answer: Detail<T>, value: Option<T>, default: T, told: &str)
where
    T: PartialEq + std::fmt::Debug,
{
    if let Some(value) = value {
        assert_eq!(answer.value, value, "{told}");
        assert_ne!(answer.error, Some(ErrorKind::TypeMismatch), "{told}");
    } else {
        assert_eq!(answer.value, default, "{told}");
        assert_eq!(answer.error, Some(ErrorKind::TypeMismatch), "{told}");
    }
}

/// A whole number, however it is written.
fn whole(value: &Value) -> Option<i64> {
    let number = value.as_f64().filter(|number| number.fract() == 0.0);
    value
        .as_i64()
        .or_else(|| format!("{}", number?).parse().ok())
}
