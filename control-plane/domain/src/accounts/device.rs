//! The client of a sign-in.

use std::net::IpAddr;

#[derive(Clone, Debug)]
pub struct Device {
    pub ip: IpAddr,
    /// At most 200 characters.
    user_agent: Option<String>,
}

impl Device {
    pub fn new(ip: IpAddr, user_agent: Option<&str>) -> Self {
        let user_agent = user_agent.map(str::trim).filter(|text| !text.is_empty());
        Self {
            ip,
            user_agent: user_agent.map(|text| text.chars().take(200).collect()),
        }
    }

    pub fn user_agent(&self) -> Option<&str> {
        self.user_agent.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    #[test]
    fn what_a_client_says_that_it_is_is_cut_at_200_characters() {
        let device = |text: &str| Device::new(Ipv4Addr::LOCALHOST.into(), Some(text));
        let long = "ü".repeat(201);
        assert_eq!(device(&long).user_agent(), Some(&*"ü".repeat(200)));
        assert_eq!(device(" Firefox ").user_agent(), Some("Firefox"));
        assert_eq!(device(" ").user_agent(), None);
    }
}
