'use strict';

const {
  ErrorCode,
  OpenFeatureEventEmitter,
  ProviderEvents,
  ProviderFatalError,
  ProviderNotReadyError,
  StandardResolutionReasons,
} = require('@openfeature/server-sdk');
const { Client, StartError } = require('./client.js');
const { Context } = require('./context.js');
const { DefaultsHook } = require('./defaults.js');

/** How long a provider waits for flags, as `Client.start` does. */
const START = 10_000;

/** As edges answer by OFREP. */
const REASONS = {
  TARGETED: StandardResolutionReasons.TARGETING_MATCH,
  ROLLOUT: StandardResolutionReasons.SPLIT,
  VARIANT: StandardResolutionReasons.SPLIT,
  DISABLED: StandardResolutionReasons.DISABLED,
};

/** OpenFeature's provider: of a client, or of settings, with which it starts one and closes it. */
class HalyardProvider {
  metadata = { name: 'halyard' };
  runsOn = 'server';
  events = new OpenFeatureEventEmitter();
  #settings;
  #client;
  #ends = [];
  #told;

  constructor(from) {
    if (from instanceof Client) this.#client = from;
    else this.#settings = from;
  }

  get client() {
    return this.#client;
  }

  async initialize() {
    this.#client ??= await this.#start();
    const client = this.#client;
    await settled(client, this.#settings?.startTimeout ?? START);
    const status = client.status;
    let begun = status.version;
    this.#ends.push(
      client.on('change', ({ version, flags }) => {
        // What it began with may be told late, once.
        const isKnown = version === begun;
        begun = undefined;
        if (isKnown) return;
        this.events.emit(ProviderEvents.ConfigurationChanged, { flagsChanged: flags });
      }),
      client.on('status', status => this.#tell(status)),
    );
    if (status.version === undefined) {
      const why = status.lastError ?? 'the edge does not answer';
      throw status.state === 'refused' ? new ProviderFatalError(why) : new ProviderNotReadyError(why);
    }
    // That it is ready is told by the one who called.
    this.#told = ProviderEvents.Ready;
    setImmediate(() => this.#tell(client.status));
  }

  async onClose() {
    for (const end of this.#ends.splice(0)) end();
    if (this.#settings === undefined) return;
    await this.#client?.close();
    this.#client = undefined;
  }

  async resolveBooleanEvaluation(key, fallback, context) {
    return resolved(context, fallback, user => this.#held().booleanDetail(key, user, fallback));
  }

  async resolveStringEvaluation(key, fallback, context) {
    return resolved(context, fallback, user => this.#held().stringDetail(key, user, fallback));
  }

  async resolveNumberEvaluation(key, fallback, context) {
    return resolved(context, fallback, user => this.#held().numberDetail(key, user, fallback));
  }

  async resolveObjectEvaluation(key, fallback, context) {
    return resolved(context, fallback, user => {
      const detail = this.#held().jsonDetail(key, user, fallback);
      if (detail.error || (typeof detail.value === 'object' && detail.value !== null)) return detail;
      return { ...detail, error: ErrorCode.TYPE_MISMATCH };
    });
  }

  /** Goes on where there is no edge now, to be ready when there is. */
  async #start() {
    try {
      return await Client.start({ ...this.#settings, wait: false });
    } catch (why) {
      throw why instanceof StartError ? new ProviderFatalError(why.message) : why;
    }
  }

  #held() {
    if (this.#client === undefined) throw new ProviderNotReadyError('the provider is not initialized');
    return this.#client;
  }

  #tell({ state, version, lastError }) {
    const isHeld = version !== undefined;
    const event =
      state === 'ready' ? ProviderEvents.Ready : isHeld ? ProviderEvents.Stale : ProviderEvents.Error;
    if (event === this.#told) return;
    this.#told = event;
    const isFatal = state === 'refused' && !isHeld;
    this.events.emit(event, {
      ...(lastError !== undefined && event !== ProviderEvents.Ready && { message: lastError }),
      ...(event === ProviderEvents.Error && {
        errorCode: isFatal ? ErrorCode.PROVIDER_FATAL : ErrorCode.PROVIDER_NOT_READY,
      }),
    });
  }
}

/** Waits until there are flags, or the key is refused, or time is up. */
async function settled(client, patience) {
  const isSettled = () => client.status.version !== undefined || client.status.state === 'refused';
  await new Promise(resolve => {
    const timer = setTimeout(end, patience);
    const ends = ['change', 'status'].map(event => client.on(event, () => isSettled() && end()));
    function end() {
      clearTimeout(timer);
      for (const end of ends) end();
      resolve();
    }
    if (isSettled()) end();
  });
}

function resolved(given, fallback, ask) {
  const { targetingKey, ...attributes } = given ?? {};
  if (targetingKey === undefined)
    return failed(fallback, ErrorCode.TARGETING_KEY_MISSING, 'a targeting key is required');
  const user = { key: targetingKey, attributes };
  const { value, reason, variant, version, error } = ask(user);
  if (error === ErrorCode.INVALID_CONTEXT) return failed(fallback, error, whyNone(user));
  if (error !== undefined) return failed(fallback, error);
  const told = REASONS[reason] ?? StandardResolutionReasons.DEFAULT;
  // Ours, where it says more.
  const own = told === StandardResolutionReasons.DEFAULT && reason !== 'FALLTHROUGH';
  return {
    value,
    reason: told,
    ...(variant !== undefined && { variant }),
    flagMetadata: { version, ...(own && { reason }) },
  };
}

/** Why it is no context. */
function whyNone({ key, attributes }) {
  try {
    return void new Context(key, attributes);
  } catch (why) {
    return why.message;
  }
}

function failed(value, errorCode, errorMessage) {
  return { value, reason: StandardResolutionReasons.ERROR, errorCode, ...(errorMessage && { errorMessage }) };
}

module.exports = { DefaultsHook, HalyardProvider };
