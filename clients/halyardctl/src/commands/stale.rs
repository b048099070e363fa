//! Which flags can go, and why.

use std::collections::BTreeMap;

use serde_json::Value;
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use super::{Session, files::project::count};
use crate::{
    api::{Error, Request, operations},
    arguments::{Paging, Stale},
    environment,
    exit::Exit,
    output::{self, Format, cell, escape, message},
};

/// Says which flags can go. With `--fail` it differs where no code names one of them any more.
pub(super) async fn stale(session: &Session, wanted: Stale) -> Result<Exit, Error> {
    let project = session.project(&wanted.within).await?;
    let request = Request::new(&operations::LIST_STALE_FLAGS, &[&project])
        .query("reason", wanted.reason)
        .query("env_id", wanted.env)
        .query("days", wanted.days);
    let list = session.list(&request, &wanted.paging).await?;
    let flags: Vec<_> = list["data"].as_array().into_iter().flatten().collect();
    let unnamed = flags.iter().filter(|flag| flag["reference_count"] == 0);
    let unnamed = unnamed.count();
    if session.printer.format() == Format::Table {
        let slugs = slugs(session, &project).await?;
        let told = flags
            .iter()
            .map(|flag| told(flag, &slugs, environment::now()));
        output::write(&told.collect::<String>())?;
        message(&verdict(&flags, unnamed));
    } else {
        session.printer.value(&list)?;
    }
    Ok(if wanted.fail && unnamed > 0 {
        Exit::Differs
    } else {
        Exit::Done
    })
}

/// The slugs of environments by their ids.
async fn slugs(session: &Session, project: &str) -> Result<BTreeMap<String, String>, Error> {
    let request = Request::new(&operations::LIST_ENVIRONMENTS, &[project]);
    let list = session.list(&request, &Paging::default()).await?;
    let environments = list["data"].as_array().into_iter().flatten();
    let named = environments.filter_map(|one| {
        let text = |field: &str| one[field].as_str().map(str::to_owned);
        Some((text("id")?, text("slug")?))
    });
    Ok(named.collect())
}

/// A flag with a sentence for each reason, and one for what code says.
fn told(flag: &Value, slugs: &BTreeMap<String, String>, now: OffsetDateTime) -> String {
    let reasons = flag["reasons"].as_array().into_iter().flatten();
    let mut lines: Vec<_> = reasons.map(|reason| sentence(reason, slugs, now)).collect();
    match flag["reference_count"].as_u64() {
        None => {}
        Some(0) => lines.push("no code that was scanned names it".to_owned()),
        Some(number) => {
            let number = usize::try_from(number).unwrap_or(usize::MAX);
            lines.push(format!("{} in code", count(number, "reference")));
        }
    }
    let lines: String = lines
        .iter()
        .map(|line| format!("  {}\n", escape(line)))
        .collect();
    format!("{}\n{lines}", cell(&flag["key"]))
}

fn sentence(reason: &Value, slugs: &BTreeMap<String, String>, now: OffsetDateTime) -> String {
    let place = if reason["everywhere"] == true {
        "in all environments".to_owned()
    } else {
        let ids = reason["env_ids"].as_array().into_iter().flatten();
        let names = ids.filter_map(Value::as_str).map(|id| {
            let slug = slugs.get(id);
            slug.map_or(id, String::as_str)
        });
        format!("in {}", names.collect::<Vec<_>>().join(", "))
    };
    let since = reason["since"].as_str();
    let since = since.and_then(|text| OffsetDateTime::parse(text, &Rfc3339).ok());
    let since_when = since.map_or_else(String::new, |since| {
        let days = usize::try_from((now - since).whole_days()).unwrap_or_default();
        format!(", since {} ({})", since.date(), count(days, "day"))
    });
    match reason["reason"].as_str().unwrap_or_default() {
        "fully_on" => format!("on for everyone {place}{since_when}"),
        "fully_off" => format!("off for everyone {place}{since_when}"),
        "not_evaluated" if since.is_none() => format!("never evaluated {place}"),
        "not_evaluated" => format!("not evaluated {place}{since_when}"),
        "one_value" => {
            let value = match &reason["value_digest"] {
                Value::String(_) => "one long value".to_owned(),
                _ => reason["value"].to_string(),
            };
            format!("served {value} alone {place}{since_when}")
        }
        other => format!("{other} {place}{since_when}"),
    }
}

fn verdict(flags: &[&Value], unnamed: usize) -> String {
    if flags.is_empty() {
        return "no flag can go".to_owned();
    }
    let is_scanned = flags.iter().all(|flag| flag["reference_count"].is_u64());
    let code = if is_scanned {
        format!("; code names all but {unnamed}")
    } else {
        "; `halyardctl refs scan` would tell whether code names them".to_owned()
    };
    format!("{} can go{code}", count(flags.len(), "flag"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn reasons_are_sentences() {
        let now = OffsetDateTime::parse("2026-11-27T00:00:00Z", &Rfc3339).unwrap();
        let slugs = BTreeMap::from([("e1".to_owned(), "production".to_owned())]);
        let flag = json!({
            "key": "old-checkout",
            "reference_count": 0,
            "reasons": [
                {"reason": "fully_on", "everywhere": true, "env_ids": ["e1"], "since": "2026-10-12T10:00:00Z"},
                {"reason": "fully_off", "everywhere": false, "env_ids": ["e1", "e2"], "since": null},
                {"reason": "not_evaluated", "everywhere": false, "env_ids": ["e1"], "since": null},
                {"reason": "one_value", "everywhere": true, "env_ids": [], "since": null, "value": "a", "value_digest": null},
                {"reason": "one_value", "everywhere": true, "env_ids": [], "since": null, "value": null, "value_digest": "ab"},
            ],
        });
        assert_eq!(
            told(&flag, &slugs, now),
            "old-checkout
  on for everyone in all environments, since 2026-10-12 (45 days)
  off for everyone in production, e2
  never evaluated in production
  served \"a\" alone in all environments
  served one long value alone in all environments
  no code that was scanned names it
"
        );
        assert_eq!(verdict(&[&flag], 1), "1 flag can go; code names all but 1");
        let unknown = json!({"key": "a", "reference_count": null, "reasons": []});
        assert!(verdict(&[&unknown], 0).contains("`halyardctl refs scan`"));
        assert_eq!(told(&unknown, &slugs, now), "a\n");
        let named = json!({"key": "a", "reference_count": 1, "reasons": []});
        assert_eq!(told(&named, &slugs, now), "a\n  1 reference in code\n");
    }
}
