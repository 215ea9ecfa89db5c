"""A proxy that does harm where a request asks for it by its field `X-Fault`.

`lostAck` forwards, and closes the connection in place of the answer; `truncateBody` closes it in the middle of the
answer's body; `slowDrip` sends the body byte by byte, with pauses; `flood` sends a body without end; `unavailable`
says 503 with a Retry-After and forwards nothing; `killReused` closes a connection that was used before, after it
has read the request, and forwards nothing. Behind `once=NAME` it is done to the first request of that name alone.

`/faults/` reports how many requests came with each `X-Run`. Usage: faults.py PORT UPSTREAM-PORT
"""
import http.client
import json
import socketserver
import sys
import threading
import time

lock = threading.Lock()
done = set()
counts = {}


def head(reader):
    """The first line and the fields of a message; None at the end of the connection."""
    line = reader.readline(65537)
    if not line.strip():
        return None
    fields = []
    while (field := reader.readline(65537)).strip():
        name, _, value = field.decode("latin-1").partition(":")
        fields.append((name, value.strip()))
    return line.decode("latin-1").split(), fields


def value(fields, name):
    return next((value for key, value in fields if key.lower() == name.lower()), None)


class Connection(socketserver.StreamRequestHandler):
    def handle(self):
        self.number = 0
        try:
            while (message := head(self.rfile)) is not None:
                self.number += 1
                if not self.answer(*message):
                    return
        except OSError:
            pass

    def answer(self, words, fields):
        """Answers a request; false if the connection has to end."""
        method, target = words[0], words[1]
        body = self.rfile.read(int(value(fields, "Content-Length") or 0))
        if target == "/faults/":
            with lock:
                return self.reply(method, 200, [], json.dumps(counts).encode())
        run = value(fields, "X-Run")
        with lock:
            counts[run] = counts.get(run, 0) + 1
        fault = self.fault(fields)
        if fault == "killReused" and self.number > 1:
            return False
        if fault == "unavailable":
            return self.reply(method, 503, [("Retry-After", "1")], b'{"detail": "not now"}')
        status, answered, content = forward(method, target, fields, body)
        if fault == "lostAck":
            return False
        if fault == "truncateBody":
            self.begin(status, answered + [("Content-Length", str(len(content)))])
            self.wfile.write(content[: len(content) // 2])
            return False
        if fault == "slowDrip":
            self.begin(status, answered + [("Content-Length", str(len(content)))])
            for index in range(len(content)):
                self.wfile.write(content[index : index + 1])
                time.sleep(2)
            return True
        if fault == "flood":
            self.begin(status, answered)
            while True:
                self.wfile.write(b" " * 65536)
        return self.reply(method, status, answered, content)

    def fault(self, fields):
        words = (value(fields, "X-Fault") or "").split()
        if len(words) > 1:
            with lock:
                if words[1] in done:
                    return None
                done.add(words[1])
        return words[0] if words else None

    def begin(self, status, fields):
        lines = [f"HTTP/1.1 {status} {status}"] + [f"{name}: {text}" for name, text in fields]
        self.wfile.write(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1"))

    def reply(self, method, status, fields, content):
        has_body = method != "HEAD" and status not in (204, 304)
        if has_body:
            fields = fields + [("Content-Length", str(len(content)))]
        self.begin(status, fields)
        if has_body:
            self.wfile.write(content)
        return True


def forward(method, target, fields, body):
    """What the server behind answers: a status, fields without those of the connection, and all of the body."""
    connection = http.client.HTTPConnection("127.0.0.1", upstream)
    try:
        # As it came: no field of its own, and no other spelling of the path.
        connection.putrequest(method, target, skip_host=True, skip_accept_encoding=True)
        for name, text in fields:
            if name.lower() not in ("connection", "x-fault"):
                connection.putheader(name, text)
        connection.putheader("Connection", "close")
        connection.endheaders(body)
        answer = connection.getresponse()
        content = answer.read()
        kept = [
            (name, text)
            for name, text in answer.getheaders()
            if name.lower() not in ("connection", "transfer-encoding", "content-length")
        ]
        return answer.status, kept, content
    finally:
        connection.close()


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 128


upstream = int(sys.argv[2])
Server(("127.0.0.1", int(sys.argv[1])), Connection).serve_forever()
