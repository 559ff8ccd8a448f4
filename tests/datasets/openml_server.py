"""A loopback server that speaks enough of OpenML's REST interface for the real client.

It also answers as the UCI repository does, so that both clients are tested against sockets.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

UCI_FILE = "data.csv"
ERROR = """<oml:error xmlns:oml="http://openml.org/openml">
  <oml:code>{code}</oml:code><oml:message>{message}</oml:message>
</oml:error>"""

DESCRIPTION = """<oml:data_set_description xmlns:oml="http://openml.org/openml">
  <oml:id>{id}</oml:id><oml:name>{name}</oml:name><oml:version>1</oml:version>
  <oml:description>A test set.</oml:description><oml:format>{format}</oml:format>
  <oml:url>{url}</oml:url><oml:parquet_url>{parquet}</oml:parquet_url>
  <oml:default_target_attribute>{target}</oml:default_target_attribute>
  <oml:ignore_attribute>{ignore}</oml:ignore_attribute>
  <oml:md5_checksum>{md5}</oml:md5_checksum>
</oml:data_set_description>"""


@dataclass
class Hosted:
    """A data set of the server: its ARFF text and what its description says."""

    arff: str
    target: str = "class"
    ignore: str = ""
    format: str = "ARFF"


TASK = """<oml:task xmlns:oml="http://openml.org/openml">
  <oml:task_id>{id}</oml:task_id><oml:task_type_id>{type}</oml:task_type_id>
  <oml:task_type>a type</oml:task_type>
  <oml:input name="source_data"><oml:data_set><oml:data_set_id>{data}</oml:data_set_id>
    <oml:target_feature>{target}</oml:target_feature></oml:data_set></oml:input>
  <oml:input name="estimation_procedure"><oml:estimation_procedure><oml:id>1</oml:id>
    <oml:type>{procedure}</oml:type><oml:data_splits_url>{splits}</oml:data_splits_url>
    <oml:parameter name="number_repeats">{repeats}</oml:parameter>
    <oml:parameter name="number_folds">{folds}</oml:parameter>
    <oml:parameter name="percentage"></oml:parameter></oml:estimation_procedure></oml:input>
  <oml:input name="evaluation_measures"><oml:evaluation_measures>
    <oml:evaluation_measure>predictive_accuracy</oml:evaluation_measure>
  </oml:evaluation_measures></oml:input>
