//! What one strategy asks of contexts, before it is known which rules can say so.

use protocol::rule::Condition;

use super::{
    address,
    constraint::{self, Said, Understood},
    segments::Segments,
    shape::{Needs, Subject},
};
use crate::{
    plan::rules::{EVERYONE, condition, parts},
    unleash::wire::{self, Text},
};

/// A strategy, understood.
#[derive(Clone, Debug)]
pub(super) struct Understanding {
    pub(super) subject: Subject,
    /// Basis points of those who meet it.
    pub(super) percentage: i64,
    /// Whether nothing here means the same; then the percentage is 0.
    pub(super) is_unknown: bool,
    /// What decides who is among them.
    pub(super) dice: Dice,
    /// What differs.
    pub(super) said: Said,
    /// What differs in its segments, unless it refers to one.
    pub(super) of_segments: Said,
}

/// What a rollout hashes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Dice {
    pub(super) group: String,
    pub(super) stickiness: Stickiness,
}

/// The part of a context that is hashed. Under the default stickiness that is the user id, which contexts here always have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Stickiness {
    #[default]
    Key,
    Random,
    Attribute(String),
}

/// A strategy that becomes no rule, and why.
#[derive(Debug)]
pub(super) struct Dropped(pub(super) String);

/// Constraints of a strategy and its segments; Unleash itself allows 30 and 5 segments.
const MAX_CONSTRAINTS: usize = 1_000;

pub(super) fn understand(
    strategy: &wire::Strategy,
    flag: &str,
    segments: &Segments,
) -> Result<Understanding, Dropped> {
    let mut understanding = Understanding {
        subject: Subject::default(),
        percentage: EVERYONE,
        is_unknown: false,
        dice: Dice {
            group: flag.to_owned(),
            stickiness: Stickiness::Key,
        },
        said: Said::default(),
        of_segments: Said::default(),
    };
    understanding.read_name(strategy)?;
    understanding.read_constraints(strategy)?;
    understanding.read_segments(strategy, segments)?;
    Ok(understanding)
}

impl Understanding {
    pub(super) const fn is_partial(&self) -> bool {
        0 < self.percentage && self.percentage < EVERYONE
    }

    pub(super) const fn is_never(&self) -> bool {
        self.subject.own.never || self.subject.inlined.never
    }

    fn read_name(&mut self, strategy: &wire::Strategy) -> Result<(), Dropped> {
        let parameter = |name: &str| {
            strategy
                .parameters
                .get(name)
                .map(|Text(text)| text.as_str())
        };
        match strategy.name.as_str() {
            "default" => {}
            "userWithId" => match parameter("userIds") {
                Some(ids) => {
                    let ids = ids.split(',').map(str::trim);
                    if !ids.clone().all(constraint::is_readable) {
                        self.said.breaks.push("Unleash's engine cannot read its userIds, and serves the flag to nobody".to_owned());
                    }
                    self.require(condition("key", "in", ids));
                }
                None => self.subject.own.never = true,
            },
            "flexibleRollout" => {
                self.read_percentage(parameter("rollout"), Above::Refused)?;
                self.read_group(parameter("groupId"));
                self.read_stickiness(parameter("stickiness"))?;
            }
            "gradualRolloutUserId" => {
                self.read_percentage(parameter("percentage"), Above::Refused)?;
                self.read_old_group(parameter("groupId"));
            }
            "gradualRolloutSessionId" => {
                self.read_percentage(parameter("percentage"), Above::Refused)?;
                self.read_old_group(parameter("groupId"));
                self.stick_to("sessionId")?;
            }
            "gradualRolloutRandom" => {
                self.read_percentage(parameter("percentage"), Above::Everyone)?;
                self.dice.stickiness = Stickiness::Random;
            }
            "remoteAddress" => match parameter("IPs").map(address::listed) {
                Some(Some(addresses)) => self.require(addresses),
                Some(None) => self.stand_in(),
                None => self.subject.own.never = true,
            },
            _ => self.stand_in(),
        }
        Ok(())
    }

    /// The strategy stays visible, and serves nobody.
    fn stand_in(&mut self) {
        self.percentage = 0;
        self.is_unknown = true;
    }

    fn read_percentage(&mut self, text: Option<&str>, above: Above) -> Result<(), Dropped> {
        let text = text.unwrap_or_default();
        let hundredths =
            |number| parts(number, 100.0, 100.0).and_then(|parts| i64::try_from(parts).ok());
        self.percentage = match (
            text.parse::<u64>(),
            text.parse::<f64>().ok().and_then(hundredths),
        ) {
            (Ok(_), Some(percentage)) => percentage,
            (Ok(_), None) if above == Above::Everyone => EVERYONE,
            (Ok(_), None) => return Err(Dropped(format!("its percentage is {text}"))),
            (Err(_), Some(percentage)) => {
                if percentage > 0 {
                    self.said.differs.push(format!("a percentage of {text} is not a whole number, and reaches nobody in some of Unleash's SDKs"));
                }
                percentage
            }
            (Err(_), None) => 0,
        };
        Ok(())
    }

