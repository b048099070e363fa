import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Organization } from './organization';

/** Makes a flag and its states as old as that: the clock of the service under test is that of the machine. */
export async function backdate({ project }: Organization, key: string, days: number): Promise<void> {
  const url = process.env.DATABASE_URL;
  if (url === undefined) throw new Error('DATABASE_URL is not set: ./dev dashboard test sets it');
  const age = `interval '${days} days'`;
  const flags = `SELECT id FROM flags WHERE project_id = '${project.id}' AND key = '${key}'`;
  const statements = [
    `UPDATE flag_states SET updated_at = updated_at - ${age} WHERE flag_id IN (${flags})`,
    `UPDATE flags SET created_at = created_at - ${age}, updated_at = updated_at - ${age} WHERE id IN (${flags})`,
  ];
  const commands = statements.flatMap(statement => ['-c', statement]);
  await promisify(execFile)('psql', ['-q', '-v', 'ON_ERROR_STOP=1', ...commands, url]);
}
