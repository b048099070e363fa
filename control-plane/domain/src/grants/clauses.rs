//! Whether a grant allows a change, and which of its clauses does not.

use time::OffsetDateTime;

use super::{
    model::{Closed, Standing},
    moved::Moved,
};
use base::ids::UserId;

impl Standing {
    /// The clause that does not allow this change to this user; `None` if all do.
    pub(super) fn refuses(
        &self,
        moved: &Moved,
        flag_tags: &[String],
        user_id: UserId,
        now: OffsetDateTime,
    ) -> Option<Closed> {
        let grant = &self.grant;
        if let Some(closed) = self.closed(now) {
            return Some(closed);
        }
        if grant.given_by == user_id {
            return closed("given_by", "nobody uses a grant of their own giving");
        }
        if !grant.tags.is_empty() && !grant.tags.iter().any(|tag| flag_tags.contains(tag)) {
            let message = format!("the flag has none of the tags {}", grant.tags.join(", "));
            return closed("tags", message);
        }
        match *moved {
            Moved::Off if grant.kill => None,
            Moved::Off => closed(
                "kill",
                "it allows no switching off; the kill switch works without it",
            ),
            Moved::Otherwise(ref fields) => {
                let message = format!(
                    "grants are for percentages alone; this changes more of {}",
                    fields.join(", ")
                );
                closed("max_raise", message)
            }
            Moved::Percentages { raised, lowered } => {
                if let Some(closed) = self.out_of_hours() {
                    return Some(closed);
                }
                if lowered > 0 && !grant.lower {
                    return closed("lower", "it allows no lowering of percentages");
                }
                if raised > self.left {
                    return closed("max_raise", self.exceeded(raised));
                }
                None
            }
        }
    }

    /// What ends it for everybody.
    pub(super) fn closed(&self, now: OffsetDateTime) -> Option<Closed> {
        if self.is_orphaned {
            return closed("holder", "the access token that holds it has ended");
        }
        if !self.is_backed {
            return closed(
                "given_by",
                "whoever gave it may not approve changes any more",
            );
        }
        if self.grant.ends_at.is_some_and(|end| end <= now) {
            return closed("ends_at", "it has ended");
        }
        None
    }

    /// Days and hours that are not its own.
    pub(super) fn out_of_hours(&self) -> Option<Closed> {
        let hours = self.grant.hours.as_ref()?;
        let zone = &hours.time_zone;
        let Some(local) = self.local else {
            return closed("hours", format!("the time zone {zone} is not known"));
        };
        let day = local.weekday().to_string().to_lowercase();
        let time = format!("{:02}:{:02}", local.hour(), local.minute());
        // Times of one length are ordered as their texts are.
        if hours.days.contains(&day) && *hours.from <= *time && *time < *hours.until {
            return None;
        }
        let (from, until, days) = (&hours.from, &hours.until, hours.days.join(", "));
        let message =
            format!("it is {day}, {time} in {zone}: it allows from {from} until {until} on {days}");
        closed("hours", message)
    }

    fn exceeded(&self, raised: i32) -> String {
        let (raised, left) = (points(raised), points(self.left));
        let most = points(self.grant.max_raise);
        let seconds = self.grant.window_seconds;
        format!("this raises by {raised} points; {left} are left of {most} in {seconds} seconds")
    }
}

/// Basis points as percentage points.
fn points(basis_points: i32) -> String {
    let text = format!("{}.{:02}", basis_points / 100, basis_points % 100);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn closed(clause: &'static str, message: impl Into<String>) -> Option<Closed> {
    let message = message.into();
    Some(Closed { clause, message })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_written_as_people_do() {
        let written = [0, 1, 10, 100, 1_250, 10_000].map(points);
        assert_eq!(written, ["0", "0.01", "0.1", "1", "12.5", "100"]);
    }
}
