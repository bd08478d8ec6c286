'use strict';

const { join } = require('node:path');
const { fileName } = require('./native-name.js');

const file = join(__dirname, '..', fileName());

function load() {
  try {
    return require(file);
  } catch (cause) {
    const message = `mcpcore's native part cannot be loaded from ${file}: run \`node scripts/build.mjs\` in its folder`;
    throw new Error(message, { cause });
  }
}

module.exports = load();
