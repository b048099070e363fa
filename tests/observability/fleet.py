"""A small installation of real processes: PostgreSQL, two control planes, a relay, edges, and a Prometheus that scrapes them.

Control planes reach the database, and edges the control planes, through forwarders of this process, which can be cut.
"""

import asyncio
import contextlib
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
HOST = "127.0.0.1"


def free_port(kind=socket.SOCK_STREAM):
    with socket.socket(socket.AF_INET, kind) as probe:
        probe.bind((HOST, 0))
        return probe.getsockname()[1]


def eventually(what, attempt, patience=60):
    """Waits until `attempt` returns something true."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        try:
            if found := attempt():
                return found
        except (OSError, ValueError):
            pass
        time.sleep(0.2)
    raise TimeoutError(what)


def call(method, url, body=None, **headers):
    """The status and the JSON of an answer; 0 without one."""
    data = None if body is None else json.dumps(body).encode()
    headers = {name.replace("_", "-"): value for name, value in headers.items()} | {"Content-Type": "application/json"}
    request = urllib.request.Request(url, data, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            text = answer.read()
            return answer.status, json.loads(text) if text[:1] in b"{[" else text.decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()
    except OSError as error:
        return 0, str(error)


class Process:
    """A program that can be killed, suspended and started again with the same settings."""

    def __init__(self, folder, name, command, settings=None):
        self.name, self.command, self.log = name, command, folder / f"{name}.log"
        self.settings = {**os.environ, **(settings or {})}
        self.child = None

    def start(self, **more):
        with self.log.open("ab") as log:
            self.child = subprocess.Popen(self.command, env=self.settings | more, stdout=log, stderr=log)

    def signal(self, number):
        self.child.send_signal(number)

    def kill(self):
        if self.child:
            self.child.kill()
            self.child.wait()


class Forwarder:
    """Passes TCP connections or UDP packets to a port, unless it is cut; the latter after a delay in seconds."""

    loop = asyncio.new_event_loop()

    def __init__(self, kind, target):
        self.target, self.is_cut, self.delay, self.open = target, False, 0, set()
        self.port = free_port(socket.SOCK_DGRAM if kind == "udp" else socket.SOCK_STREAM)
        serve = self.serve_udp if kind == "udp" else self.serve_tcp
        asyncio.run_coroutine_threadsafe(serve(), self.loop).result()

    def cut(self, is_cut=True):
        self.is_cut = is_cut
        for writer in list(self.open):
            self.loop.call_soon_threadsafe(writer.close)

    async def serve_tcp(self):
        await asyncio.start_server(self.pass_on, HOST, self.port)

    async def pass_on(self, reader, writer):
        if self.is_cut:
            return writer.close()
        try:
            there, back = await asyncio.open_connection(HOST, self.target)
        except OSError:
            return writer.close()
        self.open |= {writer, back}
        await asyncio.gather(self.copy(reader, back), self.copy(there, writer))
        self.open -= {writer, back}

    @staticmethod
    async def copy(reader, writer):
        try:
            while data := await reader.read(1 << 16):
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        writer.close()

    async def serve_udp(self):
        front, backs = self.socket(), {}
        front.bind((HOST, self.port))

        def receive():
            data, client = front.recvfrom(1 << 16)
            if client not in backs:
                back = backs[client] = self.socket()
                back.connect((HOST, self.target))
                self.loop.add_reader(back, lambda: answer(back, client))
            self.send(backs[client].send, data)

        def answer(back, client):
            try:
                self.send(front.sendto, back.recv(1 << 16), client)
            except OSError:
                pass

        self.loop.add_reader(front, receive)

    @staticmethod
    def socket():
        made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        made.setblocking(False)
        return made

    def send(self, by, *packet):
        if self.delay:
            self.loop.call_later(self.delay, self.send_now, by, *packet)
        else:
            self.send_now(by, *packet)

    def send_now(self, by, *packet):
        if not self.is_cut:
            try:
                by(*packet)
            except OSError:
                pass


class Fleet:
    """All of it, below a folder."""

    def __init__(self, folder, programs, prometheus):
        threading.Thread(target=Forwarder.loop.run_forever, daemon=True).start()
        self.folder, self.programs, self.processes, self.targets = folder, programs, {}, {}
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self.database = self.dev("postgres", "start", str(folder / "postgres"), "--fast").split()[-1]
        database = urllib.parse.urlsplit(self.database)
        self.psql_program = next(pathlib.Path("/usr/lib/postgresql").glob("*/bin/psql"))
        self.lines = {}
        self.mail, self.hook = free_port(), free_port()
        for name in ("control-1", "control-2"):
            line = self.lines[name] = Forwarder("tcp", database.port)
            self.control(name, self.database.replace(f":{database.port}/", f":{line.port}/"))
        self.demo = json.loads(self.halyard("seed"))
        self.quic = [self.targets[name]["quic"] for name in ("control-1", "control-2")]
        self.relay_port = free_port(socket.SOCK_DGRAM)
        self.edge("relay-1", self.quic, "--relay", EDGE_RELAY_ADDR=f"{HOST}:{self.relay_port}")
        # A disk of its own, for what happens when it cannot be written.
        disk = folder / "edge-1-cache"
        disk.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "halyard-cache", disk], check=True)
        for name in ("edge-1", "edge-2", "far-1"):
            lines = {f"{name} to control-{at}": Forwarder("udp", port) for at, port in enumerate(self.quic, 1)}
            self.lines |= lines
            self.edge(name, [line.port for line in lines.values()])
        self.edge("edge-3", [self.relay_port, *self.quic])
        self.start_prometheus(prometheus)

    def dev(self, *arguments):
        return subprocess.run([ROOT / "dev", *arguments], check=True, capture_output=True, text=True).stdout

    def halyard(self, *arguments):
        first = self.processes["control-1"]
        command = [self.programs / "halyard", *arguments]
        return subprocess.run(command, env=first.settings, check=True, capture_output=True, text=True).stdout

    def psql(self, statement):
        """A process that runs a statement; wait for it, or kill it to end what it holds."""
        return subprocess.Popen(
            [self.psql_program, "-qX", self.database, "-c", statement], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

    @contextlib.contextmanager
    def failed_over(self):
        """A standby is promoted, and has the address of the primary meanwhile."""
        asked = [self.psql_program, "-qXAt", self.database, "-c", "SHOW data_directory"]
        data = pathlib.Path(subprocess.run(asked, check=True, capture_output=True, text=True).stdout.strip())
        standby, port, primary = data.parent / "standby", free_port(), urllib.parse.urlsplit(self.database).port

        def run(program, *arguments):
            program = ["runuser", "-u", data.owner(), "--", self.psql_program.parent / program]
            subprocess.run([*program, *arguments], check=True, cwd="/", stdout=subprocess.DEVNULL)

        def lead(target):
            for name in ("control-1", "control-2"):
                self.lines[name].target = target
                self.lines[name].cut()
                self.lines[name].cut(False)

        run("pg_basebackup", "-d", self.database, "-D", standby, "--write-recovery-conf", "--checkpoint", "fast")
        run("pg_ctl", "-D", standby, "-o", f"-p {port}", "-l", standby / "log", "-s", "start")
        run("pg_ctl", "-D", standby, "-s", "promote")
        lead(port)
        yield
        lead(primary)
        run("pg_ctl", "-D", standby, "-m", "immediate", "-s", "stop")

    def control(self, name, database):
        ports = {"http": free_port(), "admin": free_port(), "quic": free_port(socket.SOCK_DGRAM)}
        settings = {f"CONTROL_{key.upper()}_ADDR": f"{HOST}:{port}" for key, port in ports.items()}
        settings |= {"DATABASE_URL": database, "SMTP_URL": f"smtp://{HOST}:{self.mail}", "LIFECYCLE_INTERVAL": "10s"}
        settings |= {
            "WEBHOOK_ALLOWED_CIDRS": "127.0.0.0/8",
            "RATE_SIGN_IN": "0",
            "RATE_MANAGEMENT": "0",
            "OTP_TTL": "30s",
            "TOKEN_TTL_MINUTES": "600",
        }
        self.add(name, [self.programs / "halyard", "serve"], settings, ports)

    def edge(self, name, upstream, *enroll, **settings):
        ports = {"http": free_port(), "admin": free_port()}
        identity = self.enroll(name, *enroll)
        settings |= {f"EDGE_{key.upper()}_ADDR": f"{HOST}:{port}" for key, port in ports.items()}
        settings |= {"EDGE_IDENTITY": str(identity), "EDGE_CACHE_DIR": str(self.folder / f"{name}-cache")}
        settings |= {
            "EDGE_UPSTREAM": ",".join(f"{HOST}:{port}" for port in upstream),
            "RATE_EVALUATION": "0",
            "CONNECTIONS_PER_NETWORK": "0",
        }
        self.add(name, [self.programs / "halyard-edge"], settings, ports)

    def enroll(self, name, *arguments):
        identity = self.folder / name
        shutil.rmtree(identity, ignore_errors=True)
        self.halyard("edge", "enroll", "--name", name, "--out", str(identity), *arguments)
        return identity

    def add(self, name, command, settings, ports):
        self.processes[name] = Process(self.folder, name, command, settings)
        self.targets[name] = ports
        self.start(name)

    def start(self, name, **more):
        self.processes[name].start(**more)
        self.ready(name)

    def ready(self, name):
        eventually(f"{name} is ready", lambda: call("GET", self.url(name, "admin") + "/ready")[0] == 200)

    def url(self, name, address="http"):
        return f"http://{HOST}:{self.targets[name][address]}"

    def start_prometheus(self, program):
        jobs = {"halyard": "control", "halyard-edge": ("edge", "relay")}
        rules = [str(ROOT / f"deploy/observability/prometheus/{name}.yaml") for name in ("recording", "alerts")]
        config = "global: {scrape_interval: 5s, scrape_timeout: 4s, evaluation_interval: 5s}\n"
        config += f"rule_files: {json.dumps(rules)}\nscrape_configs:\n"
        for job, names in jobs.items():
            config += f"- job_name: {job}\n  static_configs:\n"
            for name in filter(lambda name: name.startswith(names), self.targets):
                config += f"  - targets: ['{HOST}:{self.targets[name]['admin']}']\n    labels: {{instance: {name}}}\n"
        (self.folder / "prometheus.yaml").write_text(config)
        port = free_port()
        self.prometheus = f"http://{HOST}:{port}/api/v1"
        data = [f"--config.file={self.folder}/prometheus.yaml", f"--storage.tsdb.path={self.folder}/prometheus"]
        data += [f"--web.listen-address={HOST}:{port}", "--query.lookback-delta=6s"]
        process = self.processes["prometheus"] = Process(self.folder, "prometheus", [program, *data])
        process.start()
        eventually("Prometheus is ready", lambda: call("GET", f"http://{HOST}:{port}/-/ready")[0] == 200)

    def query(self, path, **parameters):
        status, answer = call("GET", f"{self.prometheus}/{path}?{urllib.parse.urlencode(parameters)}")
        if status != 200:
            raise ValueError(answer)
        return answer["data"]["result"]

    def stop(self):
        for process in reversed(self.processes.values()):
            if process.child and process.child.poll() is None:
                process.signal(signal.SIGCONT)
            process.kill()
        self.dev("postgres", "stop", str(self.folder / "postgres"))
