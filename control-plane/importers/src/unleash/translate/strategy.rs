//! What one strategy asks of contexts.

use std::net::Ipv4Addr;

use super::{constraint, segments::Segments};
use crate::{
    logic::{Expr, KEY},
    plan::{
        Remarks,
        copies::copy,
        rules::{EVERYONE, parts},
    },
    unleash::wire::{self, Text},
};

/// A strategy, understood.
#[derive(Clone, Debug)]
pub(super) struct Strategy {
    /// Who meets it, apart from the segment.
    pub(super) expr: Expr,
    /// The key of the only segment.
    pub(super) segment: Option<String>,
    /// Basis points of those who meet it.
    pub(super) percentage: i64,
    /// Whether nothing here means the same; then the percentage is 0.
    pub(super) is_unknown: bool,
    /// The group that a rollout hashes.
    pub(super) group: String,
    pub(super) stickiness: Stickiness,
}

/// The part of a context that a rollout hashes. Under the default stickiness that is the user id, which contexts here always have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Stickiness {
    #[default]
    Key,
    Random,
    Attribute(String),
}

impl Strategy {
    /// A strategy that every context meets.
    pub(super) fn of_everybody(flag: &str) -> Self {
        Self {
            expr: Expr::always(),
            segment: None,
            percentage: EVERYONE,
            is_unknown: false,
            group: flag.to_owned(),
            stickiness: Stickiness::Key,
        }
    }

    /// Says why not where a strategy becomes no rule.
    pub(super) fn read(
        strategy: &wire::Strategy,
        flag: &str,
        segments: &Segments,
        remarks: &mut Remarks,
    ) -> Result<Self, String> {
        let mut read = Self::of_everybody(flag);
        let mut needs = vec![read.read_name(strategy, remarks)?];
        needs.push(constraint::all(&strategy.constraints, remarks)?);
        needs.extend(read.read_segments(strategy, segments, remarks)?);
        read.expr = Expr::all(needs);
        Ok(read)
    }

    pub(super) const fn is_partial(&self) -> bool {
        0 < self.percentage && self.percentage < EVERYONE
    }

    fn read_name(
        &mut self,
        strategy: &wire::Strategy,
        remarks: &mut Remarks,
    ) -> Result<Expr, String> {
        let parameter = |name: &str| {
            strategy
                .parameters
                .get(name)
                .map(|Text(text)| text.as_str())
        };
        let percentage = |name: &str| parameter(name).unwrap_or_default();
        let group = parameter("groupId");
        let mut needs = Expr::always();
        match strategy.name.as_str() {
            "default" => {}
            "userWithId" => {
                let Some(ids) = parameter("userIds") else {
                    return Ok(Expr::never());
                };
                let ids = ids.split(',').map(str::trim);
                if !ids.clone().all(constraint::is_readable) {
                    unreadable("userIds", remarks);
                }
                needs = Expr::is(KEY, "in", ids);
            }
            "flexibleRollout" => {
                self.read_percentage(percentage("rollout"), remarks)?;
                self.read_group(group, remarks);
                match parameter("stickiness") {
                    None | Some("default" | "userId") => {}
                    Some("random") => self.stickiness = Stickiness::Random,
                    Some("") => remarks.approximate(
                        "its stickiness is empty, and it reaches nobody in some of Unleash's SDKs",
                    ),
                    Some(name) => needs = self.stick_to(name, remarks)?,
                }
            }
            name @ ("gradualRolloutUserId" | "gradualRolloutSessionId") => {
                self.read_percentage(percentage("percentage"), remarks)?;
                if group.is_none() && self.percentage > 0 {
                    remarks.approximate(
                        "it has no groupId, and reaches nobody in some of Unleash's SDKs",
                    );
                }
                self.read_group(group, remarks);
                if name == "gradualRolloutSessionId" {
                    needs = self.stick_to("sessionId", remarks)?;
                }
            }
            "gradualRolloutRandom" => {
                let text = percentage("percentage");
                if text.parse().is_ok_and(|number: u64| number > 100) {
                    self.percentage = EVERYONE;
                } else {
                    self.read_percentage(text, remarks)?;
                }
                self.stickiness = Stickiness::Random;
            }
            "remoteAddress" => {
                let Some(list) = parameter("IPs") else {
                    return Ok(Expr::never());
                };
                let addresses = list.split(',').map(str::trim);
                if addresses
                    .clone()
                    .all(|text| text.parse::<Ipv4Addr>().is_ok())
                {
                    needs = Expr::is("remoteAddress", "in", addresses);
                } else {
                    self.stand_in();
                }
            }
            _ => self.stand_in(),
        }
        Ok(needs)
    }

