'use strict';

const { dropKeys, holdKey } = require('./native.js');

/** How many keys are remembered, and how long they may be: applications make keys up. */
const MOST = 10_000;
const LONGEST = 255;

/** The numbers by which the library knows keys of flags, for one client: a text is handed over once, since that takes longer than an answer. */
class Keys {
  #client;
  #numbers = new Map();

  constructor(client) {
    this.#client = client;
  }

  number(key) {
    return this.#numbers.get(key) ?? this.#add(key);
  }

  #add(key) {
    if (this.#numbers.size >= MOST || key?.length > LONGEST) {
      dropKeys(this.#client);
      this.#numbers.clear();
    }
    const number = holdKey(this.#client, key);
    this.#numbers.set(key, number);
    return number;
  }
}

module.exports = { Keys };
