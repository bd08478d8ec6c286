"""Gives messages to the official Python models. Runs in the environment that run.py makes; not by hand."""

import json
import sys

from mcp_types import jsonrpc, methods

VERSION = "2026-07-28"
# The models know extensions by their own methods only, and these results have no model of their own.
UNMODELLED = {"subscriptions/listen"}


def is_modern(message: dict) -> bool:
    """Whether a message says that it is of the modern era."""
    meta = message.get("params", {}).get("_meta", {})
    return "resultType" in message.get("result", {}) or "io.modelcontextprotocol/subscriptionId" in meta


def check(method: str, message: dict, session: str) -> None:
    """Raises what the models say against the message. `session`: the revision of the file's session, if it has one."""
    version = VERSION if not session or is_modern(message) else session
    if "error" in message:
        # The models want an unknown id as null; the protocol leaves it out.
        jsonrpc.JSONRPCError.model_validate({"id": None, **message})
        return
    if "method" in message:
        key = (message["method"], version)
        if "id" in message:
            jsonrpc.JSONRPCRequest.model_validate(message)
            if key not in methods.SERVER_REQUESTS:
                raise ValueError(f"{message['method']} is no request of {version}")
            methods.SERVER_REQUESTS[key].model_validate(message)
            return
        jsonrpc.JSONRPCNotification.model_validate(message)
        if key not in methods.SERVER_NOTIFICATIONS:
            raise ValueError(f"{message['method']} is no notification of {version}")
        methods.SERVER_NOTIFICATIONS[key].model_validate({k: v for k, v in message.items()})
        return
    # An id such as 1.0 is an integer in JSON Schema, though not to Python.
    whole = int(message["id"]) if isinstance(message["id"], float) else message["id"]
    jsonrpc.JSONRPCResponse.model_validate({**message, "id": whole})
    if (method, version) in methods.SERVER_RESULTS:
        methods.validate_server_result(method, version, message["result"])
    elif method not in UNMODELLED:
        raise ValueError(f"a result for {method or 'no request'}")


def main() -> int:
    wrong = 0
    for line in sys.stdin:
        name, method, text, session = json.loads(line)
        try:
            check(method, json.loads(text), session)
        except Exception as error:  # the models raise many kinds; each is a finding
            wrong += 1
            print(f"{name}: {' '.join(str(error).split())[:400]}: {text[:200]}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
