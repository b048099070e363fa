//! The page, followed to the letter on an empty machine: from its database to its end.

use super::{block, machine::Machine, settings_of_the_page};
use crate::package;

/// No balancer has to notice first that a process stops.
const HURRY: &str = "SHUTDOWN_DELAY=1s\n";

/// What the page says of one machine, with what it leaves to its reader.
fn settings() -> String {
    let database = "postgres://halyard:secret@127.0.0.1/halyard";
    let settings = settings_of_the_page();
    let settings = settings.replace("postgres://halyard:…@db/halyard", database);
    let settings = settings.replace("10.0.0.0/8", "127.0.0.1/32");
    let [first, second] = ["5d".repeat(32), "a7".repeat(32)];
    let settings = settings.replacen('…', &first, 1).replacen('…', &second, 1);
    assert!(!settings.contains('…'), "{settings}");
    settings + HURRY
}

/// Functions of `docs/first-flag.md`, over TLS, and a flag that is on.
const FIRST_FLAG: &str = r#"
field() { sed "s/.*\"$1\":\"\([^\"]*\)\".*/\1/"; }
send() {
  curl -sS --fail-with-body -X "$1" "https://api.example.com$2" -H "Authorization: Bearer $token" \
    -H 'Content-Type: application/json' -d "${3:-}"
}
sign_in() {
  token=$(curl -sS https://api.example.com/v1/auth/login -H 'Content-Type: application/json' \
    -d "{\"email\": \"ada@example.com\", \"password\": \"$(cat password)\"}" | field access_token)
}
ask() {
  curl -sS https://flags.example.com/v1/evaluate -H "X-API-Key: $(cat key)" -H 'Content-Type: application/json' \
    -d '{"flag_key": "new-checkout", "context": {"key": "user-1"}}'
}
"#;
const ON: &str =
    r#"{"flag_key":"new-checkout","value":true,"reason":"FALLTHROUGH","variant_key":""}"#;

