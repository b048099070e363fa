// Starts the real Unleash proxy, installed in the folder that the first argument names, on a free port of the loopback address, with the
// features of the file that the second one names. Prints its port as JSON, and ends with its standard input.

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';

const require = createRequire(path.join(process.argv[2], 'package.json'));
const { createApp } = require('@unleash/proxy');
const { features, segments } = JSON.parse(await readFile(process.argv[3], 'utf8'));

const app = createApp({
    // Nobody is there: it serves what it begins with.
    unleashUrl: 'http://127.0.0.1:9/api',
    unleashApiToken: 'nobody',
    clientKeys: [process.env.CLIENT_KEY],
    expBootstrap: { data: features, segments },
    enableAllEndpoint: true,
    refreshInterval: 0,
    logLevel: 'fatal',
});
const server = app.listen(0, '127.0.0.1', () => {
    console.log(JSON.stringify({ port: server.address().port }));
});

process.stdin.on('end', () => process.exit(0));
process.stdin.resume();
