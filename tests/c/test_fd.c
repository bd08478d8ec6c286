/* mcp_serve_fd: a socket is served; a peer that went away is a status, with SIGPIPE at its default. */
#include "check.h"

#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

typedef struct door {
  mcp_server *server;
  int in, out;
  mcp_status status;
} door;

static void *serve(void *user_data) {
  door *at = user_data;
  at->status = mcp_serve_fd(at->server, at->in, at->out, NULL);
  return NULL;
}

static void read_line(int fd, char *line, size_t size) {
  size_t len = 0;
  do {
    CHECK(len + 1 < size && read(fd, line + len, 1) == 1);
  } while (line[len++] != '\n');
  line[len] = 0;
}

static void put(int fd, const char *text) { CHECK(write(fd, text, strlen(text)) == (ssize_t)strlen(text)); }

static void a_socket_is_served(void) {
  int ends[2];
  char line[4096];
  pthread_t thread;
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  door at = {make_server(make_config(MCP_DISPATCH_POOL, echo, NULL, NULL)), ends[0], ends[0], -1};
  CHECK(pthread_create(&thread, NULL, serve, &at) == 0);
  put(ends[1], TOOLS_CALL("1", "echo", "{\"a\":1}") "\n");
  read_line(ends[1], line, sizeof line);
  CHECK_HAS(line, "\"id\":1");
  /* Answers still go out after the end of the input. */
  put(ends[1], TOOLS_CALL("2", "echo", "{}") "\n");
  CHECK(shutdown(ends[1], SHUT_WR) == 0);
  read_line(ends[1], line, sizeof line);
  CHECK_HAS(line, "\"id\":2");
  pthread_join(thread, NULL);
  CHECK(at.status == MCP_STATUS_OK);
  /* The descriptor stayed the caller's. */
  CHECK(close(ends[0]) == 0 && close(ends[1]) == 0);
  mcp_server_free(at.server);
}

static void a_peer_that_went_away(void) {
  for (int socket = 0; socket < 2; socket++) {
    int in[2], out[2];
    CHECK(pipe(in) == 0);
    CHECK((socket ? socketpair(AF_UNIX, SOCK_STREAM, 0, out) : pipe(out)) == 0);
    mcp_config *config = make_config(MCP_DISPATCH_INLINE, echo, NULL, NULL);
    mcp_config_on_log(config, ignore_log, NULL, NULL);
    door at = {make_server(config), in[0], out[1], -1};
    CHECK(close(out[0]) == 0);
    put(in[1], TOOLS_CALL("1", "echo", "{}") "\n" TOOLS_CALL("2", "echo", "{}") "\n");
    CHECK(close(in[1]) == 0);
    /* On this thread, where the signal would end the program. */
    serve(&at);
    CHECK(at.status == MCP_STATUS_IO);
    close(in[0]);
    close(out[1]);
    mcp_server_free(at.server);
  }
}

int main(void) {
  CHECK(signal(SIGPIPE, SIG_DFL) != SIG_ERR);
  a_socket_is_served();
  a_peer_that_went_away();
  CHECK(signal(SIGPIPE, SIG_DFL) == SIG_DFL);
  puts("ok: fd, SIGPIPE");
  return 0;
}
