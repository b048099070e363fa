//! Generated code is checked with the tools of its language, and does what the manifest says.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use super::generated;

/// Types of the SDK for TypeScript that are used, and a client that returns what it was asked.
const SDK_TYPES: &str = include_str!("sdk.d.ts");
const SDK: &str = "exports.OpenFeature = { getClient: () => new Proxy({}, { get: (_, method) => \
                   async (...asked) => [method, ...asked] }) };";

/// Writes each flag's key, method and default.
const ASK: &str = "
const { getGeneratedClient } = require('./flags.js');
const client = getGeneratedClient();
(async () => {
  const all = [];
  for (const name of Object.keys(client)) all.push([name, ...(await client[name]())]);
  console.log(JSON.stringify(all));
})();";

/// Writes the default of each key, read without running the code.
const READ: &str = "
import ast, json, sys
tree = ast.parse(open(sys.argv[1]).read())
kinds = [type(node).__name__ for node in tree.body]
calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and any(k.arg == 'flag_key' for k in n.keywords)]
each = [{k.arg: k.value for k in call.keywords} for call in calls]
print(json.dumps([kinds, [[ast.literal_eval(c['flag_key']), ast.literal_eval(c['default_value'])] for c in each]]))";

fn told(command: &mut Command) -> String {
    let output = command.output();
    let Output {
        status,
        stdout,
        stderr,
    } = output.unwrap_or_else(|why| panic!("{command:?} is needed: {why}"));
    let (stdout, stderr) = (
        String::from_utf8_lossy(&stdout),
        String::from_utf8_lossy(&stderr),
    );
    assert!(status.success(), "{command:?}: {stdout}{stderr}");
    stdout.into_owned()
}

fn defaults() -> serde_json::Map<String, serde_json::Value> {
    let text = fs::read_to_string(generated().join("flags.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&text).unwrap();
    let flags = manifest["flags"].as_object().unwrap();
    let each = flags.iter();
    each.map(|(key, flag)| (key.clone(), flag["defaultValue"].clone()))
        .collect()
}

/// The compiler of TypeScript: that of the dashboard, in this working tree or in the one that it belongs to.
fn typescript() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let git = ["rev-parse", "--path-format=absolute", "--git-common-dir"];
    let common = Command::new("git").args(git).current_dir(here).output();
    let common = common.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    let roots = [
        Some(here.join("../..")),
        common
            .ok()
            .and_then(|git| Path::new(&git).parent().map(Path::to_owned)),
    ];
    let compiler = "control-plane/dashboard/node_modules/typescript/bin/tsc";
    let found = roots.into_iter().flatten().map(|root| root.join(compiler));
    let mut found = found.filter(|path| path.exists());
    found
        .next()
        .expect("the packages of the dashboard are needed: `npm ci` in control-plane/dashboard")
}

#[test]
fn typescript_compiles_and_asks_for_what_the_manifest_says() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| fs::write(dir.path().join(name), text).unwrap();
    fs::copy(generated().join("flags.ts"), dir.path().join("flags.ts")).unwrap();
    file("sdk.d.ts", SDK_TYPES);
    file("ask.js", ASK);
    let sdk = dir.path().join("node_modules/@openfeature/server-sdk");
    fs::create_dir_all(&sdk).unwrap();
    fs::write(sdk.join("index.js"), SDK).unwrap();
    let options = "--strict --module commonjs --target es2022 flags.ts sdk.d.ts";
    told(
        Command::new("node")
            .arg(typescript())
            .args(options.split(' '))
            .current_dir(dir.path()),
    );
    let asked = told(Command::new("node").arg("ask.js").current_dir(dir.path()));
    let asked: Vec<Vec<serde_json::Value>> = serde_json::from_str(&asked).unwrap();
    let defaults = defaults();
    assert_eq!(asked.len(), defaults.len() * 2);
    for one in asked {
        let key = one[2].as_str().unwrap();
        assert_eq!(one[3], defaults[key], "{key}");
        let is_details = one[0].as_str().unwrap().ends_with("Details");
        let method = one[1].as_str().unwrap();
        assert!(
            method.ends_with(if is_details { "Details" } else { "Value" }),
            "{method}"
        );
    }
}

#[test]
fn python_is_an_import_a_class_and_a_function_with_the_defaults_of_the_manifest() {
    let python = generated().join("flags.py");
    let read = told(Command::new("python3").args(["-c", READ]).arg(python));
    let (kinds, read): (Vec<String>, Vec<(String, serde_json::Value)>) =
        serde_json::from_str(&read).unwrap();
    let others = kinds.iter().filter(|kind| *kind != "ImportFrom");
    assert_eq!(others.collect::<Vec<_>>(), ["ClassDef", "FunctionDef"]);
    let defaults = defaults();
    assert_eq!(read.len(), defaults.len() * 4);
    for (key, default) in read {
        let expected = &defaults[&key];
        let is_same = default == *expected || default.as_f64() == expected.as_f64();
        assert!(is_same, "{key}: {default}");
    }
}

#[test]
fn rust_and_go_are_left_as_they_are_by_their_formatters() {
    let mut rustfmt = Command::new("rustfmt");
    rustfmt
        .args(["--check", "--edition", "2024"])
        .arg(generated().join("flags.rs"));
    told(&mut rustfmt);
    if std::env::var_os("HALYARD_WITHOUT_GO").is_some() {
        return;
    }
    let folder = std::env::var_os("HALYARD_GO").map_or_else(|| target().join("go"), PathBuf::from);
    let mut gofmt = Command::new(folder.join("bin/gofmt"));
    gofmt.arg("-d").arg(generated().join("flags.go"));
    assert_eq!(told(&mut gofmt), "");
}

/// Where `./dev test` installs what tests need.
fn target() -> PathBuf {
    let binary = Path::new(env!("CARGO_BIN_EXE_halyardctl"));
    binary.ancestors().nth(2).unwrap().to_owned()
}
