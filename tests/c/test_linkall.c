/* Every function of the binary interface is in the library. */
#include "check.h"

typedef void (*any_function)(void);
#define USE(name) (any_function)name,

/* linkall.inc is made of tests/abi/symbols.txt. */
static any_function all[] = {
#include "linkall.inc"
};

int main(void) {
  size_t count = sizeof all / sizeof *all;
  for (size_t at = 0; at < count; at++) CHECK(all[at]);
  CHECK(count > 115);
  puts("ok: linkall");
  return 0;
}
