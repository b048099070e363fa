//! Who may name what, where no border between crates says so: each row forbids a word in some folders, except in the files that
//! own it.

use regex::Regex;

use crate::{
    assert_none,
    sources::{self, Source},
};

struct Rule {
    why: &'static str,
    /// Parts of the paths that the rule governs.
    within: &'static [&'static str],
    /// A regular expression on shipped code, without comments and tests.
    forbidden: &'static str,
    /// Parts of paths that the rule leaves alone.
    except: &'static [&'static str],
}

const EVERYWHERE: &[&str] = &[
    "clients/",
    "protocol/src/",
    "protocol/serving/src/",
    "protocol/fanout/src/",
    "protocol/relay/src/",
    "protocol/files/src/",
    "control-plane/",
    "edge-node/src/",
];

const RULES: &[Rule] = &[
    Rule {
        why: "protocol does no I/O and reads no clock",
        within: &["protocol/src/"],
        forbidden: r"\bstd::(fs|net|env|process|thread)\b|\bInstant::now\b|\bSystemTime\b",
        except: &[],
    },
    Rule {
        why: "an edge knows of relays in one place",
        within: &["edge-node/src/"],
        forbidden: r"(^|[^:\w])relay::",
        except: &["edge-node/src/downstream/"],
    },
    Rule {
        why: "SQL belongs to store.rs, db/, sealing.rs, version.rs and publish/",
        within: &["control-plane/"],
        forbidden: r"\bquery(_as|_scalar)?!|\bsqlx::query|\bQueryBuilder\b|\bsqlx::raw_sql\b",
        except: &[
            "store.rs",
            "/store/",
            "src/db/",
            "base/src/sealing.rs",
            "domain/src/version.rs",
            "publish/src/",
        ],
    },
    Rule {
        why: "handlers look up, parse, call an operation, commit and answer; operations write",
        within: &["control-plane/api/src/"],
        forbidden: r"\bdb\.begin\(|\bTx\b|\bevents::|\baudit::store::|\.(record|draw)\(|\b\w+::(insert|upsert|update_|delete_|lock)\w*\(&mut (tx|conn|unit)\b|\bstore::(\w+::)?(insert|upsert|update|delete|lock|take)",
        except: &["api/src/app.rs", "api/src/http/"],
    },
    Rule {
        why: "the audit trail is written where events are recorded",
        within: &["control-plane/"],
        forbidden: r"\baudit::store::insert\b",
        except: &["src/events/"],
    },
    Rule {
        why: "models know neither HTTP nor the database",
        within: &["/model.rs", "/model/"],
        forbidden: r"\baxum::|\bPgConnection\b|\bPgPool\b",
        except: &[],
    },
    Rule {
        why: "only the settings read the environment",
        within: EVERYWHERE,
        forbidden: r"\benv::(var|vars|var_os)\b",
        except: &["serving/src/settings", "halyardctl/src/environment.rs"],
    },
    Rule {
        why: "HTTP clients are made in outbound/ alone, where addresses are checked, for the collector, and in a client's own place",
        within: EVERYWHERE,
        forbidden: r"\breqwest::",
        except: &[
            "src/outbound/",
            "serving/src/trace/client.rs",
            "halyardctl/src/api/",
            "rust/src/edge.rs",
            // The type of a header, in what a client is started with.
            "rust/src/builder.rs",
        ],
    },
    Rule {
        why: "addresses of the dashboard are made in config/pages.rs alone, and a test finds each of them served",
        within: &["control-plane/"],
        forbidden: r"\burls\.dashboard\b",
        except: &["src/config/", "webhooks/deliver.rs", "webhooks/detail.rs"],
    },
    Rule {
        why: "a client of the API knows none of the servers",
        within: &["clients/"],
        forbidden: r"\b(api|base|domain|control-plane|edge-node|serving|fanout|relay)\.workspace",
        except: &[],
    },
    Rule {
        why: "mail leaves through mail/ alone",
        within: EVERYWHERE,
        forbidden: r"\blettre::",
        except: &["src/mail/", "src/config/mail.rs"],
    },
    Rule {
        why: "bincode is confined to one file, so that leaving it costs one file",
        within: EVERYWHERE,
        forbidden: r"\bbincode::",
        except: &["protocol/src/wire/codec.rs"],
    },
    Rule {
        why: "YAML is read in one place, which refuses what readers differ about",
        within: EVERYWHERE,
        forbidden: r"\bgranit_parser::",
        except: &["files/src/document/"],
    },
    Rule {
        why: "sled is confined to the cache",
        within: EVERYWHERE,
        forbidden: r"\bsled::",
        except: &["edge-node/src/cache/"],
    },
    Rule {
        why: "what is served is swapped in one place; the secret of stream credentials and what is sampled beside it",
        within: &["edge-node/src/"],
        forbidden: r"\bArcSwap(Option|Any)?\b",
        except: &[
            "edge-node/src/current/",
            "edge-node/src/stream_credential.rs",
            "edge-node/src/what_if/mod.rs",
        ],
    },
    Rule {
        why: "SQL is text written here, never text made at run time",
        within: EVERYWHERE,
        forbidden: r"\bAssertSqlSafe\b",
        except: &[],
    },
];

