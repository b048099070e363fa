'use strict';

const { existsSync } = require('node:fs');
const { join } = require('node:path');
const { platform } = require('./platform.js');

const file = join(__dirname, '..', `halyard.${platform()}.node`);
if (!existsSync(file))
  throw new Error(`@halyard/node has no library for ${platform()}: ${file} is made by npm run build`);

module.exports = require(file);
