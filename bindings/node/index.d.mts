// Written by scripts/types.mjs from the Rust docs and types/; change those.
export * from './index.js';
