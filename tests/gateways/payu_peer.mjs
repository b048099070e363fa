// Asks the library of gateway_form. Each line of stdin is a question in JSON, each line of stdout its answer. Runs in the
// folder where the library is installed.

import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';

const require = createRequire(`${process.cwd()}/`);
// Not the package itself: the file that it begins with does not parse, and requires one that it does not have.
const { generateHash, validateHash } = require('payu-sdk/lib/payu/hasher.js');

const answers = {
  version: () => ({ library: `payu-sdk ${require('payu-sdk/package.json').version}` }),
  request_hash: ({ fields }) => ({ hash: generateHash(fields) }),
  // With additional charges the library fails, since it assigns to a constant.
  reverse_hash_is_valid: ({ hash, fields }) => ({ valid: validateHash(hash, fields) }),
};

function answer(question) {
  try {
    return answers[question.ask](question);
  } catch (error) {
    return { refused: error.message };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(answer(JSON.parse(line))));
}
