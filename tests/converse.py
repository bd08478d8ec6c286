"""Plays a short conversation with a stdio server and prints both sides."""

import json
import subprocess
import sys

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}

CONVERSATION = [
    ("server/discover", {}),
    ("tools/list", {}),
    ("tools/call", {"name": "get_weather", "arguments": {"place": "Oslo"}}),
    ("tools/call", {"name": "get_weather", "arguments": {}}),
    ("resources/read", {"uri": "weather://place/Lima"}),
    ("prompts/get", {"name": "forecast", "arguments": {"place": "Quito"}}),
]


def main() -> int:
    server = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    answered = 0
    for number, (method, params) in enumerate(CONVERSATION, 1):
        request = {"jsonrpc": "2.0", "id": number, "method": method, "params": {**params, "_meta": META}}
        line = json.dumps(request)
        print(f"\nclient> {line}")
        server.stdin.write(line + "\n")
        server.stdin.flush()
        answer = server.stdout.readline()
        print(f"server> {answer}", end="")
        answered += json.loads(answer).get("id") == number
    server.stdin.close()
    code = server.wait(timeout=10)
    print(f"\nThe server answered {answered} of {len(CONVERSATION)} requests and ended with code {code}.")
    return 0 if answered == len(CONVERSATION) and code == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
