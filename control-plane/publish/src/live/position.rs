//! The position of a stream: a snapshot of the database, and its history.
//!
//! Transactions commit in another order than they begin, so a number is not enough. A snapshot sees all transactions below its
//! `xmin`, and those below its `xmax` that were not running. Of two snapshots of one history the later one sees all that the
//! earlier one sees.
//!
//! Numbers of transactions would disclose how much all tenants write together, so clients receive positions sealed; they cannot
//! be compared or forged.

use std::{fmt, str::FromStr};

use uuid::Uuid;

use base::sealing::Sealer;

/// Longest text of a position that is parsed.
const MAX_LENGTH: usize = 16 * 1024;

/// The visible transactions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Snapshot {
    /// All transactions below are visible.
    xmin: u64,
    /// No transaction from here on is visible.
    xmax: u64,
    /// Invisible transactions in between, in ascending order.
    running: Vec<u64>,
}

#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("not a snapshot")]
pub(super) struct NoSnapshot;

impl Snapshot {
    /// Whether a transaction's writes are visible.
    pub(super) fn sees(&self, transaction: u64) -> bool {
        transaction < self.xmin
            || (transaction < self.xmax && self.running.binary_search(&transaction).is_err())
    }

    /// Whether `later` was taken after it, or at the same time, as far as can be determined.
    pub(super) const fn is_before(&self, later: &Self) -> bool {
        self.xmin <= later.xmin && self.xmax <= later.xmax
    }
}

/// As Postgres writes `pg_snapshot`.
impl fmt::Display for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:", self.xmin, self.xmax)?;
        for (place, transaction) in self.running.iter().enumerate() {
            let comma = if place == 0 { "" } else { "," };
            write!(f, "{comma}{transaction}")?;
        }
        Ok(())
    }
}

impl FromStr for Snapshot {
    type Err = NoSnapshot;

    fn from_str(text: &str) -> Result<Self, NoSnapshot> {
        let mut parts = text.split(':');
        let (Some(xmin), Some(xmax), Some(running), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(NoSnapshot);
        };
        let (xmin, xmax) = (number(xmin)?, number(xmax)?);
        let running = running.split(',').filter(|_| !running.is_empty());
        let running: Vec<u64> = running.map(number).collect::<Result<_, _>>()?;
        let is_between = |one: &u64| (xmin..xmax).contains(one);
        let is_sound = xmin > 0
            && xmin <= xmax
            // More never run at once.
            && running.len() <= 4_096
            && running.iter().all(is_between)
            && running.is_sorted_by(|one, next| one < next);
        if is_sound {
            Ok(Self {
                xmin,
                xmax,
                running,
            })
        } else {
            Err(NoSnapshot)
        }
    }
}

/// Parses digits without sign or blanks, in the range that Postgres accepts in a snapshot.
fn number(text: &str) -> Result<u64, NoSnapshot> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let number = text.parse().map_err(|_| NoSnapshot)?;
    let is_read = is_number && i64::try_from(number).is_ok();
    is_read.then_some(number).ok_or(NoSnapshot)
}

/// The `id:` of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Position {
    pub(super) snapshot: Snapshot,
    /// Numbers of transactions are comparable only within one history of the database.
    pub(super) history: Option<Uuid>,
}

impl Position {
    pub(super) fn sealed(&self, sealer: &Sealer) -> String {
        hex::encode(sealer.seal(self.to_string().as_bytes()))
    }

    /// Opens a client's position; `None` if it is forged, or sealed with another secret.
    pub(super) fn open(text: &str, sealer: &Sealer) -> Result<Self, NoSnapshot> {
        if text.len() > MAX_LENGTH {
            return Err(NoSnapshot);
        }
        let sealed = hex::decode(text).map_err(|_| NoSnapshot)?;
        let plain = sealer.open(&sealed).map_err(|_| NoSnapshot)?;
        str::from_utf8(&plain).map_err(|_| NoSnapshot)?.parse()
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let history = self.history.unwrap_or_default();
        write!(f, "{}/{}", self.snapshot, history.simple())
    }
}

