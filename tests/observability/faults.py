"""What record.py does to a fleet: each fault is begun, and ended at `yield`'s return."""

import asyncio
import contextlib
import re
import signal
import socket
import threading
import time
import uuid

from fleet import HOST, Forwarder, call, eventually


class Load:
    """A little of everything, until stopped: evaluations at all edges, reads, writes, sign-ups, and their mails and webhooks."""

    def __init__(self, fleet):
        self.fleet, self.stopping, self.hook_status, self.mail_is_away = fleet, threading.Event(), 200, False
        demo = fleet.demo
        dev = next(env for env in demo["environments"] if env["slug"] == "dev")
        self.key, self.state = (
            dev["api_key"],
            f"/v1/projects/{demo['project_id']}/flags/{demo['flag_key']}/environments/{dev['id']}",
        )
        for serve in self.serve_mail(), self.serve_hook():
            asyncio.run_coroutine_threadsafe(serve, Forwarder.loop).result()
        login = {"email": demo["email"], "password": demo["password"]}
        token = eventually(
            "a login", lambda: call("POST", fleet.url("control-1") + "/v1/auth/login", login)[1]["tokens"]["access_token"]
        )
        self.bearer = {"Authorization": f"Bearer {token}"}
        fleet.psql("UPDATE users SET email_verified = true").wait()
        fleet.halyard("org", "set-plan", demo["org_id"], "enterprise")
        self.manage("POST", "/v1/webhooks", {"name": "load", "url": f"http://{HOST}:{fleet.hook}/"})
        writers = [(3, self.write)] * 4
        for pause, work in [(0.1, self.evaluate), (0.3, self.read), (8, self.sign_up), *writers]:
            threading.Thread(target=self.repeat, args=(pause, work), daemon=True).start()

    def repeat(self, pause, work):
        while not self.stopping.wait(pause):
            with contextlib.suppress(OSError):
                work()

    def manage(self, method, path, body=None):
        """As behind a balancer, at the first control plane that takes it."""
        for name in "control-1", "control-2":
            status, answer = call(method, self.fleet.url(name) + path, body, **self.bearer)
            if status not in (0, 503) or name == "control-2":
                return status, answer

    def evaluate(self):
        for name in self.fleet.targets:
            if not name.startswith("control") and self.fleet.processes[name].child.poll() is None:
                body = {"flag_key": self.fleet.demo["flag_key"], "context": {"key": str(uuid.uuid4())}}
                call("POST", self.fleet.url(name) + "/v1/evaluate", body, X_API_Key=self.key)

    def read(self):
        self.manage("GET", f"/v1/projects/{self.fleet.demo['project_id']}/flags")
        if time.time() % 6 < 0.3:
            self.manage("GET", "/v1/scim/tokens")

    def write(self):
        self.manage("PUT", self.state, {"enabled": time.time_ns() % 2 == 0})

    def sign_up(self):
        address = f"{uuid.uuid4()}@example.com"
        body = {"email": address, "name": "Ada", "org_name": "Acme", "password": "Correct-Horse-Battery-7"}
        self.manage("POST", "/v1/auth/initiate-signup", body)

    async def serve_mail(self):
        async def converse(reader, writer):
            if self.mail_is_away:
                return writer.close()
            writer.write(b"220 ready\r\n")
            is_data = False
            with contextlib.suppress(OSError):
                while not self.mail_is_away and (line := await reader.readline()):
                    if is_data and line != b".\r\n":
                        continue
                    is_data = line.upper().startswith(b"DATA")
                    writer.write(b"354 go on\r\n" if is_data else b"250 done\r\n")
            writer.close()

        await asyncio.start_server(converse, HOST, self.fleet.mail)

    async def serve_hook(self):
        async def answer(reader, writer):
            with contextlib.suppress(OSError, asyncio.IncompleteReadError):
                head = await reader.readuntil(b"\r\n\r\n")
                length = next(
                    int(line.split(b":")[1]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length")
                )
                await reader.readexactly(length)
                writer.write(b"HTTP/1.1 %d Done\r\nContent-Length: 0\r\nConnection: close\r\n\r\n" % self.hook_status)
                await writer.drain()
            writer.close()

        await asyncio.start_server(answer, HOST, self.fleet.hook)


def leader(fleet):
    return fleet.query("query", query="halyard_leads == 1")[0]["metric"]["instance"]


@contextlib.contextmanager
def killed(fleet, *names):
    for name in names:
        fleet.processes[name].kill()
    yield
    for name in names:
        fleet.start(name)


@contextlib.contextmanager
def frozen(fleet, name):
    fleet.processes[name].signal(signal.SIGSTOP)
    yield
    fleet.processes[name].signal(signal.SIGCONT)


@contextlib.contextmanager
def cut(fleet, *names):
    for name in names:
        fleet.lines[name].cut()
    yield
    for name in names:
        fleet.lines[name].cut(False)


@contextlib.contextmanager
def lines_slow(fleet, _load):
    """Those of three edges: 3 s each way."""
    lines = [line for name, line in fleet.lines.items() if " to " in name]
    for line in lines:
        line.delay = 3
    yield
    for line in lines:
        line.delay = 0


@contextlib.contextmanager
def locked(fleet, *statements):
    """Locks of the database that one session holds."""
    session = fleet.psql("; ".join(["BEGIN", *statements, "SELECT pg_sleep(600)"]))
    yield
    fleet.psql(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(600)%' AND pid <> pg_backend_pid()"
    ).wait()
    session.wait()


@contextlib.contextmanager
def nothing(_fleet, _load):
    yield


def quiet(fleet, load):
    return nothing(fleet, load)


def replica_loses_database(fleet, _load):
    return cut(fleet, "control-2")


def database_stopped(fleet, _load):
    return cut(fleet, "control-1", "control-2")


def database_locked(fleet, _load):
    return locked(fleet, f"SELECT 1 FROM projects WHERE id = '{fleet.demo['project_id']}' FOR UPDATE")


def leader_killed(fleet, _load):
    return killed(fleet, leader(fleet))


def leader_frozen(fleet, _load):
    return frozen(fleet, leader(fleet))


def relay_frozen(fleet, _load):
    return frozen(fleet, "relay-1")


def control_planes_killed(fleet, _load):
    return killed(fleet, "control-1", "control-2")


def edge_killed(fleet, _load):
    return killed(fleet, "edge-1")


def unscraped_edge_killed(fleet, _load):
    return killed(fleet, "far-1")


def edge_cut_off(fleet, _load):
    return cut(fleet, "edge-2 to control-1", "edge-2 to control-2")


@contextlib.contextmanager
def edge_revoked(fleet, _load):
    fleet.halyard("edge", "revoke", "edge-1")
    yield
    fleet.processes["edge-1"].kill()
    fleet.enroll("edge-1")
    fleet.start("edge-1")


@contextlib.contextmanager
def edge_disk_full(fleet, _load):
    ballast = fleet.folder / "edge-1-cache/ballast"
    with contextlib.suppress(OSError), ballast.open("wb", buffering=0) as file:
        while file.write(bytes(4096)) == 4096:
            pass
    yield
    ballast.unlink()


@contextlib.contextmanager
def edge_full(fleet, load):
    """Of event streams, which a small limit of open files bounds."""
    process = fleet.processes["edge-1"]
    command = process.command
    process.kill()
    process.command = ["prlimit", "--nofile=1400", *command]
    fleet.start("edge-1")
    address = HOST, fleet.targets["edge-1"]["http"]
    request = f"GET /v1/stream/dev HTTP/1.1\r\nHost: edge\r\nX-API-Key: {load.key}\r\n\r\n".encode()
    with contextlib.ExitStack() as stack:
        while not re.search(r"halyard_edge_load_ratio (0.9|1)", call("GET", fleet.url("edge-1", "admin") + "/metrics")[1]):
            for _ in range(50):
                stack.enter_context(socket.create_connection(address)).send(request)
            time.sleep(1)
        yield
    process.kill()
    process.command = command
    fleet.start("edge-1")


@contextlib.contextmanager
def clock_ahead(fleet, _load):
    """Of the one that does not lead, by 10 s (libfaketime)."""
    name = next(name for name in ("control-1", "control-2") if name != leader(fleet))
    process = fleet.processes[name]
    process.kill()
    process.start(LD_PRELOAD=str(fleet.faketime), FAKETIME="+10s", FAKETIME_DONT_FAKE_MONOTONIC="1")
    yield
    process.kill()
    fleet.start(name)


@contextlib.contextmanager
def environment_too_large(fleet, _load):
    """More than a message may hold, as no write would be accepted."""

    def resize(length):
        fleet.psql(
            f"""WITH drawn AS (UPDATE projects SET version = version + 1 WHERE id = '{fleet.demo['project_id']}' RETURNING id, version),
            touched AS (UPDATE environments SET version = drawn.version, changed_in = pg_current_xact_id() FROM drawn WHERE project_id = drawn.id)
            UPDATE flags SET mutual_exclusion_group = repeat('x', {length}), changed_version = drawn.version FROM drawn WHERE project_id = drawn.id"""
        ).wait()

    resize(70 << 20)
    yield
    resize(0)


@contextlib.contextmanager
def mail_server_away(_fleet, load):
    load.mail_is_away = True
    yield
    load.mail_is_away = False


@contextlib.contextmanager
def webhook_failing(_fleet, load):
    load.hook_status = 500
    yield
    load.hook_status = 200


def usage_locked(fleet, _load):
    return locked(fleet, "LOCK TABLE usage_reports IN ACCESS EXCLUSIVE MODE")


def job_locked(fleet, _load):
    return locked(fleet, "LOCK TABLE webhook_queue IN ACCESS EXCLUSIVE MODE")


@contextlib.contextmanager
def table_missing(fleet, _load):
    """As after a migration by hand that went wrong."""
    fleet.psql("ALTER TABLE scim_tokens RENAME TO gone").wait()
    yield
    fleet.psql("ALTER TABLE gone RENAME TO scim_tokens").wait()


@contextlib.contextmanager
def contents_changed(fleet, _load):
    """By hand, without a version, while no control plane runs: as if other data had been loaded."""
    with killed(fleet, "control-1", "control-2"):
        fleet.psql("UPDATE flag_states SET default_value = 'false'").wait()
    yield


def failed_over(fleet, _load):
    return fleet.failed_over()