    /// The strategy stays visible, and serves no context.
    fn stand_in(&mut self) {
        self.percentage = 0;
        self.is_unknown = true;
    }

    fn read_percentage(&mut self, text: &str, remarks: &mut Remarks) -> Result<(), String> {
        let is_whole = text.parse::<u64>().is_ok();
        let number = text.parse().ok();
        let hundredths = number.and_then(|number| parts(number, 100.0, 100.0));
        self.percentage = match hundredths {
            Some(hundredths) => i64::try_from(hundredths).unwrap_or_default(),
            None if is_whole => return Err(format!("its percentage is {text}")),
            None => 0,
        };
        if !is_whole && self.percentage > 0 {
            remarks.approximate(format!(
                "a percentage of {text} is not a whole number, and reaches nobody in some of Unleash's SDKs"
            ));
        }
        Ok(())
    }

    fn read_group(&mut self, group: Option<&str>, remarks: &mut Remarks) {
        if let Some(group) = group {
            group.clone_into(&mut self.group);
            if !constraint::is_readable_name(group) {
                unreadable("groupId", remarks);
            }
        }
    }

    /// Contexts without the attribute are reached by no percentage.
    fn stick_to(&mut self, name: &str, remarks: &mut Remarks) -> Result<Expr, String> {
        match name {
            KEY => {
                return Err(
                    "an attribute called key cannot be told from the key of the context".to_owned(),
                );
            }
            "environment" | "appName" | "currentTime" => remarks.approximate(format!(
                "{name}, its stickiness, is set by Unleash's SDKs; here it is an attribute that contexts must have"
            )),
            _ => {}
        }
        if !constraint::is_readable_name(name) {
            unreadable("stickiness", remarks);
        }
        self.stickiness = Stickiness::Attribute(name.to_owned());
        Ok(Expr::present(name))
    }

    /// The constraints of its segments, unless there is one that a segment here stands for.
    fn read_segments(
        &mut self,
        strategy: &wire::Strategy,
        segments: &Segments,
        remarks: &mut Remarks,
    ) -> Result<Vec<Expr>, String> {
        let mut ids = strategy.segments.clone();
        ids.sort_unstable();
        ids.dedup();
        let mut found = Vec::new();
        for id in ids {
            let segment = segments
                .get(id)
                .ok_or_else(|| format!("segment {id} is not known"))?;
            let members = segment
                .members
                .as_ref()
                .map_err(|why| format!("segment {:?} cannot be imported: {why}", segment.name))?;
            // A segment of all contexts asks for nothing.
            if !members.is_always() {
                found.push((segment, members));
            }
        }
        if let [(only, _)] = found.as_slice()
            && only.key.is_some()
        {
            self.segment.clone_from(&only.key);
            return Ok(Vec::new());
        }
        for (segment, _) in &found {
            remarks.extend_at("", segment.remarks.clone());
        }
        Ok(found
            .into_iter()
            .filter_map(|(_, members)| copy(members))
            .collect())
    }
}

fn unreadable(parameter: &str, remarks: &mut Remarks) {
    remarks.approximate(format!(
        "Unleash's engine cannot read its {parameter}, and serves the flag to nobody"
    ));
}
