import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import ts from 'typescript';

/** What an editor shows over a name of the package: `(property) RatesAnswer.stale: boolean`, and the text below it. */
export interface Hover {
  name: string;
  declaration: string;
  documentation: string;
}

/** What an editor, by TypeScript's language service, shows over every name of this file that the package declares. */
export function hoversOver(path: string, resolution: ts.CompilerOptions): Hover[] {
  const text = readFileSync(path, 'utf8');
  const lib = ['lib.es2022.d.ts', 'lib.dom.d.ts'];
  const usual = { strict: true, noEmit: true, skipLibCheck: true, types: [] };
  const settings = { ...usual, target: ts.ScriptTarget.ES2022, lib };
  const service = ts.createLanguageService({
    getCompilationSettings: () => ({ ...resolution, ...settings }),
    getScriptFileNames: () => [path],
    getScriptVersion: () => '1',
    getScriptSnapshot: (name) => {
      const content = ts.sys.readFile(name);
      return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content);
    },
    getCurrentDirectory: () => dirname(path),
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
  });
  const shown: Hover[] = [];
  const visit = (node: ts.Node): void => {
    const at = node.getStart();
    const isOurs = () =>
      (service.getDefinitionAtPosition(path, at) ?? []).some(({ fileName }) =>
        fileName.includes('/@fairlead/contract/'),
      );
    if (ts.isIdentifier(node) && isOurs()) {
      const info = service.getQuickInfoAtPosition(path, at);
      const declaration = ts.displayPartsToString(info?.displayParts);
      const documentation = ts.displayPartsToString(info?.documentation);
      shown.push({ name: node.text, declaration, documentation });
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
  return shown;
}
