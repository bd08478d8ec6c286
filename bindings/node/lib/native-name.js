'use strict';

/** Whether this system's C library is musl: a prebuilt library is for one or the other. */
function musl() {
  if (process.platform !== 'linux') return false;
  return !process.report.getReport().header.glibcVersionRuntime;
}

/** What the native library for this system is called. */
function fileName() {
  return `mcpcore.${process.platform}-${process.arch}${musl() ? '-musl' : ''}.node`;
}

module.exports = { fileName };
