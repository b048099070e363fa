//! Estimates for people.

use serde_json::Value;
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use super::{Estimate, Known};
use crate::{
    api::Error,
    commands::gitops::changes::Changes,
    output::{self, escape},
};

/// Changes of values that are told.
const TRANSITIONS: usize = 5;

/// Writes what is known of a project's environments.
pub(in super::super) fn tell(changes: &Changes, estimates: &[Estimate]) -> Result<(), Error> {
    let all = estimates.iter();
    let text: Vec<_> = all
        .map(|one| of_environment(one, &changes.project))
        .collect();
    output::write(&text.concat())
}

fn of_environment(estimate: &Estimate, project: &str) -> String {
    let slug = escape(&estimate.environment);
    match &estimate.known {
        Known::Answer(answer) => format!("{slug}: {}", of_answer(answer)),
        Known::Unchanged => format!("{slug}: this changes no answer\n"),
        Known::NotSampled => format!(
            "{slug}: not estimated, since edges keep no samples of its requests; to switch that on:\n  \
             halyardctl api PUT /v1/projects/{}/environments/{slug}/sampling -F enabled=true\n",
            escape(project)
        ),
        Known::Refused(why) => format!("{slug}: not estimated: {}\n", escape(why)),
    }
}

fn of_answer(answer: &Value) -> String {
    let interval = &answer["interval"];
    let ends = [&answer["share"], &interval["low"], &interval["high"]].map(Value::as_f64);
    let since = over(answer);
    let mut text = match ends {
        [Some(share), Some(low), Some(high)] => {
            let [share, low, high] = [share, low, high].map(percent);
            format!(
                "over the last {since} this would have changed {share} % of answers ({low} to {high} %)\n"
            )
        }
        _ if answer["edges"]["answered"] == 0 => "not known: no edge could say\n".to_owned(),
        _ => format!("nobody asked for these flags in the samples of the last {since}\n"),
    };
    let transitions = answer["transitions"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    for one in transitions.iter().take(TRANSITIONS) {
        let flag = escape(one["flag_key"].as_str().unwrap_or_default());
        let [from, to] = ["from", "to"].map(|side| value(&one[side]));
        let answers = match grouped(&one["answers"]).as_str() {
            "1" => "1 answer".to_owned(),
            count => format!("{count} answers"),
        };
        text.push_str(&format!("  {flag}: {from} → {to}, {answers}\n"));
    }
    if let Some(more @ 1..) = transitions.len().checked_sub(TRANSITIONS) {
        text.push_str(&format!("  and {more} more\n"));
    }
    for unknown in unknown(answer) {
        text.push_str(&format!("  unknown: {unknown}\n"));
    }
    text
}

/// What the estimate does not know.
fn unknown(answer: &Value) -> Vec<String> {
    let mut unknown = Vec::new();
    let names = answer["not_sampled"].as_array().into_iter().flatten();
    let names: Vec<_> = names.filter_map(Value::as_str).map(escape).collect();
    if !names.is_empty() {
        let names = names.join(", ");
        unknown.push(format!(
            "{names}, which rules ask for and samples do not have"
        ));
    }
    if answer["names_keys"] == true {
        unknown.push("keys that rules name, since samples have only hashes of keys".to_owned());
    }
    let edges = &answer["edges"];
    let count = |field: &str| edges[field].as_u64().unwrap_or_default();
    let (sampling, refused, busy) = (count("not_sampling"), count("refused"), count("busy"));
    let told = count("answered") + sampling + refused + busy;
    for (count, what) in [
        (count("asked").saturating_sub(told), "no answer in time"),
        (sampling, "no samples yet"),
        (refused, "unable to use these changes"),
        (busy, "too busy"),
    ] {
        if count > 0 {
            let asked = &edges["asked"];
            unknown.push(format!("{count} of {asked} edges ({what})"));
        }
    }
    unknown
}

/// How far back samples go: `24 h`, `3 h`, `12 min`.
fn over(answer: &Value) -> String {
    let at = |field: &str| OffsetDateTime::parse(answer[field].as_str()?, &Rfc3339).ok();
    let Some((since, asked)) = at("since").zip(at("asked_at")) else {
        return "24 h".to_owned();
    };
    match (asked - since).whole_minutes() {
        minutes @ ..60 => format!("{} min", minutes.max(1)),
        minutes => format!("{} h", ((minutes + 59) / 60).min(24)),
    }
}

/// A share in percent, with as many digits as it takes to see that it is not 0.
fn percent(share: f64) -> String {
    let percent = share * 100.0;
    let text = if percent < 0.1 && percent > 0.0 {
        format!("{percent:.3}")
    } else {
        format!("{percent:.1}")
    };
    let short = text.trim_end_matches('0').trim_end_matches('.');
    if short.is_empty() {
        "0".to_owned()
    } else {
        short.to_owned()
    }
}

fn value(told: &Value) -> String {
    match told["digest"].as_str() {
        Some(digest) => format!("a longer value ({})", escape(digest)),
        None => escape(&told["value"].to_string()),
    }
}

/// A number with commas between thousands.
fn grouped(number: &Value) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn answer() -> Value {
        let told = |value: Value| json!({"value": value, "digest": null});
        let transition = |answers: u64| json!({"flag_key": "checkout", "from": told(json!(false)), "to": told(json!(true)), "answers": answers});
        json!({
            "asked_at": "2026-01-02T00:00:00Z", "since": "2026-01-01T00:10:00Z", "share": 0.0318,
            "interval": {"low": 0.0294, "high": 0.0351, "confidence": 0.99},
            "edges": {"asked": 5, "answered": 3, "not_sampling": 1, "refused": 0, "busy": 0},
            "transitions": [transition(131_000), transition(900), transition(3), transition(2), transition(1), transition(1)],
            "not_sampled": ["country"], "names_keys": true,
        })
    }

    #[test]
    fn an_estimate_is_a_sentence_and_says_what_it_does_not_know() {
        let wanted = "\
over the last 24 h this would have changed 3.2 % of answers (2.9 to 3.5 %)
  checkout: false → true, 131,000 answers
  checkout: false → true, 900 answers
  checkout: false → true, 3 answers
  checkout: false → true, 2 answers
  checkout: false → true, 1 answer
  and 1 more
  unknown: country, which rules ask for and samples do not have
  unknown: keys that rules name, since samples have only hashes of keys
  unknown: 1 of 5 edges (no answer in time)
  unknown: 1 of 5 edges (no samples yet)
";
        assert_eq!(of_answer(&answer()), wanted);
    }

    #[test]
    fn where_nothing_is_known_it_says_why() {
        let mut nothing = answer();
        nothing["share"] = Value::Null;
        nothing["since"] = json!("2026-01-01T23:48:00Z");
        for field in ["transitions", "not_sampled"] {
            nothing[field] = json!([]);
        }
        nothing["names_keys"] = json!(false);
        nothing["edges"] = json!({"asked": 1, "answered": 1});
        let asked = "nobody asked for these flags in the samples of the last 12 min\n";
        assert_eq!(of_answer(&nothing), asked);
        nothing["edges"] = json!({"asked": 0, "answered": 0});
        assert_eq!(of_answer(&nothing), "not known: no edge could say\n");
    }

    #[test]
    fn shares_and_numbers_are_short() {
        let shares = [0.0, 0.000_05, 0.000_95, 0.031_8, 0.5, 1.0];
        assert_eq!(
            shares.map(percent),
            ["0", "0.005", "0.095", "3.2", "50", "100"]
        );
        let numbers = [json!(7), json!(412), json!(1_000), json!(1_234_567)];
        let numbers = numbers.each_ref().map(grouped);
        assert_eq!(numbers, ["7", "412", "1,000", "1,234,567"]);
    }
}
