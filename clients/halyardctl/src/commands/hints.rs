//! What there is, where a name is wrong.

use serde_json::Value;

use crate::api::{Client, Error, Refusal, Request, StatusCode, operations};

/// How many names are told at most.
const MOST: usize = 20;

/// The error of a request, which names what there is in place of a project or an environment that does not exist.
pub(super) async fn explained(client: &Client, request: &Request, error: Error) -> Error {
    if error.status() != Some(StatusCode::NOT_FOUND) {
        return error;
    }
    let Some(project) = request.project() else {
        return error;
    };
    let projects = Request::new(&operations::LIST_PROJECTS, &[]);
    let Ok(projects) = client.all(&projects).await else {
        return error;
    };
    if !names(&projects, &project) {
        return unknown("project", &project, &projects);
    }
    let wanted = request.environments();
    if !wanted.is_empty() {
        let all = Request::new(&operations::LIST_ENVIRONMENTS, &[&project]);
        if let Ok(all) = client.all(&all).await
            && let Some(wrong) = wanted.iter().find(|wanted| !names(&all, wanted))
        {
            return unknown("environment", wrong, &all);
        }
    }
    let mut listed = [("segmentKey", "segment"), ("changeSetID", "change-set")].into_iter();
    let listed = listed.find(|(part, _)| request.part(part).is_some());
    let what = listed.map_or("flag", |(_, what)| what);
    error.advised(|| format!("`halyardctl {what} list` shows those there are"))
}

/// The slugs of a list.
pub(super) fn slugs(list: &Value) -> Vec<String> {
    let items = list["data"].as_array().into_iter().flatten();
    let slugs = items.filter_map(|item| item["slug"].as_str());
    slugs.map(str::to_owned).collect()
}

fn names(list: &Value, name: &str) -> bool {
    let mut items = list["data"].as_array().into_iter().flatten();
    items.any(|item| item["slug"] == name || item["id"] == name)
}

fn unknown(what: &str, name: &str, list: &Value) -> Error {
    let mut there = slugs(list);
    let more = there.len() > MOST;
    there.truncate(MOST);
    let mut advice = match there.is_empty() {
        true => "there are none".to_owned(),
        false => format!("there are: {}", there.join(", ")),
    };
    if more {
        advice.push_str(", …");
    }
    Error::Refused(Refusal {
        status: StatusCode::NOT_FOUND,
        message: format!("no {what} named {name}"),
        body: Value::Null,
        advice: Some(advice),
        request_id: None,
    })
}
