import ts from 'typescript';

/** What an editor shows over a name. */
export interface Shown {
  name: string;
  declaration: string;
  documentation: string;
}

/** What the language service of TypeScript shows over every name of this file that the installed package declares. */
export function shownOver(file: string, options: ts.CompilerOptions): Shown[] {
  const { realpath } = ts.sys;
  const service = ts.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => [file],
    getScriptVersion: () => '1',
    getScriptSnapshot: (name) => {
      const text = ts.sys.readFile(name);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => ts.sys.resolvePath(`${file}/..`),
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
    ...(realpath === undefined ? {} : { realpath }),
  });
  const source = service.getProgram()?.getSourceFile(file);
  if (source === undefined) throw new Error(`the language service does not read ${file}`);
  const shown: Shown[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && isOfPackage(service, file, node)) {
      const info = service.getQuickInfoAtPosition(file, node.getStart());
      shown.push({
        name: node.text,
        declaration: ts.displayPartsToString(info?.displayParts),
        documentation: ts.displayPartsToString(info?.documentation),
      });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return shown;
}

function isOfPackage(service: ts.LanguageService, file: string, name: ts.Identifier): boolean {
  const definitions = service.getDefinitionAtPosition(file, name.getStart()) ?? [];
  return definitions.some(({ fileName }) => fileName.includes('/@fairlead/contract/'));
}
