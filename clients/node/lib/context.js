'use strict';

const { dropContext, holdContext, setContext } = require('./native.js');

/** The number of a context, or of an object that says the same: that one has it until the next is asked for. */
let numberOf;

// The library knows contexts by numbers. Those of contexts that are gone are given to others, later than anything that is going on now.
const held = new FinalizationRegistry(dropContext);

/** Whom flags are evaluated for; made once, it serves any number of evaluations. */
class Context {
  #number;

  static {
    numberOf = context => (#number in context ? context.#number : passing(context));
  }

  constructor(key, attributes = {}) {
    if (typeof key !== 'string') throw new TypeError('the key of a context is a text');
    this.#number = taken(holdContext, key, attributes);
    held.register(this, this.#number);
    this.key = key;
    this.attributes = attributes;
    Object.freeze(this);
  }
}

function passing({ key, attributes }) {
  taken(setContext, key, attributes);
  return 0;
}

/** What `take` makes of the text of a context. */
function taken(take, key, attributes) {
  const context = { key, attributes };
  try {
    return take(JSON.stringify(context));
  } catch (why) {
    try {
      return take(JSON.stringify(context, wellFormed));
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

module.exports = { Context, numberOf };
