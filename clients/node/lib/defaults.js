'use strict';

const { isDeepStrictEqual } = require('node:util');

/** Defaults that are kept until the next report, and the most characters of one as JSON. */
const MOST = 500;
const LONGEST = 1_000;
/** Milliseconds between two reports, and for one. */
const INTERVAL = 10_000;
const PATIENCE = 5_000;

/** OpenFeature's hook that tells an edge which defaults the code has, with whichever provider. */
class DefaultsHook {
  #counts = new Map();
  #send;
  #timer;

  constructor({ key, url, service = '', interval = INTERVAL }) {
    const address = new URL('v1/defaults', url.endsWith('/') ? url : `${url}/`);
    this.#send = async defaults => {
      const answer = await fetch(address, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-API-Key': key },
        body: JSON.stringify({ service, defaults }),
        signal: AbortSignal.timeout(PATIENCE),
      });
      await answer.arrayBuffer();
    };
    this.#timer = setInterval(() => void this.flush(), interval);
    this.#timer.unref?.();
  }

  /** Of answers alone: where there was none, the default was used already. */
  after({ flagKey, defaultValue }, { value }) {
    const told = asJson(defaultValue);
    if (told === undefined || told.length > LONGEST) return;
    const id = `${flagKey}\n${told}`;
    let count = this.#counts.get(id);
    if (count === undefined) {
      if (this.#counts.size >= MOST) return;
      count = { flag_key: flagKey, default: defaultValue, answers: 0, differing: 0 };
      this.#counts.set(id, count);
    }
    count.answers += 1;
    if (!isDeepStrictEqual(value, defaultValue)) count.differing += 1;
  }

  /** Tells what was counted. What does not arrive is lost: the next report says the same. */
  async flush() {
    const defaults = [...this.#counts.values()];
    this.#counts.clear();
    if (defaults.length === 0) return;
    try {
      await this.#send(defaults);
    } catch {
      // An application must not notice.
    }
  }

  async close() {
    clearInterval(this.#timer);
    await this.flush();
  }
}

/** `undefined` of what JSON cannot say: a hook that throws would cost the evaluation its answer. */
function asJson(value) {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

module.exports = { DefaultsHook };
