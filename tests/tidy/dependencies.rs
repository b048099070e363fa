//! What is linked: licences we may ship under, and one TLS stack.
//!
//! Asks `cargo tree` rather than `Cargo.lock`, which also lists what no feature of ours switches on.

use std::process::Command;

use crate::{assert_none, sources};

/// The same list as in deny.toml.
const LICENCES: [&str; 11] = [
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "CC0-1.0",
    "CDLA-Permissive-2.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Zlib",
];

/// A second TLS stack or one we decided against, and `rsa`, which has an advisory without a fix.
const BANNED: [&str; 6] = [
    "boring",
    "native-tls",
    "openssl",
    "openssl-sys",
    "ring",
    "rsa",
];

/// Two versions of these would be two TLS stacks.
const SINGLE: [&str; 3] = ["aws-lc-rs", "quinn", "rustls"];

struct Package {
    name: String,
    version: String,
    licence: String,
}

fn packages() -> Vec<Package> {
    let output = Command::new(env!("CARGO"))
        .args([
            "tree",
            "--workspace",
            "--locked",
            "--edges",
            "normal,build,dev",
        ])
        .args(["--prefix", "none", "--format", "{p}|{l}"])
        .current_dir(sources::root())
        .output()
        .expect("cargo runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );

    let mut lines: Vec<_> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(str::to_owned)
        .collect();
    lines.sort();
    lines.dedup();
    lines.iter().filter_map(|line| parse(line)).collect()
}

/// Reads `name v1.2.3 (where from)|licence`, with ` (*)` behind it where a package comes up again.
fn parse(line: &str) -> Option<Package> {
    let (package, licence) = line.split_once('|')?;
    let licence = licence.strip_suffix(" (*)").unwrap_or(licence);
    let mut words = package.split(' ');
    let name = words.next()?.to_owned();
    let version = words.next()?.to_owned();
    Some(Package {
        name,
        version,
        licence: licence.to_owned(),
    })
}

/// Whether an SPDX expression can be fulfilled with allowed licences. `AND` binds before `OR`; the
/// slash is an old way to write `OR`.
fn is_allowed(expression: &str) -> bool {
    let spaced = expression
        .replace('/', " OR ")
        .replace('(', " ( ")
        .replace(')', " ) ");
    let tokens: Vec<_> = spaced.split_whitespace().collect();
    let mut position = 0;
    let allowed = any_of(&tokens, &mut position);
    allowed && position == tokens.len()
}

fn any_of(tokens: &[&str], position: &mut usize) -> bool {
    let mut allowed = all_of(tokens, position);
    while tokens.get(*position) == Some(&"OR") {
        *position += 1;
        allowed |= all_of(tokens, position);
    }
    allowed
}

fn all_of(tokens: &[&str], position: &mut usize) -> bool {
    let mut allowed = one(tokens, position);
    while tokens.get(*position) == Some(&"AND") {
        *position += 1;
        allowed &= one(tokens, position);
    }
    allowed
}

fn one(tokens: &[&str], position: &mut usize) -> bool {
    let Some(&token) = tokens.get(*position) else {
        return false;
    };
    *position += 1;
    if token == "(" {
        let allowed = any_of(tokens, position);
        *position += 1;
        return allowed;
    }
    // An exception only ever permits more.
    if tokens.get(*position) == Some(&"WITH") {
        *position += 2;
    }
    LICENCES.contains(&token)
}

#[test]
fn every_licence_is_one_we_may_ship_under() {
    let complaints: Vec<_> = packages()
        .iter()
        .filter(|package| !is_allowed(&package.licence))
        .map(|package| {
            format!(
                "{} {}: `{}`",
                package.name, package.version, package.licence
            )
        })
        .collect();
    assert_none(&complaints);
}

#[test]
fn there_is_one_tls_stack() {
    let packages = packages();
    let mut complaints: Vec<_> = packages
        .iter()
        .filter(|package| BANNED.contains(&package.name.as_str()))
        .map(|package| format!("{} must not be linked", package.name))
        .collect();
    for name in SINGLE {
        let mut versions: Vec<_> = packages
            .iter()
            .filter(|package| package.name == name)
            .map(|p| &p.version)
            .collect();
        versions.dedup();
        if versions.len() != 1 {
            complaints.push(format!(
                "{name} must be linked in one version, not {versions:?}"
            ));
        }
    }
    assert_none(&complaints);
}

#[test]
fn licence_expressions_are_understood() {
    for allowed in [
        "MIT",
        "MIT/Apache-2.0",
        "MIT OR GPL-3.0",
        "Apache-2.0 WITH LLVM-exception OR GPL-3.0",
        "ISC AND (GPL-3.0 OR MIT)",
    ] {
        assert!(is_allowed(allowed), "{allowed}");
    }
    for refused in [
        "",
        "GPL-3.0",
        "MIT AND GPL-3.0",
        "(MIT OR ISC) AND GPL-3.0",
        "MIT GPL-3.0",
    ] {
        assert!(!is_allowed(refused), "{refused}");
    }
}
