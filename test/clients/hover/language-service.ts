import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** What an editor shows over a name. */
export interface Hover {
  /** The declaration: `(property) RatesAnswer.stale: boolean`. */
  declaration: string;
  documentation: string;
}

/** An editor's view of one file of a project. */
export interface Editor {
  /** The hover of `name` where `before` followed by `name` occurs first in the text. */
  hover(before: string, name: string): Hover;
  /** The hover at this position of the text. */
  hoverAt(position: number): Hover;
  /** The files that declare the name at this position. */
  declaredIn(position: number): string[];
  program: ts.Program;
}

const nodeNext: ts.CompilerOptions = {
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
};

/** The language service for a file with this text, which need not exist; by default in the root of the repository. */
export function openInEditor(
  text: string,
  path = `${root}hovered.ts`,
  resolution: ts.CompilerOptions = nodeNext,
): Editor {
  const options: ts.CompilerOptions = {
    ...resolution,
    target: ts.ScriptTarget.ES2022,
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'],
  };
  const read = (name: string) => (name === path ? text : ts.sys.readFile(name));
  const service = ts.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => [path],
    getScriptVersion: () => '1',
    getScriptSnapshot: (name) => {
      const content = read(name);
      return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content);
    },
    getCurrentDirectory: () => dirname(path),
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (name) => name === path || ts.sys.fileExists(name),
    readFile: (name) => read(name) ?? readFileSync(name, 'utf8'),
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
  });
  const program = service.getProgram();
  if (program === undefined) throw new Error('the language service has no program');

  function hoverAt(position: number): Hover {
    const info = service.getQuickInfoAtPosition(path, position);
    return {
      declaration: ts.displayPartsToString(info?.displayParts),
      documentation: ts.displayPartsToString(info?.documentation),
    };
  }

  return {
    program,
    hoverAt,
    hover(before, name) {
      const at = text.indexOf(before + name);
      if (at < 0) throw new Error(`the file has no ${before}${name}`);
      return hoverAt(at + before.length);
    },
    declaredIn: (position) =>
      (service.getDefinitionAtPosition(path, position) ?? []).map(({ fileName }) => fileName),
  };
}