fn check(rule: &Rule, sources: &[Source]) -> Vec<String> {
    let forbidden = Regex::new(rule.forbidden).unwrap();
    let mut complaints = Vec::new();
    for source in sources {
        let governed = (source.is_shipped() || source.path.ends_with("Cargo.toml"))
            && rule.within.iter().any(|part| source.path.contains(part))
            && !rule.except.iter().any(|part| source.path.contains(part));
        if !governed {
            continue;
        }
        for (number, line) in source.shipped_code().lines().enumerate() {
            if let Some(found) = forbidden.find(line) {
                let (path, word) = (&source.path, found.as_str());
                complaints.push(format!("{path}:{}: `{word}`: {}", number + 1, rule.why));
            }
        }
    }
    complaints
}

#[test]
fn every_layer_names_only_what_it_may() {
    let sources = sources::all();
    let complaints: Vec<_> = RULES
        .iter()
        .flat_map(|rule| check(rule, &sources))
        .collect();
    assert_none(&complaints);
}

#[test]
fn a_forbidden_word_is_found_with_its_line() {
    let source = Source::new(
        "control-plane/domain/src/orgs/model.rs",
        "//! Orgs.\nuse axum::Json;\n",
    );
    let complaints: Vec<_> = RULES
        .iter()
        .flat_map(|rule| check(rule, std::slice::from_ref(&source)))
        .collect();
    assert!(
        complaints[0].starts_with("control-plane/domain/src/orgs/model.rs:2: `axum::`"),
        "{complaints:?}"
    );
}

#[test]
fn comments_tests_and_owners_may_name_it() {
    let bincode = RULES
        .iter()
        .find(|rule| rule.forbidden.contains("bincode"))
        .unwrap();
    let allowed = [
        Source::new("protocol/src/wire/codec.rs", "use bincode::config;\n"),
        Source::new(
            "protocol/src/snapshot.rs",
            "/// Not bincode::encode.\nstruct A; // bincode::x\n",
        ),
        Source::new(
            "protocol/src/ids.rs",
            "struct A;\n\n#[cfg(test)]\nmod tests {\n    use bincode::config;\n}\n",
        ),
    ];
    assert_none(&check(bincode, &allowed));
}

#[test]
fn a_handler_that_writes_is_found() {
    let lines = [
        "let mut tx = state.db.begin().await?;",
        "store::insert(&mut tx, &role).await?;",
        "users::delete_all(&mut conn).await?;",
        "unit.record(event, ()).await?;",
        "use crate::events::Event;",
    ];
    for line in lines {
        let source = Source::new("control-plane/api/src/roles.rs", line);
        let rule = RULES.iter().find(|rule| rule.why.starts_with("handlers"));
        assert_eq!(check(rule.unwrap(), &[source]).len(), 1, "{line}");
    }
}