    fn read_group(&mut self, group: Option<&str>) {
        if let Some(group) = group {
            group.clone_into(&mut self.dice.group);
            if !constraint::is_readable_name(group) {
                self.said.breaks.push(
                    "Unleash's engine cannot read its groupId, and serves the flag to nobody"
                        .to_owned(),
                );
            }
        }
    }

    /// Strategies from before `flexibleRollout` need a group.
    fn read_old_group(&mut self, group: Option<&str>) {
        if group.is_none() && self.percentage > 0 {
            self.said
                .differs
                .push("it has no groupId, and reaches nobody in some of Unleash's SDKs".to_owned());
        }
        self.read_group(group);
    }

    fn read_stickiness(&mut self, stickiness: Option<&str>) -> Result<(), Dropped> {
        match stickiness {
            None | Some("default" | "userId") => {}
            Some("random") => self.dice.stickiness = Stickiness::Random,
            Some("") => self.said.differs.push(
                "its stickiness is empty, and it reaches nobody in some of Unleash's SDKs"
                    .to_owned(),
            ),
            Some(name) => self.stick_to(name)?,
        }
        Ok(())
    }

    /// Whoever does not have the attribute is reached by no percentage.
    fn stick_to(&mut self, name: &str) -> Result<(), Dropped> {
        match name {
            "key" => return Err(Dropped("an attribute called key cannot be told from the key of the context".to_owned())),
            "environment" | "appName" | "currentTime" => self.said.differs.push(format!(
                "{name}, its stickiness, is set by Unleash's SDKs; here it is an attribute that contexts must have"
            )),
            _ => {}
        }
        if !constraint::is_readable_name(name) {
            self.said.breaks.push(
                "Unleash's engine cannot read its stickiness, and serves the flag to nobody"
                    .to_owned(),
            );
        }
        self.dice.stickiness = Stickiness::Attribute(name.to_owned());
        self.require(condition(name, "exists", Vec::<String>::new()));
        Ok(())
    }

    fn require(&mut self, condition: Condition) {
        self.subject.own.require(condition);
    }

    fn read_constraints(&mut self, strategy: &wire::Strategy) -> Result<(), Dropped> {
        if strategy.constraints.len() > MAX_CONSTRAINTS {
            return Err(Dropped(format!(
                "it has more than {MAX_CONSTRAINTS} constraints"
            )));
        }
        for constraint in &strategy.constraints {
            let understood = constraint::understand(constraint);
            self.subject
                .own
                .add(understood, &mut self.said)
                .map_err(Dropped)?;
        }
        Ok(())
    }

    fn read_segments(
        &mut self,
        strategy: &wire::Strategy,
        segments: &Segments,
    ) -> Result<(), Dropped> {
        let mut ids = strategy.segments.clone();
        ids.sort_unstable();
        ids.dedup();
        let mut constraints = strategy.constraints.len();
        let mut found = Vec::new();
        for id in ids {
            let segment = segments
                .get(id)
                .ok_or_else(|| Dropped(format!("segment {id} is not known")))?;
            if let Some(why) = &segment.unknown {
                return Err(Dropped(format!(
                    "segment {:?} cannot be imported: {why}",
                    segment.name
                )));
            }
            constraints += segment.constraints;
            if constraints > MAX_CONSTRAINTS {
                return Err(Dropped(format!(
                    "it has more than {MAX_CONSTRAINTS} constraints"
                )));
            }
            self.subject.inlined.join(&segment.needs);
            self.of_segments.extend(segment.said.clone());
            // A segment that everybody meets asks for nothing.
            if segment.needs != Needs::default() {
                found.push(segment);
            }
        }
        if let [only] = found.as_slice() {
            self.subject.segment.clone_from(&only.key);
        }
        Ok(())
    }
}

/// What a percentage above 100 means.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Above {
    Refused,
    Everyone,
}

/// Only to keep the type of constraints in one place.
pub(super) fn understood(constraints: &[wire::Constraint]) -> Result<Vec<Understood>, String> {
    if constraints.len() > MAX_CONSTRAINTS {
        return Err(format!("it has more than {MAX_CONSTRAINTS} constraints"));
    }
    Ok(constraints.iter().map(constraint::understand).collect())
}
