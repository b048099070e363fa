//! The page of the dashboard that shows what an event is about.

use url::Url;

use super::{body::Names, store::lanes::Next};

/// Its address. What is gone is shown by the page that listed it, and what has no page by the start page.
pub(super) fn of(dashboard: &str, next: &Next, names: &Names<'_>) -> String {
    let kind = next.about.as_ref().map(|about| &about.resource);
    let kind = kind.map(|resource| {
        let key = match resource.kind.as_str() {
            "change_set" => Some(resource.id.as_str()),
            _ => resource.key.as_deref(),
        };
        (resource.kind.as_str(), key)
    });
    let is_gone = [".deleted", ".archived"]
        .iter()
        .any(|end| next.event_type.ends_with(end));
    address(dashboard, &path(kind, is_gone, names), names.env)
}

/// The parts of a path, and whether the page shows an environment.
fn path<'a>(
    resource: Option<(&str, Option<&'a str>)>,
    is_gone: bool,
    names: &Names<'a>,
) -> (Vec<&'a str>, bool) {
    let (Some((kind, key)), Some(project)) = (resource, names.project) else {
        return (Vec::new(), false);
    };
    let of_project = |rest: &[&'a str]| [&["p", project], rest].concat();
    match (kind, is_gone) {
        ("flag" | "approval", false) if names.flag.is_some() => {
            let flag = names.flag.unwrap_or_default();
            (of_project(&["flags", flag]), true)
        }
        ("flag" | "approval", _) => (of_project(&["flags"]), false),
        ("segment", false) => {
            let parts: Vec<_> = ["segments"].into_iter().chain(key).collect();
            (of_project(&parts), false)
        }
        ("change_set", false) => {
            let parts: Vec<_> = ["change-sets"].into_iter().chain(key).collect();
            (of_project(&parts), false)
        }
        ("segment", true) => (of_project(&["segments"]), false),
        ("environment" | "grant", _) => (of_project(&["environments"]), false),
        ("api_key", _) => match names.env {
            Some(env) => (of_project(&["environments", env, "keys"]), false),
            None => (of_project(&["environments"]), false),
        },
        ("project", false) => (of_project(&["settings"]), false),
        _ => (Vec::new(), false),
    }
}

fn address(dashboard: &str, (parts, has_env): &(Vec<&str>, bool), env: Option<&str>) -> String {
    let Ok(mut url) = Url::parse(dashboard) else {
        return dashboard.to_owned();
    };
    if let Ok(mut segments) = url.path_segments_mut() {
        segments.pop_if_empty().extend(parts);
    }
    if let Some(env) = env.filter(|_| *has_env) {
        url.query_pairs_mut().append_pair("env", env);
    }
    url.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The addresses of the dashboard's pages.
    const PATHS: &str = include_str!("../../../dashboard/src/routes/paths.json");

    fn is_page(path: &str) -> bool {
        let pages: Vec<String> = serde_json::from_str(PATHS).unwrap();
        let parts = |path: &str| path.split('/').map(str::to_owned).collect::<Vec<_>>();
        let path = parts(path);
        pages.iter().any(|page| {
            let page = parts(page);
            page.len() == path.len()
                && page
                    .iter()
                    .zip(&path)
                    .all(|(page, part)| page.starts_with('{') || page == part)
        })
    }

    #[test]
    fn each_address_is_a_page_of_the_dashboard() {
        let shop = || Names {
            flag: Some("checkout"),
            project: Some("shop"),
            env: Some("prod"),
        };
        let nothing = || Names {
            flag: None,
            project: None,
            env: None,
        };
        for kind in [
            "flag",
            "approval",
            "change_set",
            "segment",
            "environment",
            "grant",
            "api_key",
            "project",
            "member",
            "webhook",
        ] {
            for is_gone in [false, true] {
                for names in [
                    shop(),
                    nothing(),
                    Names {
                        flag: None,
                        ..shop()
                    },
                    Names {
                        env: None,
                        ..shop()
                    },
                ] {
                    let path = path(Some((kind, Some("beta"))), is_gone, &names);
                    let url = Url::parse(&address("https://flags.example.com", &path, names.env))
                        .unwrap();
                    assert!(is_page(url.path()), "{kind}: {url}");
                }
            }
        }
    }

    #[test]
    fn a_flag_in_an_environment_is_shown_there() {
        let parts = (vec!["p", "shop", "flags", "a/b"], true);
        assert_eq!(
            address("https://flags.example.com/app", &parts, Some("prod")),
            "https://flags.example.com/app/p/shop/flags/a%2Fb?env=prod"
        );
    }
}
