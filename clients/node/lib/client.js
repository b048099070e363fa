'use strict';

const { prepared } = require('./context.js');
const { NativeClient, fromFile, start } = require('./native.js');

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
  #listeners = { change: new Set(), status: new Set() };
  #isListening = false;

  constructor(native) {
    if (!(native instanceof NativeClient)) throw new TypeError('a client is made by Client.start');
    this.#native = native;
  }

  static async start({ wait = true, ...options }) {
    for (const name of Object.keys(options)) if (options[name] === undefined) delete options[name];
    return Client.#started(await start(options, wait));
  }

  static async fromFile(path) {
    return Client.#started(await fromFile(path));
  }

  static #started(started) {
    if (started instanceof NativeClient) return new Client(started);
    throw new StartError(started.code, started.message);
  }

  boolean(key, context, fallback) {
    const native = contextOf(context);
    return native === undefined ? fallback : this.#native.boolean(key, native, fallback);
  }

  number(key, context, fallback) {
    const native = contextOf(context);
    return native === undefined ? fallback : this.#native.number(key, native, fallback);
  }

  string(key, context, fallback) {
    const native = contextOf(context);
    return (native && this.#native.string(key, native)) ?? fallback;
  }

  json(key, context, fallback) {
    const native = contextOf(context);
    const text = native && this.#native.json(key, native);
    return typeof text === 'string' ? JSON.parse(text) : fallback;
  }

  booleanDetail(key, context, fallback) {
    const native = contextOf(context);
    return detail(native && this.#native.booleanDetail(key, native), fallback);
  }

  numberDetail(key, context, fallback) {
    const native = contextOf(context);
    return detail(native && this.#native.numberDetail(key, native), fallback);
  }

  stringDetail(key, context, fallback) {
    const native = contextOf(context);
    return detail(native && this.#native.stringDetail(key, native), fallback);
  }

  jsonDetail(key, context, fallback) {
    const native = contextOf(context);
    const answer = native && this.#native.jsonDetail(key, native);
    if (typeof answer?.value === 'string') answer.value = JSON.parse(answer.value);
    return detail(answer, fallback);
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
    return prepared(context);
  } catch {
    return undefined;
  }
}

function detail(answer, fallback) {
  if (answer === undefined) return { value: fallback, reason: 'ERROR', error: 'INVALID_CONTEXT' };
  if (answer.value === undefined) answer.value = fallback;
  return answer;
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
