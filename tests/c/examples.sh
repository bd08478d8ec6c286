#!/bin/sh
# Runs the example programs in $1 over stdio and checks what they say.
set -eu
meta='"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}'

request() { printf '{"jsonrpc":"2.0","id":%s,"method":"%s","params":{%s%s}}\n' "$1" "$2" "$3" "$meta"; }

# has ANSWERS ID PART: the answer with this id has this part.
has() {
  printf '%s\n' "$1" | grep -F "\"id\":$2" | grep -qFe "$3" || { printf 'answer %s lacks %s in\n%s\n' "$2" "$3" "$1" >&2; exit 1; }
}

answers=$({
  request 1 tools/list ''
  request 2 tools/call '"name":"greet","arguments":{"name":"Ada"},'
} | "$1/first")
has "$answers" 1 '"name":"greet"'
has "$answers" 2 'Hello Ada!'

answers=$({
  request 1 server/discover ''
  request 2 tools/call '"name":"get_weather","arguments":{"place":"Oslo"},'
  request 3 tools/call '"name":"get_weather","arguments":{"place":"Atlantis"},'
  request 4 resources/read '"uri":"weather://places",'
  request 5 resources/read '"uri":"weather://place/Lima",'
  request 6 prompts/get '"name":"forecast","arguments":{"place":"Quito"},'
  request 7 resources/read '"uri":"weather://place/Atlantis",'
} | "$1/weather" --stdio)
has "$answers" 1 '"name":"weather"'
has "$answers" 2 '-3 °C and snow'
has "$answers" 3 '"isError":true'
has "$answers" 4 'Oslo\nLima'
has "$answers" 5 '19 °C and fog'
has "$answers" 6 'like in Quito tomorrow'
has "$answers" 7 '-32602'
echo 'ok: examples'
