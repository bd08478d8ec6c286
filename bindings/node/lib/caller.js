'use strict';

/** A caller as the native side takes it; nothing: the local one, with every scope. */
function nativeCaller(caller) {
  if (caller === undefined || caller === null) return undefined;
  const { scopes, claims, ...rest } = caller;
  return {
    ...rest,
    scopes: scopes === '*' ? ['*'] : scopes,
    claims: claims === undefined ? undefined : JSON.stringify(claims),
  };
}

module.exports = { nativeCaller };
