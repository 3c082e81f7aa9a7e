# SPDX-License-Identifier: Apache-2.0
"""Widgets: test_comms.py KERNEL ENVIRONMENT [unittest options]. The packages come from PyPI into a
virtual environment at that path, once; without a network the test is skipped, with a line that says so."""

import json
import os
import sys
import unittest

from conformance import environment_python

ENVIRONMENT = os.path.abspath(sys.argv.pop(2))
environment_python(ENVIRONMENT)

from case import BINARY, Own  # noqa: E402


class Widgets(Own):
    def setUp(self):
        self.kernel = self.start(env={"VIRTUAL_ENV": ENVIRONMENT})
        self.client = self.kernel.client

    def run_it(self, code):
        run = self.client.execute(code)
        self.assertEqual(run.reply["status"], "ok", run.reply.get("traceback"))
        return run

    def send(self, msg_type, comm_id, data, **more):
        """Send a comm message as the page does; return the messages that the kernel publishes for it."""
        content = {"comm_id": comm_id, "data": data, **more}
        return self.client.outputs_of(self.client.send(msg_type, content))[1:-1]

    def test_messages_in_both_directions(self):
        run = self.run_it("from comm import create_comm\nc = create_comm(target_name='mine', data={'a': 1}, "
                          "buffers=[bytes(range(256))])\n"
                          "c.on_msg(lambda m: (print('got', m['content']['data'], m['buffers'][0].tobytes() if m['buffers']"
                          " else ''), c.send({'back': 2})))\nc.on_close(lambda m: print('closed'))")
        opened = next(m for m in run.messages if m["msg_type"] == "comm_open")
        self.assertEqual((opened["content"]["target_name"], opened["content"]["data"]), ("mine", {"a": 1}))
        self.assertEqual([bytes(b) for b in opened["buffers"]], [bytes(range(256))])
        comm_id = opened["content"]["comm_id"]
        info = self.client.request("comm_info_request", {"target_name": "mine"})
        self.assertEqual(info["comms"], {comm_id: {"target_name": "mine"}})
        self.assertEqual(self.client.request("comm_info_request", {"target_name": "other"})["comms"], {})
        said = self.send("comm_msg", comm_id, {"x": "\u00e9"})
        printed = [m["content"]["text"] for m in said if m["msg_type"] == "stream"]  # in parts where the machine is busy
        self.assertEqual("".join(printed), "got {'x': '\u00e9'} \n")
        self.assertEqual([m["msg_type"] for m in said[len(printed):]], ["comm_msg"])
        self.assertEqual(said[-1]["content"], {"comm_id": comm_id, "data": {"back": 2}})
        self.assertEqual(self.send("comm_close", comm_id, {})[0]["content"]["text"], "closed\n")
        self.assertEqual(self.client.request("comm_info_request", {})["comms"], {})
        self.assertEqual(self.send("comm_msg", comm_id, {}), [])
        # Values that JSON can't represent are written as JavaScript does.
        run = self.run_it("create_comm(target_name='mine', data={'x': [float('nan'), 1]})\n1")
        self.assertEqual(next(m for m in run.messages if m["msg_type"] == "comm_open")["content"]["data"], {"x": [None, 1]})

    def test_the_page_opens_one(self):
        self.run_it("from comm import get_comm_manager\n"
                    "get_comm_manager().register_target('t', lambda c, m: c.send({'hello': m['content']['data']}))")
        said = self.send("comm_open", "i1", {"q": 1}, target_name="t")
        self.assertEqual([m["content"].get("data") for m in said], [{"hello": {"q": 1}}])
        self.assertEqual([m["msg_type"] for m in self.send("comm_open", "i2", {}, target_name="u")], ["comm_close"])

    def test_a_callback_that_fails_or_does_not_end(self):
        self.run_it("from comm import create_comm\nc = create_comm(target_name='bad')\nkept = 5\n"
                    "def act(m):\n    what = m['content']['data']['what']\n    print('begun', flush=True)\n"
                    "    if what == 'loop':\n        while True: pass\n    if what == 'exit': exit()\n    1/0\n"
                    "c.on_msg(act)\nprint(c.comm_id)")
        comm_id = self.run_it("print(c.comm_id)").text().strip()
        for what, expected in (("fail", "ZeroDivisionError"), ("exit", "ExitSession")):
            said = "".join(m["content"].get("text", "") for m in self.send("comm_msg", comm_id, {"what": what}))
            self.assertIn(expected, said)
        msg_id = self.client.send("comm_msg", {"comm_id": comm_id, "data": {"what": "loop"}})
        self.client.wait_for("iopub", "stream")
        self.client.send("interrupt_request", channel="control")
        self.assertIn("KeyboardInterrupt", str(self.client.outputs_of(msg_id)))
        self.assertEqual(self.run_it("print(kept)").text(), "5\n")

    def test_a_forked_callback_is_no_second_kernel(self):
        comm_id = self.run_it("import os\nfrom comm import create_comm\nc = create_comm(target_name='fork')\n"
                              "def act(m):\n    pid = os.fork()\n    if pid:\n        print(os.waitpid(pid, 0)[1], 'ended')\n"
                              "c.on_msg(act)\nprint(c.comm_id)").text().strip()
        said = "".join(m["content"].get("text", "") for m in self.send("comm_msg", comm_id, {}))
        self.assertEqual(said, "0 ended\n")
        self.assertEqual(self.run_it("print(1)").text(), "1\n")

    def test_ipywidgets(self):
        run = self.run_it("import ipywidgets as w\ns = w.IntSlider(value=3)\n"
                          "s.observe(lambda change: print('now', change.new), 'value')\ns")
        bundle = run.of("execute_result")[0]["data"]
        model = bundle["application/vnd.jupyter.widget-view+json"]["model_id"]
        self.assertIn(model, [c["comm_id"] for c in run.of("comm_open")])
        said = self.send("comm_msg", model, {"method": "update", "state": {"value": 8}, "buffer_paths": []})
        self.assertEqual([m["content"]["text"] for m in said if m["msg_type"] == "stream"], ["now 8\n"])
        self.assertEqual(self.run_it("s.value").of("execute_result")[0]["data"]["text/plain"], "8")
        # A page that is loaded again asks for all widgets.
        asked = self.client.send("comm_open", {"comm_id": "ask", "target_name": "jupyter.widget.control", "data": {}},
                                 metadata={"version": "1.0.0"})
        self.assertEqual(len(self.client.outputs_of(asked)), 2)
        states = self.send("comm_msg", "ask", {"method": "request_states"})
        self.assertIn(model, json.dumps([m["content"] for m in states]))

    def test_outputs_of_widgets_name_the_request(self):
        run = self.run_it("import ipywidgets as w\no = w.Output()\nwith o: print('inside')")
        ids = [c["data"]["state"].get("msg_id") for c in run.of("comm_msg")]
        self.assertEqual(ids, [run.messages[0]["parent_header"]["msg_id"], ""])
        run = self.run_it("@w.interact(x=(0, 10))\ndef g(x=2): print('x is', x)")
        self.assertEqual(run.text(), "x is 2\n")

    def test_progress_bars(self):
        for module in ("tqdm.notebook", "tqdm.auto"):
            run = self.run_it(f"from {module} import tqdm\nfor i in tqdm(range(3)): pass")
            self.assertIn("application/vnd.jupyter.widget-view+json", run.of("display_data")[0]["data"])
            self.assertIn("'bar_style': 'success'", str(run.of("comm_msg")))
            self.assertEqual(run.text("stderr"), "")


if __name__ == "__main__":
    unittest.main()
