/** Says in the end what `./dev test` adds up. Suites are not counted. */
export default async function* report(events) {
  let passed = 0;
  let failed = 0;
  for await (const { type, data } of events) {
    if (data?.details?.type === 'suite' || data?.skip !== undefined) continue;
    if (type === 'test:pass') passed += 1;
    if (type === 'test:fail') failed += 1;
  }
  yield `test result: ${failed === 0 ? 'ok' : 'FAILED'}. ${passed} passed; ${failed} failed\n`;
}
