//! Dependencies that nothing uses: what a package depends on is named in its sources, and what the workspace lists in some
//! package.

use regex::Regex;

use crate::{
    assert_none,
    sources::{self, Source},
};

/// The sections that are read. One of any other kind has to be added here before it can be used.
const READ: [&str; 4] = [
    "dependencies",
    "dev-dependencies",
    "build-dependencies",
    "workspace.dependencies",
];

/// The names in a section.
fn names(manifest: &str, section: &str) -> Vec<String> {
    let header = format!("[{section}]");
    let entry = Regex::new(r"^([A-Za-z0-9_-]+)(?:\.workspace)? *=").unwrap();
    manifest
        .lines()
        .skip_while(|line| *line != header)
        .skip(1)
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| Some(entry.captures(line)?[1].to_owned()))
        .collect()
}

/// Sections of dependencies that [`names`] would not find.
fn unread(manifest: &Source) -> Vec<String> {
    let headers = manifest.text.lines().filter_map(|line| {
        let header = line.strip_prefix('[')?.split(']').next()?;
        header.contains("dependencies").then_some(header)
    });
    headers
        .filter(|header| !READ.contains(header))
        .map(|header| format!("{}: [{header}] is not checked", manifest.path))
        .collect()
}

/// The folder of a manifest, with a slash at its end.
fn folder(manifest: &Source) -> &str {
    manifest.path.strip_suffix("Cargo.toml").unwrap_or_default()
}

/// The Rust files of a package: those below its folder that are in no package within it.
fn belonging<'a>(
    manifest: &Source,
    manifests: &[&Source],
    sources: &'a [Source],
) -> Vec<&'a Source> {
    let home = folder(manifest);
    let inner: Vec<_> = manifests
        .iter()
        .map(|other| folder(other))
        .filter(|other| other.len() > home.len() && other.starts_with(home))
        .collect();
    let own = sources.iter().filter(|source| {
        source.is_rust()
            && source.path.starts_with(home)
            && !inner.iter().any(|inner| source.path.starts_with(inner))
    });
    own.collect()
}

fn is_named(dependency: &str, code: &[String]) -> bool {
    let name = dependency.replace('-', "_");
    // Not as a module of ours that has the same name, such as `crate::metrics::`.
    let named = Regex::new(&format!(r"(?m)(?:^|[^:\w])(?:::)?{name}(?:::|;| as )")).unwrap();
    code.iter()
        .any(|code| code.contains(&name) && named.is_match(code))
}

fn unused(sources: &[Source]) -> Vec<String> {
    let manifests: Vec<_> = sources
        .iter()
        .filter(|source| source.path.ends_with("/Cargo.toml"))
        .collect();
    let mut complaints = Vec::new();
    for manifest in &manifests {
        let files = belonging(manifest, &manifests, sources);
        let all: Vec<_> = files.iter().map(|source| source.code()).collect();
        let shipped: Vec<_> = files
            .iter()
            .filter(|source| source.is_shipped() && source.path.starts_with(folder(manifest)))
            .map(|source| source.shipped_code())
            .collect();
        // The package of the tests ships nothing.
        let shipped = if shipped.is_empty() { &all } else { &shipped };
        for (section, code) in [
            ("dependencies", shipped),
            ("dev-dependencies", &all),
            ("build-dependencies", &all),
        ] {
            let unnamed = names(&manifest.text, section)
                .into_iter()
                .filter(|name| !is_named(name, code))
                .map(|name| format!("{}: nothing in [{section}] needs {name}", manifest.path));
            complaints.extend(unnamed);
        }
        complaints.extend(unread(manifest));
    }
    complaints
}

/// Entries of the workspace that no package takes.
fn unclaimed(workspace: &Source, sources: &[Source]) -> Vec<String> {
    let taken: Vec<_> = sources
        .iter()
        .filter(|source| source.path.ends_with("/Cargo.toml"))
        .flat_map(|manifest| {
            ["dependencies", "dev-dependencies", "build-dependencies"]
                .map(|section| names(&manifest.text, section))
        })
        .flatten()
        .collect();
    let unclaimed = names(&workspace.text, "workspace.dependencies")
        .into_iter()
        .filter(|name| !taken.contains(name))
        .map(|name| format!("{}: no package needs {name}", workspace.path));
    unclaimed.chain(unread(workspace)).collect()
}

#[test]
fn packages_depend_on_what_they_name() {
    assert_none(&unused(&sources::all()));
}

#[test]
fn the_workspace_lists_what_packages_depend_on() {
    let workspace = sources::file("Cargo.toml");
    assert_none(&unclaimed(&workspace, &sources::all()));
}

#[test]
fn each_check_can_fail() {
    let sources = [
        Source::new(
            "protocol/Cargo.toml",
            "[dependencies]\nserde.workspace = true\nserde-json = { version = \"1\" }\nmetrics = \"1\"\ntime = \"1\"\n\
             [dev-dependencies]\nproptest = \"1\"\ntower = \"1\"\n[build-dependencies]\ncc = \"1\"\n[target.'cfg(unix)'.dependencies]\nlibc = \"1\"\n",
        ),
        Source::new(
            "protocol/src/lib.rs",
            "//! Uses time::Instant.\nuse serde::Serialize;\nuse crate::metrics::Gauge;\n\
             #[cfg(test)]\nmod tests {\n    use time::Duration;\n}\n",
        ),
        Source::new("protocol/tests/a.rs", "use proptest::prelude::*;\n"),
        Source::new("protocol/serving/Cargo.toml", "[dependencies]\n"),
        Source::new(
            "protocol/serving/src/lib.rs",
            "use serde_json::Value;\nuse metrics::Gauge;\nuse tower::Service;\n",
        ),
    ];
    assert_eq!(
        unused(&sources),
        [
            "protocol/Cargo.toml: nothing in [dependencies] needs serde-json",
            "protocol/Cargo.toml: nothing in [dependencies] needs metrics",
            "protocol/Cargo.toml: nothing in [dependencies] needs time",
            "protocol/Cargo.toml: nothing in [dev-dependencies] needs tower",
            "protocol/Cargo.toml: nothing in [build-dependencies] needs cc",
            "protocol/Cargo.toml: [target.'cfg(unix)'.dependencies] is not checked",
        ]
    );

    let workspace = Source::new(
        "Cargo.toml",
        "[workspace.dependencies]\nserde = \"1\"\n# HTTP.\nhyper = \"1\"\n",
    );
    assert_eq!(
        unclaimed(&workspace, &sources),
        ["Cargo.toml: no package needs hyper"]
    );
}
