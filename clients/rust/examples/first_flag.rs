//! Asks for a flag: `HALYARD_API_KEY=srv_… cargo run -p halyard --example first_flag -- https://edge.example.com new-checkout`.

#![expect(clippy::print_stdout, reason = "an example for the terminal")]

use std::{env, error::Error};

use halyard::{Client, Context};

#[tokio::main(flavor = "current_thread")]
#[expect(
    clippy::disallowed_methods,
    reason = "an example has no settings of its own"
)]
async fn main() -> Result<(), Box<dyn Error>> {
    let [_, edge, flag] = &env::args().collect::<Vec<_>>()[..] else {
        return Err("the address of an edge and the key of a flag are needed".into());
    };
    let key = env::var("HALYARD_API_KEY")?;

    // In the README from here …
    let client = Client::builder(key, edge).start().await?;
    let user = Context::builder("user-1").with("plan", "pro").build();
    let is_on = client.bool(flag, &user, false);
    println!("{flag} is {}", if is_on { "on" } else { "off" });
    client.close().await;
    // … to here.
    Ok(())
}
