//! What grows has a row in docs/budgets.md: channels without a bound, capacities from variables, collections that outlive a request.

use std::sync::LazyLock;

use regex::Regex;

use crate::{
    assert_none,
    sources::{self, Source},
};

const DOCUMENT: &str = "docs/budgets.md";

/// Where fields are those of processes and connections. Elsewhere what is behind a lock counts.
static LASTING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(clients/rust|control-plane/(base|publish)|edge-node|protocol/(counters|fanout|relay|serving))/src/")
        .unwrap()
});
/// But here those of requests.
const BRIEF: &str = "edge-node/src/http/";

static ANYWHERE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?x) \bunbounded(?:_channel)?\( | \bmpsc::channel\(\)
        | \b(?:Mutex|RwLock|RefCell|LazyLock|OnceLock|ArcSwap\w*)<[^;=]*
          \b(?:(?:Hash|BTree|Dash)(?:Map|Set)|VecDeque|Vec|Slab|DelayQueue)<",
    )
    .unwrap()
});
static FIELD: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?x) ^(?:\x20{4}(?:pub(?:\([a-z]+\))?\x20)?\w+:\x20 | (?:pub(?:\([a-z]+\))?\x20)?struct\x20\w+(?:<[^>]*>)?\()
        [^=;&]*\b(?:(?:Hash|BTree|Dash)(?:Map|Set)|VecDeque|Slab|DelayQueue|JoinSet)<",
    )
    .unwrap()
});

/// Whether a collection is made with room for a number that is neither a constant nor a length.
fn is_sized_by_a_variable(line: &str) -> bool {
    static SIZE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?:with_capacity|\.reserve(?:_exact)?)\([^()]*[a-z]").unwrap()
    });
    // What is awaited is no collection.
    SIZE.is_match(line) && !line.contains(".len()") && !line.contains(".await")
}

fn growing(source: &Source) -> Vec<String> {
    let path = &source.path;
    let is_lasting = LASTING.is_match(path) && !path.starts_with(BRIEF);
    let code = source.shipped_code();
    let lines = code.lines().zip(1..).filter(|(line, _)| {
        let is_field = is_lasting && FIELD.is_match(line);
        is_field || ANYWHERE.is_match(line) || is_sized_by_a_variable(line)
    });
    lines
        .map(|(line, number)| format!("{path}:{number}: no row of {DOCUMENT} bounds {line}"))
        .collect()
}

/// The Rust files that rows name, each by the end of its path.
fn named(document: &str) -> Vec<String> {
    let file = Regex::new(r"`(\w[\w-]*/[\w/.-]+\.rs)`").unwrap();
    let rows = document.lines().filter(|line| line.starts_with("| "));
    rows.flat_map(|row| file.captures_iter(row))
        .map(|file| format!("/{}", &file[1]))
        .collect()
}

fn is_at(source: &Source, name: &str) -> bool {
    format!("/{}", source.path).ends_with(name)
}

fn complaints(sources: &[Source], document: &str) -> Vec<String> {
    let named = named(document);
    let is_known = |name: &&String| sources.iter().any(|source| is_at(source, name));
    let is_named = |source: &Source| named.iter().any(|name| is_at(source, name));
    let gone = named.iter().filter(|name| !is_known(name));
    let shipped = sources.iter().filter(|source| source.is_shipped());
    let unnamed = shipped.filter(|source| !is_named(source));
    gone.map(|name| format!("{DOCUMENT} names {name}, which is gone"))
        .chain(unnamed.flat_map(growing))
        .collect()
}

#[test]
fn whatever_grows_has_a_row_with_its_bound() {
    let document = sources::file(DOCUMENT).text;
    assert_none(&complaints(&sources::all(), &document));
}

#[test]
fn the_check_can_fail() {
    let of = |path: &str, line: &str| complaints(&[Source::new(path, line)], "").len();
    for (line, found) in [
        ("let (tell, told) = mpsc::unbounded_channel();", 1),
        ("let (tell, told) = mpsc::channel(256);", 0),
        ("let list = Vec::with_capacity(header.count as usize);", 1),
        ("let list = Vec::with_capacity(names.len());", 0),
        ("let list = Vec::with_capacity(MOST + 1);", 0),
        ("let due_at = self.reserve(tx, now).await?;", 0),
        ("    held: Mutex<HashMap<EnvId, Held>>,", 1),
        ("    held: HashMap<EnvId, Held>,", 0),
    ] {
        assert_eq!(of("control-plane/api/src/a.rs", line), found, "{line}");
    }
    let line = "pub struct Held(HashMap<EnvId, u32>);";
    let file = "protocol/fanout/src/hub/a.rs";
    assert_eq!(of("edge-node/src/http/a.rs", line), 0);
    assert_eq!(of(file, "    held: HashMap<EnvId, Held>,"), 1);
    let with = |rows: &str| complaints(&[Source::new(file, line)], rows).len();
    let found = [
        "",
        "| `hub/a.rs` |",
        "| `ub/a.rs` |",
        "| `hub/a.rs`, `hub/b.rs` |",
    ]
    .map(with);
    assert_eq!(found, [1, 0, 2, 1]);
}