#[test]
fn the_page_is_followed_on_an_empty_machine() {
    let Some(machine) = Machine::boot() else {
        return;
    };
    let [_, package] = package::made(machine.folder());
    let name = package.file_name().unwrap().to_str().unwrap();
    machine.run(&format!("cp /mnt/{name} ."));

    // PostgreSQL: a role that owns the database.
    machine.run(
        "cd / && su postgres -c \"psql -qc \\\"CREATE ROLE halyard LOGIN PASSWORD 'secret'\\\" -c 'CREATE DATABASE halyard OWNER halyard'\"",
    );

    // Hosts.
    machine.edits("halyard.env", &settings());
    machine.edits(
        "halyard-edge.env",
        &format!("EDGE_UPSTREAM=127.0.0.1:8443\nTRUSTED_PROXIES=127.0.0.1/32\n{HURRY}"),
    );
    let installed = machine.run(block("sh", "apt install"));
    let (_, password) = installed.split_once("\npassword ").expect(&installed);
    let password = password.split_whitespace().next().expect(&installed);
    machine.run(&format!("echo '{password}' >password"));
    for unit in ["halyard", "halyard-edge"] {
        let exposure = machine.run(&format!("systemd-analyze security --no-pager {unit}"));
        assert!(
            exposure.contains(&format!("{unit}.service: 1.1 OK")),
            "{exposure}"
        );
    }
    machine.run("halyard health && halyard-edge health");

    // TLS in front, by the file for nginx as the package has it: but for the second machine that it names.
    machine.run(
        "echo '127.0.0.1 api.example.com flags.example.com' >>/etc/hosts
         openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=example.com \
           -addext subjectAltName=DNS:api.example.com,DNS:flags.example.com -keyout /etc/halyard/tls.key -out /etc/halyard/tls.pem
         cp /etc/halyard/tls.pem /usr/local/share/ca-certificates/halyard.crt && update-ca-certificates
         sed /10[.]0[.]0[.]2/d /usr/share/doc/halyard/proxies/nginx.conf >/etc/nginx/nginx.conf && systemctl restart nginx",
    );
    machine.run(&format!(
        "{FIRST_FLAG}
         sign_in
         project=$(send GET /v1/projects | field id)
         environment=$(send GET /v1/projects/$project/environments?limit=1 | field id)
         send POST /v1/environments/$environment/api-keys '{{\"name\": \"shop\", \"type\": \"server\"}}' | field key >key
         send POST /v1/projects/$project/flags '{{\"key\": \"new-checkout\", \"name\": \"New checkout\"}}'
         send PUT /v1/projects/$project/flags/new-checkout/environments/$environment?wait=edges \
           '{{\"enabled\": true, \"default_value\": true}}'"
    ));
    let ask = format!("{FIRST_FLAG} ask");
    assert_eq!(machine.run(&ask), ON);

    // While a process restarts new connections wait, and none is refused.
    let restart = "systemctl restart --no-block halyard-edge
        for _ in $(seq 50); do curl -sS -o /dev/null -w '%{http_code} ' --max-time 20 http://127.0.0.1:8081/health; sleep 0.1; done";
    let answers = machine.run(restart);
    assert_eq!(answers.trim(), ["200"; 50].join(" "));
    machine.run("systemctl is-active halyard-edge");

    // A secret as a credential.
    machine.run(
        "grep '^APP_SECRET=' /etc/halyard/halyard.env | cut -d = -f 2 | tr -d '\\n' >/etc/halyard/app_secret
         sed -i /^APP_SECRET=/d /etc/halyard/halyard.env
         mkdir -p /etc/systemd/system/halyard.service.d
         printf '[Service]\\nLoadCredential=app_secret:/etc/halyard/app_secret\\nEnvironment=APP_SECRET_FILE=%%d/app_secret\\n' \
           >/etc/systemd/system/halyard.service.d/override.conf
         chmod 600 /etc/halyard/app_secret
         systemctl daemon-reload && systemctl restart halyard",
    );

    backups(&machine);
    assert_eq!(machine.run(&ask), ON);

    // An upgrade by the package, which restarts what runs.
    let before = machine.run("systemctl show --property MainPID halyard halyard-edge");
    machine.run(&format!("apt-get install -y --reinstall ./{name}"));
    machine.run(
        "while [ $(systemctl show --property ActiveState halyard halyard-edge | grep -c =active) != 2 ] ||
           [ -n \"$(systemctl list-jobs --no-legend)\" ]; do sleep 0.2; done",
    );
    let after = machine.run("systemctl show --property MainPID halyard halyard-edge");
    for (before, after) in before.lines().zip(after.lines()) {
        assert!(before.is_empty() || before != after, "{after}");
    }
    machine.run("set -a && . /etc/halyard/halyard.env && halyard migrate --check");
    assert_eq!(machine.run(&ask), ON);

    // A later identity is given to the user of the service.
    let enrolled = machine.run(
        "set -a && . /etc/halyard/halyard.env && export APP_SECRET_FILE=/etc/halyard/app_secret
         halyard edge enroll --name fra-2 --out fra-2 && rm -r /var/lib/halyard-edge/identity && cp -r fra-2 /var/lib/halyard-edge/identity
         chown -R --reference=/var/lib/halyard-edge/. /var/lib/halyard-edge/identity
         systemctl restart halyard-edge && curl -sS 127.0.0.1:9091/ready && halyard edge list",
    );
    assert!(enrolled.contains("\"link\":\"connected\""), "{enrolled}");

    roles(&machine);

    // For good: the edge serves on.
    machine.run("systemctl stop halyard.socket halyard");
    assert!(
        machine
            .try_run("curl -sS http://127.0.0.1:8080/health")
            .is_err()
    );
    assert_eq!(machine.run(&ask), ON);
    let removed =
        machine.run("apt-get purge -y halyard && ls /etc/halyard /var/lib/halyard-edge || true");
    assert!(
        removed.contains("'/var/lib/halyard-edge': No such file"),
        "{removed}"
    );
}

/// The page's two commands, and its drill: what was restored is served from a database of its own.
fn backups(machine: &Machine) {
    let commands = block("sh", "halyard backup");
    let recipient = machine.run("age-keygen -o key.txt 2>/dev/null && age-keygen -y key.txt");
    let (backup, restore) = commands.split_once('\n').expect("two commands");
    let told = machine.run(&format!(
        "set -a && . /etc/halyard/halyard.env && {}",
        backup.replace("age1…", recipient.trim())
    ));
    assert!(told.contains("bytes, complete and readable"), "{told}");
    let restore = restore.replace("halyard-2026-11-26.dump", "halyard-*.dump");
    let told = machine.run(&format!(
        "cd / && su postgres -c \"psql -qc 'CREATE DATABASE other OWNER halyard'\" && cd /root
         DATABASE_URL=postgres://halyard:secret@127.0.0.1/other {restore}"
    ));
    assert_eq!(told, "restored\n");
    machine.run("sed -i s#127.0.0.1/halyard#127.0.0.1/other# /etc/halyard/halyard.env && systemctl restart halyard");
    let flags = machine.run(&format!(
        "{FIRST_FLAG} sign_in; project=$(send GET /v1/projects | field id); send GET /v1/projects/$project/flags"
    ));
    assert!(flags.contains("\"key\":\"new-checkout\""), "{flags}");
}

/// The roles by the file that the package has: the service goes on with the one before, and then with its own; a board sees its
/// tables, and no others.
fn roles(machine: &Machine) {
    let passwords = ["halyard_service", "halyard_reader"]
        .map(|role| format!("ALTER ROLE {role} PASSWORD 'secret';"));
    std::fs::write(machine.folder().join("passwords.sql"), passwords.concat()).unwrap();
    machine.run(
        "cd / && su postgres -c 'psql -q1 --set ON_ERROR_STOP=1 other -f /usr/share/doc/halyard/roles.sql -f /mnt/passwords.sql'",
    );
    let make = |key: &str| {
        machine.run(&format!(
            "{FIRST_FLAG} sign_in; project=$(send GET /v1/projects | field id)
             send POST /v1/projects/$project/flags '{{\"key\": \"{key}\", \"name\": \"Role\"}}'"
        ))
    };
    make("role-before");
    machine.run(
        "sed -i s#//halyard:#//halyard_service:# /etc/halyard/halyard.env && systemctl restart halyard
         cd / && su postgres -c 'psql -qc \"REVOKE halyard_owner FROM halyard\"'",
    );
    make("role-after");
    let asks = |table: &str| {
        machine.try_run(&format!(
            "psql postgres://halyard_reader:secret@127.0.0.1/other -c 'SELECT count(*) FROM {table}'"
        ))
    };
    asks("organizations").unwrap();
    let refused = asks("users").unwrap_err();
    assert!(refused.contains("permission denied"), "{refused}");
}
