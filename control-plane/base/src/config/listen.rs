//! Where the control plane listens.

use std::{net::SocketAddr, path::PathBuf, time::Duration};

use serving::{listener::Limits, settings::Reader};

/// Addresses and time-outs of listeners.
#[derive(Clone, Debug)]
pub struct ListenSettings {
    /// `CONTROL_HTTP_ADDR`: the API; default `127.0.0.1:8080`.
    pub http: SocketAddr,
    /// `CONTROL_QUIC_ADDR`: edges, UDP; default `127.0.0.1:8443`.
    pub quic: SocketAddr,
    /// `CONTROL_ADMIN_ADDR`: metrics and probes; default `127.0.0.1:9090`.
    pub admin: SocketAddr,
    /// `ADDRESS_FILE`: where the addresses are written once all are bound; default none.
    pub address_file: Option<PathBuf>,
    /// `CONTROL_BUILTIN_EDGE`: whether the evaluation paths are served too; default `true`.
    pub builtin_edge: bool,
    /// `CONTROL_DASHBOARD`: whether the dashboard is served beside the API; default `true`.
    pub dashboard: bool,
    pub limits: Limits,
}

impl ListenSettings {
    pub fn load(reader: &mut Reader<'_>) -> Self {
        Self {
            http: reader.parse(
                "CONTROL_HTTP_ADDR",
                SocketAddr::from(([127, 0, 0, 1], 8080)),
            ),
            quic: quic_addr(reader),
            admin: reader.parse(
                "CONTROL_ADMIN_ADDR",
                SocketAddr::from(([127, 0, 0, 1], 9090)),
            ),
            address_file: reader.optional("ADDRESS_FILE").map(PathBuf::from),
            builtin_edge: reader.bool("CONTROL_BUILTIN_EDGE", true),
            dashboard: reader.bool("CONTROL_DASHBOARD", true),
            // Time for requests in flight to finish after the signal to stop.
            limits: Limits::load(reader, Duration::from_secs(7)),
        }
    }
}

/// `CONTROL_QUIC_ADDR`, which the command that enrolls an edge reads too.
pub fn quic_addr(reader: &mut Reader<'_>) -> SocketAddr {
    reader.parse(
        "CONTROL_QUIC_ADDR",
        SocketAddr::from(([127, 0, 0, 1], 8443)),
    )
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, path::Path};

    use super::*;

    fn load(pairs: &[(&str, &str)]) -> ListenSettings {
        let source: BTreeMap<String, String> = pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        let mut reader = Reader::new(&source);
        let settings = ListenSettings::load(&mut reader);
        reader.finish().unwrap();
        settings
    }

    #[test]
    fn addresses_are_written_where_a_file_is_named() {
        assert_eq!(load(&[]).address_file, None);
        let settings = load(&[("ADDRESS_FILE", "run/addresses")]);
        assert_eq!(
            settings.address_file.as_deref(),
            Some(Path::new("run/addresses"))
        );
    }
}
