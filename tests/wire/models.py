"""Gives messages to the official Python models. Runs in the environment that run.py makes; not by hand."""

import json
import sys

from mcp_types import jsonrpc, methods

VERSION = "2026-07-28"
# The models know extensions by their own methods only, and these results have no model of their own.
UNMODELLED = {"subscriptions/listen"}


def check(method: str, message: dict) -> None:
    """Raises what the models say against the message."""
    if "error" in message:
        # The models want an unknown id as null; the protocol leaves it out.
        jsonrpc.JSONRPCError.model_validate({"id": None, **message})
        return
    if "method" in message:
        jsonrpc.JSONRPCNotification.model_validate(message)
        key = (message["method"], VERSION)
        if key not in methods.SERVER_NOTIFICATIONS:
            raise ValueError(f"{message['method']} is no notification of {VERSION}")
        methods.SERVER_NOTIFICATIONS[key].model_validate({k: v for k, v in message.items()})
        return
    # An id such as 1.0 is an integer in JSON Schema, though not to Python.
    whole = int(message["id"]) if isinstance(message["id"], float) else message["id"]
    jsonrpc.JSONRPCResponse.model_validate({**message, "id": whole})
    if (method, VERSION) in methods.SERVER_RESULTS:
        methods.validate_server_result(method, VERSION, message["result"])
    elif method not in UNMODELLED:
        raise ValueError(f"a result for {method or 'no request'}")


def main() -> int:
    wrong = 0
    for line in sys.stdin:
        name, method, text = json.loads(line)
        try:
            check(method, json.loads(text))
        except Exception as error:  # the models raise many kinds; each is a finding
            wrong += 1
            print(f"{name}: {' '.join(str(error).split())[:400]}: {text[:200]}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
