import type { FullResult, Reporter, TestCase, TestError, TestResult } from '@playwright/test/reporter';

/** More tests than this that pass only when they are run again are failures: then it is not the machine that is busy. */
const MOST_AGAIN = 3;

/** Says in the end what `./dev test` adds up, and what the tests measured. */
export default class Report implements Reporter {
  private passed = 0;
  private failed = 0;
  private readonly again: string[] = [];
  private readonly runs = new Map<string, number>();
  private readonly figures: string[] = [];
  private readonly reasons: string[] = [];

  onTestEnd(test: TestCase, result: TestResult): void {
    if (result.status === 'passed') {
      this.passed += 1;
      if (result.retry > 0) this.again.push(test.titlePath().join(' › '));
    } else if (result.status !== 'skipped') {
      if (result.retry === test.retries) this.failed += 1;
      this.reasons.push(`FAILED ${test.titlePath().join(' › ')}\n${result.errors.map(shortened).join('\n')}`);
    }
    for (const { type, description = '' } of test.annotations) {
      if (type === 'axe') this.runs.set(type, (this.runs.get(type) ?? 0) + Number(description));
      if (type === 'figure') this.figures.push(description);
    }
  }

  onEnd(result: FullResult): void {
    for (const figure of this.figures) console.log(figure);
    for (const [type, count] of this.runs) console.log(`${type}: ${count} runs`);
    // Again, without the attachments between which they are lost in a long log.
    for (const reason of this.reasons) console.log(reason);
    for (const name of this.again) console.log(`passed only when run again: ${name}`);
    if (this.again.length > MOST_AGAIN) this.failed += this.again.length;
    // Whatever ended the run without a test, as a file that does not load, is a failure as well.
    if (result.status !== 'passed' && this.failed === 0) this.failed = 1;
    console.log(
      `test result: ${this.failed === 0 ? 'ok' : 'FAILED'}. ${this.passed} passed; ${this.failed} failed`,
    );
  }

  printsToStdio(): boolean {
    return false;
  }
}

/** What was expected and found, without the colours. */
function shortened({ message = '' }: TestError): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
  const plain = message.replace(/\u001b\[[0-9;]*m/g, '');
  return plain.split('\n').slice(0, 12).join('\n');
}
