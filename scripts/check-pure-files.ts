/**
 * Finds what import rules cannot see in pure files, such as Date.now(), and uses of the process's clock in all others:
 * `npm run check:pure` ends with 1 on a finding.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** The same files as `pure` in .dependency-cruiser.mjs. */
const pureFile = /^server\/crypto\/|\.rules\.ts$/;

/** Programs hand out the clock, one check compares it with the primary's, and log lines are dated by it. */
const readsMachineClock = /^server\/(main|logger|commands\/[a-z-]+|jobs\/clock-check)\.ts$/;

/** Globals that reach the clock, chance, the process or the wire. */
const impureGlobals = new Set(
  'process performance fetch setTimeout setInterval setImmediate queueMicrotask console crypto'.split(' '),
);
const impureMembers = new Set(['Date.now', 'Math.random']);
const machineClocks = new Set(['Date.now', 'new Date() without an instant']);
const impureImport = /^(random|generateKey|getRandomValues|webcrypto|createDiffieHellman)/;

/** One line for each clock, random source or effect that this source text uses; empty for a pure file. */
export function impurities(fileName: string, source: string): string[] {
  return usesOf(fileName, source, () => true);
}

/** One line for each place that reads the clock itself instead of being handed it. */
export function machineClockReads(fileName: string, source: string): string[] {
  return usesOf(fileName, source, (what) => machineClocks.has(what));
}

function usesOf(fileName: string, source: string, counts: (what: string) => boolean): string[] {
  const file = ts.createSourceFile(fileName, source, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const what = impurityOf(node);
    if (what !== undefined && counts(what)) {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart());
      found.push(`${fileName}:${line + 1} uses ${what}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

function impurityOf(node: ts.Node): string | undefined {
  if (ts.isPropertyAccessExpression(node) && impureMembers.has(node.getText())) return node.getText();
  if (ts.isNewExpression(node) && node.expression.getText() === 'Date' && !node.arguments?.length) {
    return 'new Date() without an instant';
  }
  if (ts.isImportSpecifier(node)) {
    const name = (node.propertyName ?? node.name).text;
    return impureImport.test(name) ? name : undefined;
  }
  if (ts.isIdentifier(node) && impureGlobals.has(node.text) && isReadAsValue(node)) return node.text;
  return undefined;
}

/** False for the name after a dot, and for a name that is being defined. */
function isReadAsValue(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node;
  if (ts.isPropertyAssignment(parent)) return parent.initializer === node;
  return (
    ts.isExpression(parent) ||
    ts.isStatement(parent) ||
    (ts.isVariableDeclaration(parent) && parent.initializer === node)
  );
}

function check(): void {
  const server = fileURLToPath(new URL('../server/', import.meta.url));
  const files = readdirSync(server, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => ({ name: `server/${name}`, source: readFileSync(join(server, name), 'utf8') }));
  const found = files.flatMap(({ name, source }) => {
    if (readsMachineClock.test(name)) return [];
    return pureFile.test(name) ? impurities(name, source) : machineClockReads(name, source);
  });
  for (const line of found) console.error(line);
  if (found.length > 0) process.exitCode = 1;
}

check();
