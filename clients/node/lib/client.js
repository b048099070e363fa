'use strict';

const { numberOf } = require('./context.js');
const { detail, withoutContext } = require('./detail.js');
const { Keys } = require('./keys.js');
const native = require('./native.js');

const { NativeClient } = native;

/** Why there is no client: `code` is `SETTINGS`, `REFUSED`, `TIMEOUT` or `FILE`. */
class StartError extends Error {
  name = 'HalyardStartError';

  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

/** Flags from memory, which follow an edge. */
class Client {
  #native;
  #number;
  #keys;
  #listeners = { change: new Set(), status: new Set() };
  #isListening = false;

  constructor(started) {
    if (!(started instanceof NativeClient)) throw new TypeError('a client is made by Client.start');
    this.#native = started;
    this.#number = native.holdClient(started);
    this.#keys = new Keys(this.#number);
  }

  static async start({ wait = true, ...options }) {
    for (const name of Object.keys(options)) if (options[name] === undefined) delete options[name];
    return Client.#started(await native.start(options, wait));
  }

  static async fromFile(path) {
    return Client.#started(await native.fromFile(path));
  }

  static #started(started) {
    if (started instanceof NativeClient) return new Client(started);
    throw new StartError(started.code, started.message);
  }

  boolean(key, context, fallback) {
    const user = contextOf(context);
    if (user === undefined) return fallback;
    return native.boolean(this.#number, this.#keys.number(key), user, fallback);
  }

  number(key, context, fallback) {
    const user = contextOf(context);
    if (user === undefined) return fallback;
    return native.number(this.#number, this.#keys.number(key), user, fallback);
  }

  string(key, context, fallback) {
    const user = contextOf(context);
    if (user === undefined) return fallback;
    return native.string(this.#number, this.#keys.number(key), user) ?? fallback;
  }

  json(key, context, fallback) {
    const user = contextOf(context);
    if (user === undefined) return fallback;
    const text = native.json(this.#number, this.#keys.number(key), user);
    return text === null ? fallback : JSON.parse(text);
  }

  booleanDetail(key, context, fallback) {
    const user = contextOf(context);
    if (user === undefined) return withoutContext(fallback);
    return detail(native.booleanDetail(this.#number, this.#keys.number(key), user) ?? fallback);
  }

  numberDetail(key, context, fallback) {
    const user = contextOf(context);
    if (user === undefined) return withoutContext(fallback);
    return detail(native.numberDetail(this.#number, this.#keys.number(key), user) ?? fallback);
  }

  stringDetail(key, context, fallback) {
    const user = contextOf(context);
    if (user === undefined) return withoutContext(fallback);
    return detail(native.stringDetail(this.#number, this.#keys.number(key), user) ?? fallback);
  }

  jsonDetail(key, context, fallback) {
    const user = contextOf(context);
    if (user === undefined) return withoutContext(fallback);
    const text = native.jsonDetail(this.#number, this.#keys.number(key), user);
    return detail(text === null ? fallback : JSON.parse(text));
  }

  track(flag, variant, user) {
    this.#native.track(flag, variant, user);
  }

  get tracksDropped() {
    return this.#native.tracksDropped();
  }

  get flagKeys() {
    return this.#native.flagKeys();
  }

  get status() {
    return status(this.#native.status());
  }

  on(event, listener) {
    const listeners = this.#listeners[event];
    if (listeners === undefined) throw new TypeError(`there is no event ${event}`);
    // The same function may be given twice.
    const one = told => listener(told);
    listeners.add(one);
    this.#listen();
    return () => {
      listeners.delete(one);
      this.#listen();
    };
  }

  async close() {
    await this.#native.close();
    for (const listeners of Object.values(this.#listeners)) listeners.clear();
    this.#listen();
  }

  async [Symbol.asyncDispose]() {
    await this.close();
  }

  /** Listens while somebody does: what the library holds is not collected. */
  #listen() {
    const wanted = Object.values(this.#listeners).some(({ size }) => size > 0);
    if (wanted === this.#isListening) return;
    this.#isListening = wanted;
    if (wanted) this.#native.listen(news => this.#tell(news));
    else this.#native.unlisten();
  }

  #tell(news) {
    if (news.change) call(this.#listeners.change, news.change);
    if (news.status) call(this.#listeners.status, status(news.status));
  }
}

/** Nothing for what is no context: flags are asked for where nothing may fail. */
function contextOf(context) {
  try {
    return numberOf(context);
  } catch {
    return undefined;
  }
}

function status({ since, ...rest }) {
  return since === undefined ? rest : { ...rest, since: new Date(since) };
}

/** One that throws keeps no other from being told, and is reported as an uncaught exception. */
function call(listeners, told) {
  for (const listener of [...listeners]) {
    try {
      listener(told);
    } catch (why) {
      queueMicrotask(() => {
        throw why;
      });
    }
  }
}

module.exports = { Client, StartError };
