'use strict';

const { error, reasons, variant, version, why } = require('./native.js');

const REASONS = reasons();

/** What `why` adds to the number of a reason, as in src/detail.rs. */
const HAS_VARIANT = 16;
const HAS_ERROR = 32;

/** The last answer, whose value this is, and why it was given. */
function detail(value) {
  const told = why();
  const answer = { value, reason: REASONS[told % HAS_VARIANT] };
  if (told & HAS_VARIANT) answer.variant = variant();
  const answered = version();
  if (answered !== null) answer.version = answered;
  if (told & HAS_ERROR) answer.error = error();
  return answer;
}

/** The answer for what is no context. */
const withoutContext = value => ({ value, reason: 'ERROR', error: 'INVALID_CONTEXT' });

module.exports = { detail, withoutContext };
