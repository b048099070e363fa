// Starts the real Unleash, installed in the folder that the first argument names, on a free port of the loopback address and the empty
// database of DATABASE_URL. Prints its port as JSON, and ends with its standard input.

import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const require = createRequire(path.join(process.argv[2], 'package.json'));
const { start } = await import(pathToFileURL(require.resolve('unleash-server')));

// What only flags of older versions have, or installations where somebody wrote to the database: variants of a flag in an environment,
// and a flag that is on without strategies.
function older(app, _config, services, stores) {
    app.put('/older/:feature/:environment', async (request, response) => {
        const { feature, environment } = request.params;
        const { variants, on } = request.body;
        const store = stores.featureEnvironmentStore;
        await store.addVariantsToFeatureEnvironment(feature, environment, variants);
        await store.setEnvironmentEnabledStatus(environment, feature, on);
        response.status(204).end();
    });
    // What the scheduler does otherwise: the frontend API serves what was changed up to now.
    app.post('/older/refresh', async (_request, response) => {
        await services.configurationRevisionService.updateMaxRevisionId();
        response.status(204).end();
    });
}

const unleash = await start({
    server: { port: 0, host: '127.0.0.1' },
    db: { ssl: false },
    // No calls to other hosts, and nothing that happens by itself.
    versionCheck: { enable: false },
    telemetry: false,
    disableScheduler: true,
    preRouterHook: older,
});
console.log(JSON.stringify({ port: unleash.server.address().port }));

process.stdin.on('end', () => process.exit(0));
process.stdin.resume();
