//! `halyard-edge`: runs an edge, or probes a running one.

use std::{ffi::OsString, net::UdpSocket, process::ExitCode};

use anyhow::anyhow;
use clap::{Parser, Subcommand};
use edge_node::{
    config::{self, Config},
    process::{self, Listeners},
};
use serving::{
    address_file, admin,
    binding::{Binding, CannotListen},
    build,
    error::chain,
    leaving::{Leaving, Signals},
    open_files,
    settings::{ProcessVariables, Reader, Source},
    telemetry::{self, TelemetrySettings},
};
use tokio_util::sync::CancellationToken;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Answers SDK traffic from snapshots that a Halyard control plane pushes, or from files. Settings are environment variables.
#[derive(Parser)]
#[command(
    name = "halyard-edge",
    version = build::text(),
    after_help = "EDGE_UPSTREAM and EDGE_IDENTITY must be set, or --flags given. docs/settings.md has every setting, docs/edges.md how to begin."
)]
struct Arguments {
    /// Serve the flags of this folder or file, without a control plane (EDGE_FLAGS)
    #[arg(long, value_name = "PATH")]
    flags: Option<OsString>,
    /// The environment whose flags are served, by its slug (EDGE_FLAGS_ENV); by default the only one
    #[arg(long, value_name = "SLUG")]
    env: Option<OsString>,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Asks the edge on this machine whether it runs; for containers.
    Health,
}

/// The settings: arguments win over variables.
struct Given {
    flags: Option<OsString>,
    env: Option<OsString>,
}

impl Source for Given {
    fn get(&self, name: &str) -> Option<OsString> {
        let given = match name {
            "EDGE_FLAGS" => self.flags.clone(),
            "EDGE_FLAGS_ENV" => self.env.clone(),
            _ => None,
        };
        given.or_else(|| ProcessVariables.get(name))
    }
}

fn main() -> ExitCode {
    build::set(serving::this_build!());
    let arguments = Arguments::parse();
    let done = match arguments.command {
        None => match Config::load(&Given {
            flags: arguments.flags,
            env: arguments.env,
        }) {
            Ok((config, telemetry)) => serve(config, telemetry),
            Err(problems) => {
                report(&problems);
                return ExitCode::from(2); // as shells do for wrong usage
            }
        },
        Some(Command::Health) => probe(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            report(&chain(error.as_ref()));
            ExitCode::FAILURE
        }
    }
}

#[tokio::main]
async fn serve(config: Config, settings: TelemetrySettings) -> anyhow::Result<()> {
    rustls::crypto::aws_lc_rs::default_provider()
        .install_default()
        .map_err(|_| anyhow!("another TLS provider is installed already"))?;
    let (metrics, export) = telemetry::install(settings)?;
    let open_files = open_files::raise_limit();

    let listeners = bind(&config).await?;
    let http = listeners.http.local_addr()?;
    let admin = listeners.admin.local_addr()?;
    let relay = listeners.relay.as_ref().map(UdpSocket::local_addr);
    let relay = relay.transpose()?;
    if let Some(file) = &config.address_file {
        let mut addresses = vec![("http", http), ("admin", admin)];
        addresses.extend(relay.map(|relay| ("relay", relay)));
        address_file::write(file, &addresses)?;
    }
    let relay = relay.map(tracing::field::display);
    tracing::info!(%http, %admin, relay, open_files, "edge listening");

    let stop = CancellationToken::new();
    let leaving = Leaving::before(&stop);
    let signals = Signals::catch()?;
    let (delay, left, signalled) = (config.shutdown_delay, leaving.clone(), stop.clone());
    tokio::spawn(async move {
        signals.until_stop(&left, delay).await;
        signalled.cancel();
    });
    let served = process::run(config, listeners, metrics, leaving, stop).await;
    export.stop().await;
    tracing::info!("stopped");
    Ok(served?)
}

async fn bind(config: &Config) -> Result<Listeners, CannotListen> {
    let mut binding = Binding::new(&ProcessVariables);
    let http_is_passed = binding.is_passed("http");
    let http = binding.tcp("http", "EDGE_HTTP_ADDR", config.http_addr);
    let http = http.await;
    let admin = binding.tcp("admin", "EDGE_ADMIN_ADDR", config.admin_addr);
    let admin = admin.await;
    let relay = match config.from.relay_addr() {
        Some(address) => binding.udp("relay", "EDGE_RELAY_ADDR", address).map(Some),
        None => Some(None),
    };
    let bound = http.zip(admin).zip(relay);
    binding.finish(bound.map(|((http, admin), relay)| Listeners {
        http,
        http_is_passed,
        admin,
        relay,
    }))
}

#[tokio::main(flavor = "current_thread")]
async fn probe() -> anyhow::Result<()> {
    let mut reader = Reader::new(&ProcessVariables);
    let address = config::admin_addr(&mut reader);
    reader.finish()?;
    Ok(admin::probe(address, "/health").await?)
}

#[expect(
    clippy::print_stderr,
    reason = "logging is set up by the settings that could not be used"
)]
fn report(message: &dyn std::fmt::Display) {
    eprintln!("halyard-edge: {message}");
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn help_names_the_pages_that_explain_the_settings() {
        let help = Arguments::command().render_help().to_string();
        for page in ["docs/settings.md", "docs/edges.md"] {
            assert!(help.contains(page), "{help}");
        }
    }
}