impl FromStr for Position {
    type Err = NoSnapshot;

    fn from_str(text: &str) -> Result<Self, NoSnapshot> {
        let parts = text.split_once('/');
        let (snapshot, history) = parts.ok_or(NoSnapshot)?;
        let history = Uuid::try_parse(history).map_err(|_| NoSnapshot)?;
        Ok(Self {
            snapshot: snapshot.parse()?,
            history: Some(history).filter(|history| !history.is_nil()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::sealing::purpose;

    fn snapshot(text: &str) -> Snapshot {
        text.parse().unwrap()
    }

    #[test]
    fn a_snapshot_sees_what_was_committed_when_it_was_taken() {
        let snapshot = snapshot("100:105:100,103");
        let seen: Vec<_> = (98..107).filter(|one| snapshot.sees(*one)).collect();
        assert_eq!(seen, [98, 99, 101, 102, 104]);
        assert_eq!(snapshot.to_string(), "100:105:100,103");
    }

    #[test]
    fn what_postgres_would_not_take_is_no_snapshot() {
        for text in [
            "",
            ":",
            "::",
            "1:2",
            "0:1:",
            "2:1:",
            "1:2:2",
            "1:5:3,2",
            "1:5:2,2",
            "1:5:2,",
            "1:5:,",
            "+1:2:",
            " 1:2:",
            "1:2:1:",
            "a:b:c",
            "1:99999999999999999999:",
            "9223372036854775807:9223372036854775808:",
            "18446744073709551615:18446744073709551615:",
        ] {
            assert!(text.parse::<Snapshot>().is_err(), "{text}");
        }
        assert_eq!(snapshot("5:5:").to_string(), "5:5:");
    }

    #[test]
    fn a_later_snapshot_is_told_from_an_earlier_one() {
        let (earlier, later) = (snapshot("5:7:5"), snapshot("6:9:6,8"));
        assert!(earlier.is_before(&later));
        assert!(earlier.is_before(&earlier));
        assert!(!later.is_before(&earlier));
    }

    #[test]
    fn a_position_is_read_as_it_was_written() {
        for text in [
            "5:7:5/00000000000000000000000000000000",
            "5:5:/4f1d9bd28e0b4c579a430d4f0c6c4f0e",
        ] {
            assert_eq!(text.parse::<Position>().unwrap().to_string(), text);
        }
        for text in ["5:5:", "5:5:/x", "x/00000000000000000000000000000000"] {
            assert!(text.parse::<Position>().is_err());
        }
    }

    fn sealer(secret: &str) -> Sealer {
        Sealer::new(&secret.into(), purpose::LIVE)
    }

    #[test]
    fn a_client_holds_a_position_that_says_nothing_and_is_another_each_time() {
        let text = "5:5:/4f1d9bd28e0b4c579a430d4f0c6c4f0e";
        let position: Position = text.parse().unwrap();
        let (one, other) = (sealer("secret"), sealer("secret"));
        let [first, second] = [position.sealed(&one), position.sealed(&one)];
        assert_ne!(first, second);
        assert!(!first.contains(':'));
        for held in [&first, &second] {
            assert_eq!(Position::open(held, &other).unwrap(), position);
        }
    }

    #[test]
    fn what_was_not_sealed_with_the_secret_or_is_too_long_is_no_position() {
        let position: Position = "5:5:/4f1d9bd28e0b4c579a430d4f0c6c4f0e".parse().unwrap();
        let held = position.sealed(&sealer("secret"));
        assert!(Position::open(&held, &sealer("another")).is_err());
        for text in [
            "",
            "nonsense",
            "5:5:/4f1d9bd28e0b4c579a430d4f0c6c4f0e",
            &held[..held.len() - 4],
            &"A".repeat(MAX_LENGTH + 4),
        ] {
            assert!(Position::open(text, &sealer("secret")).is_err());
        }
    }
}
