//! Repositories and references as the API shows them.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Serialize;
use time::OffsetDateTime;
use utoipa::ToSchema;

use base::ids::{RepositoryId, UserId};

/// What of a path may stay as it is in an address.
const IN_PATHS: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// A repository whose code was scanned for flags of a project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Repository {
    /// Its id.
    pub id: RepositoryId,
    /// What it is called; unique in the project.
    pub repository: String,
    /// The branch that was scanned.
    #[schema(required)]
    pub branch: Option<String>,
    /// The commit that was scanned.
    #[schema(required)]
    pub commit: Option<String>,
    /// The address of a line, with `{path}`, `{line}` and `{commit}` in it.
    #[schema(required)]
    pub link: Option<String>,
    /// How many references were found.
    pub reference_count: i64,
    /// How many keys of flags they name.
    pub flag_count: i64,
    /// When it was last scanned.
    #[serde(with = "time::serde::rfc3339")]
    pub scanned_at: OffsetDateTime,
    /// Who sent that scan; `null` if they have no account any more.
    #[schema(required)]
    pub scanned_by: Option<Scanner>,
}

/// Who sent a scan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = RepositoryScanner)]
pub struct Scanner {
    /// Of the user, or of a service account's own user.
    pub id: UserId,
    /// The name now.
    pub name: String,
}

/// The answer to a scan.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RepositoryScanned)]
pub struct Scanned {
    #[serde(flatten)]
    pub repository: Repository,
    /// Keys that no flag of the project has, archived ones included; the first hundred, in their order.
    pub unknown_keys: Vec<String>,
}

/// The repositories of a project.
#[derive(Debug, Serialize, ToSchema)]
pub struct Repositories {
    /// By their names.
    pub data: Vec<Repository>,
}

/// A line of code that names a flag.
#[derive(Debug, Serialize, ToSchema)]
pub struct CodeReference {
    /// The repository's id.
    pub repository_id: RepositoryId,
    /// The repository's name.
    pub repository: String,
    /// The branch that was scanned.
    #[schema(required)]
    pub branch: Option<String>,
    /// The commit that was scanned.
    #[schema(required)]
    pub commit: Option<String>,
    /// The file, from the top of the repository.
    pub path: String,
    /// The line, from 1.
    pub line: i32,
    /// The name that stands for the key there; `null` for the key itself.
    #[schema(required)]
    pub alias: Option<String>,
    /// The address of the line, if the scan said how those look.
    #[schema(required)]
    pub url: Option<String>,
    /// When the repository was last scanned.
    #[serde(with = "time::serde::rfc3339")]
    pub scanned_at: OffsetDateTime,
}

/// The address of a line. A commit that is not known is `HEAD`.
pub(super) fn address(link: &str, path: &str, line: i32, commit: Option<&str>) -> String {
    let path = utf8_percent_encode(path, IN_PATHS).to_string();
    // The path last: it may contain what looks like the others.
    link.replace("{line}", &line.to_string())
        .replace("{commit}", commit.unwrap_or("HEAD"))
        .replace("{path}", &path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_the_place_in_it_and_nothing_of_a_path_can_leave_it() {
        let link = "https://git.example/acme/shop/blob/{commit}/{path}#L{line}";
        assert_eq!(
            address(link, "src/a.ts", 7, Some("4ad1f0c")),
            "https://git.example/acme/shop/blob/4ad1f0c/src/a.ts#L7"
        );
        assert_eq!(
            address(link, "a b/{line}?q#ü", 7, None),
            "https://git.example/acme/shop/blob/HEAD/a%20b/%7Bline%7D%3Fq%23%C3%BC#L7"
        );
    }
}
