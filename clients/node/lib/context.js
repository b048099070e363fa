'use strict';

const { NativeContext } = require('./native.js');

/** What the library takes, of a context or of an object that says the same. */
let prepared;

/** Whom flags are evaluated for; made once, it serves any number of evaluations. */
class Context {
  #native;

  static {
    prepared = context => (#native in context ? context.#native : native(context));
  }

  constructor(key, attributes = {}) {
    if (typeof key !== 'string') throw new TypeError('the key of a context is a text');
    this.#native = native({ key, attributes });
    this.key = key;
    this.attributes = attributes;
    Object.freeze(this);
  }
}

function native({ key, attributes }) {
  const context = { key, attributes };
  try {
    return new NativeContext(JSON.stringify(context));
  } catch (why) {
    try {
      return new NativeContext(JSON.stringify(context, wellFormed));
    } catch {
      throw new TypeError(why.message);
    }
  }
}

/** Halves of characters, which texts of JavaScript can have and others cannot, become U+FFFD. */
function wellFormed(_, value) {
  if (typeof value === 'string') return value.toWellFormed();
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name.toWellFormed(), member]));
}

module.exports = { Context, prepared };
