/** All text is in messages: what a person reads is written nowhere else. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';

const SOURCES = join(import.meta.dirname, '..');
/** Attributes that people read or hear. */
const READ = [
  'alt',
  'aria-label',
  'aria-description',
  'label',
  'placeholder',
  'title',
  'description',
  'hint',
  'confirm',
];

function literals(name: string, text: string): string[] {
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  const found: string[] = [];
  const visit = (node: ts.Node) => {
    if (isRead(node)) {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart());
      found.push(`${name}:${line + 1} ${node.getText().trim()}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

function isRead(node: ts.Node): boolean {
  if (ts.isJsxText(node)) return hasLetters(node.text);
  if (!ts.isStringLiteralLike(node) && !ts.isTemplateExpression(node)) return false;
  const literal = ts.isTemplateExpression(node) ? node.getText() : node.text;
  if (!hasLetters(literal)) return false;
  let around: ts.Node = node.parent;
  while (
    ts.isJsxExpression(around) ||
    ts.isConditionalExpression(around) ||
    ts.isParenthesizedExpression(around)
  ) {
    if (ts.isConditionalExpression(around) && around.condition === node) return false;
    around = around.parent;
  }
  if (ts.isJsxAttribute(around)) return READ.includes(around.name.getText());
  return ts.isJsxElement(around) || ts.isJsxFragment(around);
}

function hasLetters(text: string): boolean {
  return /\p{Letter}/u.test(text);
}

it('no text is written outside of the messages', () => {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter(name =>
    name.endsWith('.tsx'),
  );
  expect(files.length).toBeGreaterThan(20);
  expect(files.flatMap(name => literals(name, readFileSync(join(SOURCES, name), 'utf8')))).toEqual([]);
  // It parses all sources, which takes its time where several builds run.
}, 60_000);

it.each([
  ['<p>Hello</p>', 1],
  ['<p>{"Hello"}</p>', 1],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the source that is looked at
  ['<p>{`Hello ${name}`}</p>', 1],
  ['<p>{isOn ? "On" : t.off()}</p>', 1],
  ['<Button label="Close" />', 1],
  ['<img alt={"A flag"} />', 1],
  ['<p className="soft">{t.hello()}</p>', 0],
  ['<p>{kind === "on" ? t.on() : null}: 7</p>', 0],
])('finds what is in %s', (source, count) => {
  expect(literals('x.tsx', `const x = ${source};`)).toHaveLength(count);
});
