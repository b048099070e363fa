'use strict';

const { Client, StartError } = require('./client.js');
const { Context } = require('./context.js');

module.exports = { Client, Context, StartError };
