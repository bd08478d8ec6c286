"""Which door a peer opens: standard input and output, or HTTP when the command line ends with `--http PORT`."""

import sys


def http_port():
    """The port to listen on; None for standard input and output."""
    return int(sys.argv[2]) if sys.argv[1:2] == ["--http"] else None


def serve(app, port):
    """Serves an ASGI application as fast as uvicorn can; a connection waits for the turns of others."""
    import uvicorn

    uvicorn.run(app, host="127.0.0.1", port=port, log_level="error", access_log=False, timeout_keep_alive=600)
