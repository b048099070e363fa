//! Settings of webhooks.

use std::time::Duration;

use ipnet::IpNet;
use serving::settings::{
    Reader, parse_duration,
    spans::{DAY, MILLISECOND, MINUTE},
};

const WAITS: [Duration; 3] = [
    Duration::from_secs(1),
    Duration::from_secs(4),
    Duration::from_secs(9),
];
/// More would delay a webhook's other events indefinitely.
const MAX_WAITS: usize = 10;

#[derive(Clone, Debug)]
pub struct WebhookSettings {
    /// `WEBHOOK_TIMEOUT`: how long one attempt may take, from the look-up of the name to the end of the answer; default `10s`.
    pub timeout: Duration,
    /// `WEBHOOK_RETRY_WAITS`: the wait before each attempt; their number is that of the attempts; default `1s,4s,9s`.
    pub waits: Vec<Duration>,
    /// `WEBHOOK_QUEUE_SIZE`: pending events of one webhook at most; default 256.
    pub queue_size: u32,
    /// `WEBHOOK_ALLOWED_CIDRS`: non-public address ranges that webhooks may have; default none.
    pub allowed: Vec<IpNet>,
}

impl WebhookSettings {
    pub fn load(reader: &mut Reader<'_>) -> Self {
        let timeout = reader.duration(
            "WEBHOOK_TIMEOUT",
            Duration::from_secs(10),
            MILLISECOND..=10 * MINUTE,
        );
        let queue_size = reader.parse("WEBHOOK_QUEUE_SIZE", 256);
        if !(1..=10_000).contains(&queue_size) {
            reader.problem("WEBHOOK_QUEUE_SIZE", "must be 1 to 10000");
        }
        Self {
            timeout,
            waits: waits(reader),
            queue_size,
            allowed: reader.list("WEBHOOK_ALLOWED_CIDRS").unwrap_or_default(),
        }
    }

    /// The wait before the first attempt, counted from the change.
    pub fn first_wait(&self) -> time::Duration {
        self.wait_before(0).unwrap_or_default()
    }

    /// The wait before the next attempt after `attempts`; `None` if that was the last.
    pub fn wait_before(&self, attempts: i32) -> Option<time::Duration> {
        let wait = self.waits.get(usize::try_from(attempts).ok()?)?;
        Some((*wait).try_into().unwrap_or(time::Duration::MAX))
    }
}

fn waits(reader: &mut Reader<'_>) -> Vec<Duration> {
    const NAME: &str = "WEBHOOK_RETRY_WAITS";
    let Some(texts) = reader.list::<String>(NAME) else {
        return WAITS.to_vec();
    };
    let wait = |text: &String| parse_duration(text).filter(|wait| *wait <= DAY);
    let waits: Option<Vec<_>> = texts.iter().map(wait).collect();
    match waits {
        Some(waits) if (1..=MAX_WAITS).contains(&waits.len()) => waits,
        _ => {
            reader.problem(
                NAME,
                "expected 1 to 10 durations such as 1s,4s,9s, of at most 1d",
            );
            WAITS.to_vec()
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn load(pairs: &[(&str, &str)]) -> Result<WebhookSettings, String> {
        let source: BTreeMap<String, String> = pairs
            .iter()
            .map(|&(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let mut reader = Reader::new(&source);
        let settings = WebhookSettings::load(&mut reader);
        reader.finish().map_err(|problems| problems.to_string())?;
        Ok(settings)
    }

    #[test]
    fn there_are_as_many_attempts_as_waits() {
        let settings = load(&[]).unwrap();
        let waits = [0, 1, 2, 3, -1].map(|attempts| settings.wait_before(attempts));
        let seconds = |number| Some(time::Duration::seconds(number));
        assert_eq!(waits, [seconds(1), seconds(4), seconds(9), None, None]);
        let settings = load(&[("WEBHOOK_RETRY_WAITS", "0, 500ms")]).unwrap();
        assert_eq!(settings.first_wait(), time::Duration::ZERO);
        assert_eq!(settings.wait_before(2), None);
    }

    #[test]
    fn what_cannot_be_used_is_named() {
        let many = ["1s"; 11].join(",");
        for (name, value) in [
            ("WEBHOOK_RETRY_WAITS", "soon"),
            ("WEBHOOK_RETRY_WAITS", "1s,25h"),
            ("WEBHOOK_RETRY_WAITS", ","),
            ("WEBHOOK_RETRY_WAITS", &many),
            ("WEBHOOK_TIMEOUT", "0"),
            ("WEBHOOK_TIMEOUT", "11m"),
            ("WEBHOOK_QUEUE_SIZE", "0"),
            ("WEBHOOK_QUEUE_SIZE", "10001"),
            ("WEBHOOK_ALLOWED_CIDRS", "10.0.0.0/33"),
        ] {
            let problems = load(&[(name, value)]).unwrap_err();
            assert!(problems.contains(name), "{problems}");
        }
    }
}