</oml:task>"""
FEATURE = """<oml:feature><oml:index>{i}</oml:index><oml:name>{name}</oml:name>
  <oml:data_type>nominal</oml:data_type><oml:nominal_value>a</oml:nominal_value>
  <oml:number_of_missing_values>0</oml:number_of_missing_values></oml:feature>"""
FEATURES = '<oml:data_features xmlns:oml="http://openml.org/openml">{}</oml:data_features>'


@dataclass
class HostedTask:
    """A task of the server: its data set, type and split."""

    data: int
    split: str = ""
    type: int = 1
    procedure: str = "crossvalidation"
    folds: int = 2
    repeats: int = 1


@dataclass
class FakeServer:
    """What the server holds, how it is told to fail, and what it was asked."""

    sets: dict[int, Hosted] = field(default_factory=dict)
    tables: dict[int, str] = field(default_factory=dict)
    tasks: dict[int, HostedTask] = field(default_factory=dict)
    fault: str | None = None
    requests: list[str] = field(default_factory=list)
    base: str = ""

    @property
    def openml(self) -> str:
        return f"{self.base}/api/v1/xml"

    @property
    def uci(self) -> str:
        return f"{self.base}/api/dataset"

    def answer(self, path: str) -> tuple[int, bytes]:
        """Return status and body for a GET of `path`."""
        route, _, query = path.partition("?")
        if self.fault in ("500", "500 once"):
            self.fault = "500" if self.fault == "500" else None
            return 500, b"<html>internal server error"
        if route == "/api/dataset":
            return self._uci(int(query.removeprefix("id=")))
        if route.startswith("/uci/"):
            return 200, self._damaged(self.tables[int(route.split("/")[2])]).encode()
        number = int(route.split("/")[-1].removesuffix(".arff"))
        if "/task/" in route or route.startswith("/splits/"):
            return self._task(number, route)
        if "/features/" in route:
            lines = self.sets[number].arff.splitlines()
            names = [line.split()[1] for line in lines if line.startswith("@attribute")]
            listed = (FEATURE.format(i=i, name=name) for i, name in enumerate(names))
            return 200, FEATURES.format("".join(listed)).encode()
        if number not in self.sets:
            return 412, ERROR.format(code=111, message="Unknown dataset").encode()
        if route.startswith("/data/"):
            return 200, self._damaged(self.sets[number].arff).encode()
        return 200, self._description(number).encode()

    def _task(self, number: int, route: str) -> tuple[int, bytes]:
        if number not in self.tasks:
            return 412, ERROR.format(code=151, message="Unknown task").encode()
        task = self.tasks[number]
        if route.startswith("/splits/"):
            return 200, task.split.encode()
        how = {name: getattr(task, name) for name in ("type", "procedure", "folds", "repeats")}
        splits, target = f"{self.base}/splits/{number}.arff", self.sets[task.data].target
        text = TASK.format(id=number, data=task.data, target=target, splits=splits, **how)
        return 200, text.encode()

    def _description(self, number: int) -> str:
        hosted = self.sets[number]
        # Faults of the server's own copy go with a checksum that fits, unlike those on the way.
        on_the_way = self.fault in ("truncated", "missing row")
        served = hosted.arff if on_the_way else self._damaged(hosted.arff)
        md5 = "0" * 32 if self.fault == "wrong md5" else hashlib.md5(served.encode()).hexdigest()
        if self.fault == "bad description":
            return "<oml:data_set_description>"
        return DESCRIPTION.format(
            id=number,
            name=f"set{number}",
            url=f"{self.base}/data/{number}.arff",
            parquet=f"{self.base}/parquet/{number}.pq",
            target=hosted.target,
            ignore=hosted.ignore,
            format=hosted.format,
            md5=md5,
        )

    def _damaged(self, text: str) -> str:
        if self.fault in ("truncated", "truncated at the server"):
            return text[: len(text) // 2]
        if self.fault == "wrong values":
            return text.replace("1.5", "1.25", 1)
        if self.fault == "missing row":
            return text.rstrip("\n").rpartition("\n")[0] + "\n"
        return text

    def _uci(self, number: int) -> tuple[int, bytes]:
        if number not in self.tables:
            return 200, json.dumps({"status": 404, "message": "no such dataset"}).encode()
        header = self.tables[number].splitlines()[0].split(",")
        variables = [{"name": name, "role": "Feature"} for name in header]
        data = {
            "uci_id": number,
            "name": f"set{number}",
            "data_url": f"{self.base}/uci/{number}/{UCI_FILE}",
            "variables": variables,
            "additional_info": None,
            "intro_paper": None,
        }
        return 200, json.dumps({"status": 200, "data": data}).encode()


@contextmanager
def serve() -> Iterator[FakeServer]:
    """Run the server on a free port of 127.0.0.1."""
    state = FakeServer()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if f"{state.base}{self.path}" in (state.openml, state.uci):
                # Whether a server answers is asked without a number.
                self.send_response(404)
                self.end_headers()
                return
            state.requests.append(self.path)
            status, body = state.answer(self.path)
            # The client logs a warning about every answer that is not compressed.
            zipped = "gzip" in self.headers.get("Accept-Encoding", "")
            body = gzip.compress(body) if zipped else body
            self.send_response(status)
            if zipped:
                self.send_header("Content-Encoding", "gzip")
            cut = state.fault == "cut off"
            self.send_header("Content-Length", str(len(body) + 100 * cut))
            self.end_headers()
            if state.fault == "slow":
                time.sleep(0.2)
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Keep the test output quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.base = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
