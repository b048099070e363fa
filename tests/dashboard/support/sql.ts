import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** For what only time, or a large installation, would bring about. */
export async function sql(...statements: string[]): Promise<void> {
  const url = process.env.DATABASE_URL;
  if (url === undefined) throw new Error('DATABASE_URL is not set: ./dev dashboard test sets it');
  const commands = statements.flatMap(statement => ['-c', statement]);
  await promisify(execFile)('psql', ['-q', '-v', 'ON_ERROR_STOP=1', ...commands, url]);
}
