'use strict';

/** The name of this platform, as the library for it is called: `linux-x64-gnu`, `darwin-arm64`. */
function platform() {
  const name = `${process.platform}-${process.arch}`;
  if (process.platform !== 'linux') return name;
  // What the network looks like is of no interest here, and takes long to find out.
  const { excludeNetwork } = process.report;
  process.report.excludeNetwork = true;
  const { header } = process.report.getReport();
  process.report.excludeNetwork = excludeNetwork;
  return `${name}-${header.glibcVersionRuntime ? 'gnu' : 'musl'}`;
}

module.exports = { platform };
