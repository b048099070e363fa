//! A scan as sent by clients, and the rules for it.

use std::collections::BTreeSet;

use protocol::objects::Objects;
use serde::Deserialize;
use url::Url;
use utoipa::ToSchema;

use super::model::address;
use base::input::{
    Invalid, Key, breaks_a_line, has_text, in_range, is_longer_than, proper_name, required,
};

/// The most references of a repository.
pub const MAX_REFERENCES: usize = 10_000;
/// Bytes of a path.
const MAX_PATH: usize = 1_024;
/// Characters of an alias, and of a branch.
const MAX_WORD: usize = 255;
/// Characters of a link.
const MAX_LINK: usize = 2_048;
/// Lines of a file that anybody would scan.
const MAX_LINE: i64 = 10_000_000;

/// All that a scan of a repository found: what it does not list is forgotten.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = RepositoryScan)]
pub struct ScanInput {
    /// Required: what the repository is called, such as `acme/shop`; 1 to 255 characters.
    #[schema(value_type = String)]
    repository: Option<String>,
    /// The branch that was scanned.
    branch: Option<String>,
    /// The commit that was scanned: 7 to 64 hex digits.
    commit: Option<String>,
    /// The address of a line, `http` or `https`, with `{path}`, and `{line}` and `{commit}` where it has them.
    link: Option<String>,
    /// Required; at most 10,000. Repeated ones count once.
    #[schema(value_type = Vec<ReferenceInput>)]
    references: Option<Objects<ReferenceInput>>,
}

/// A line that names a flag.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = CodeReferenceInput)]
struct ReferenceInput {
    /// Required: the flag's key, whether the project has such a flag or not.
    #[schema(value_type = String)]
    key: Option<String>,
    /// Required: the file, from the top of the repository, with `/`; at most 1,024 bytes.
    #[schema(value_type = String)]
    path: Option<String>,
    /// Required: from 1.
    #[schema(value_type = i64)]
    line: Option<i64>,
    /// The name that stands for the key there, at most 255 characters; absent, or `null`, for the key itself.
    alias: Option<String>,
}

/// A line that names a flag. The alias is empty for the key itself.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reference {
    pub(super) key: String,
    pub(super) path: String,
    pub(super) line: i32,
    pub(super) alias: String,
}

/// What is known of the repository that was scanned.
#[derive(Debug)]
pub struct Scan {
    pub(super) repository: String,
    pub(super) branch: Option<String>,
    pub(super) commit: Option<String>,
    pub(super) link: Option<String>,
    pub(super) references: BTreeSet<Reference>,
}

impl ScanInput {
    pub fn check(self) -> Result<Scan, Invalid> {
        let repository = proper_name("repository", self.repository)?;
        let branch = self.branch.filter(|text| !text.is_empty());
        let branch = branch.map(|text| word("branch", text)).transpose()?;
        let commit = self.commit.filter(|text| !text.is_empty());
        let commit = commit.map(checked_commit).transpose()?;
        let link = self.link.filter(|text| !text.is_empty());
        let link = link.map(checked_link).transpose()?;
        let Some(Objects(given)) = self.references else {
            return Err(Invalid::new("references is required"));
        };
        if given.len() > MAX_REFERENCES {
            return Err(Invalid::new("references must have at most 10000 items"));
        }
        let references = given.into_iter().enumerate().map(|(index, one)| {
            let checked = one.check();
            checked.map_err(|error| {
                Invalid::new(format!("references[{index}].{}", error.into_message()))
            })
        });
        Ok(Scan {
            repository,
            branch,
            commit,
            link,
            references: references.collect::<Result<_, _>>()?,
        })
    }
}

impl ReferenceInput {
    fn check(self) -> Result<Reference, Invalid> {
        if !has_text(&self.key) {
            return Err(Invalid::new("key is required"));
        }
        let key = Key::parse(self.key)?;
        let Some(line) = self.line else {
            return Err(Invalid::new("line is required"));
        };
        let line = in_range("line", line, 1, MAX_LINE)?;
        let alias = self.alias.filter(|text| !text.is_empty());
        Ok(Reference {
            key: key.as_str().to_owned(),
            path: checked_path(required("path", self.path)?)?,
            line: i32::try_from(line).unwrap_or(i32::MAX),
            alias: alias
                .map(|text| word("alias", text))
                .transpose()?
                .unwrap_or_default(),
        })
    }
}

fn word(field: &str, text: String) -> Result<String, Invalid> {
    if is_longer_than(&text, MAX_WORD) || text.chars().any(breaks_a_line) {
        return Err(Invalid::new(format!(
            "{field} must be a line of at most 255 characters"
        )));
    }
    Ok(text)
}

fn checked_commit(text: String) -> Result<String, Invalid> {
    if (7..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        Ok(text)
    } else {
        Err(Invalid::new("commit must be 7 to 64 hex digits"))
    }
}

fn checked_path(path: String) -> Result<String, Invalid> {
    let leaves = path.split('/').any(|part| matches!(part, "" | "." | ".."));
    if path.len() > MAX_PATH || leaves || path.chars().any(breaks_a_line) {
        return Err(Invalid::new(
            "path must be that of a file from the top of its repository, at most 1024 bytes",
        ));
    }
    Ok(path)
}

/// Whether it is an address that a person may be led to, wherever in the repository the line is.
fn checked_link(link: String) -> Result<String, Invalid> {
    let shown = Url::parse(&address(&link, "a/b", 1, None)).ok();
    let is_web = shown.is_some_and(|url| {
        matches!(url.scheme(), "http" | "https")
            && url.password().is_none()
            && url.username().is_empty()
    });
    // Placeholders in the name of the host would lead elsewhere.
    let host = link.split('/').nth(2).unwrap_or_default();
    if !is_web || !link.contains("{path}") || host.contains('{') || is_longer_than(&link, MAX_LINK)
    {
        return Err(Invalid::new(
            "link must be an http or https address with {path}, at most 2048 characters",
        ));
    }
    Ok(link)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn checked(body: Value) -> Result<Scan, String> {
        let input: ScanInput = serde_json::from_value(body).map_err(|error| error.to_string())?;
        input
            .check()
            .map_err(|error| error.into_message().into_owned())
    }

    #[test]
    fn references_are_counted_once_and_in_their_order() {
        let one = |path: &str, line: i64| json!({"key": "dark", "path": path, "line": line});
        let scan = json!({
            "repository": "acme/shop", "references": [one("b.rs", 2), one("b.rs", 2), one("a.rs", 9)],
        });
        let scan = checked(scan).unwrap();
        let found: Vec<_> = scan
            .references
            .iter()
            .map(|it| (&*it.path, it.line))
            .collect();
        assert_eq!(found, [("a.rs", 9), ("b.rs", 2)]);
    }

    #[test]
    fn what_leads_elsewhere_is_no_link() {
        for link in [
            "javascript:alert(1)//{path}",
            "https://git.example/blob",
            "https://{path}.example/",
            "https://user:secret@git.example/{path}",
            "git.example/{path}",
        ] {
            let refused = checked(json!({"repository": "a", "link": link, "references": []}));
            assert!(refused.unwrap_err().starts_with("link must"), "{link}");
        }
    }

    #[test]
    fn a_path_stays_in_its_repository() {
        for path in ["/etc/passwd", "../a", "a/../b", "a//b", "a/", "a\nb", "./a"] {
            assert!(checked_path(path.to_owned()).is_err(), "{path}");
        }
        assert!(checked_path("src/[id]/pâge.tsx".to_owned()).is_ok());
        assert!(checked_path("x".repeat(MAX_PATH + 1)).is_err());
    }
}
