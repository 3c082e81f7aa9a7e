# SPDX-License-Identifier: Apache-2.0
"""A Jupyter server as its clients see it: REST, and a WebSocket for each kernel."""

import json
import urllib.request
import uuid

from place import NAME, PATIENCE


class Rest:
    """A server at `url`, for clients with the token."""

    def __init__(self, url, token=None):
        self.url = url
        self.headers = {"Authorization": "token " + token} if token else {}

    def ask(self, path, method="GET", body=None):
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json", **self.headers}
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        with urllib.request.urlopen(request, timeout=PATIENCE) as reply:
            text = reply.read()
        return json.loads(text) if text else None

    def start(self, **options):
        return Kernel(self, self.ask("/api/kernels", "POST", {"name": NAME, **options})["id"])


class Kernel:
    """A kernel of a server, and the channel to it."""

    def __init__(self, server, name):
        import websocket

        self.server, self.path = server, "/api/kernels/" + name
        self.channel = websocket.create_connection(f"ws{server.url[4:]}{self.path}/channels?session_id=test",
                                                   timeout=PATIENCE, header=server.headers)

    def send(self, msg_type, content, name="shell"):
        header = {"msg_id": uuid.uuid4().hex, "msg_type": msg_type, "session": "test", "username": "test",
                  "version": "5.3", "date": "2026-01-01T00:00:00Z"}
        self.channel.send(json.dumps({"header": header, "parent_header": {}, "metadata": {}, "content": content,
                                      "channel": name, "buffers": []}))

    def execute(self, code):
        self.send("execute_request", {"code": code, "silent": False, "store_history": True,
                                      "user_expressions": {}, "allow_stdin": True})

    def wait(self, msg_type):
        """The content of the next message of that type."""
        while True:
            message = json.loads(self.channel.recv())
            if message["header"]["msg_type"] == msg_type:
                return message["content"]

    def says(self, code):
        """The first output of the cell."""
        self.execute(code)
        return self.wait("stream")["text"]

    def interrupt(self):
        self.server.ask(self.path + "/interrupt", "POST", {})

    def restart(self):
        self.server.ask(self.path + "/restart", "POST", {})

    def delete(self):
        self.server.ask(self.path, "DELETE")
        self.channel.close()


def talk(test, server, **options):
    """A notebook's use of a kernel, up to its end."""
    kernel = server.start(**options)
    test.addCleanup(kernel.channel.close)
    test.assertEqual(kernel.says("print('sum', 40 + 2)"), "sum 42\n")
    kernel.execute("input('name? ')")
    test.assertEqual(kernel.wait("input_request")["prompt"], "name? ")
    kernel.send("input_reply", {"value": "Ada"}, "stdin")
    test.assertEqual(kernel.wait("execute_result")["data"]["text/plain"], "'Ada'")
    kernel.says("print('begun', flush=True)\nwhile True: pass")
    kernel.interrupt()
    test.assertEqual(kernel.wait("error")["ename"], "KeyboardInterrupt")
    kernel.restart()
    test.assertEqual(kernel.says("print('again')"), "again\n")
    kernel.delete()
    test.assertNotIn(kernel.path, ["/api/kernels/" + k["id"] for k in server.ask("/api/kernels")])
