import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { type Hover, openInEditor } from '../hover/language-service.js';

/** What an editor shows over every name of this file that the installed package declares. */
export function shownOver(path: string, resolution: ts.CompilerOptions): (Hover & { name: string })[] {
  const text = readFileSync(path, 'utf8');
  const { declaredIn, hoverAt } = openInEditor(text, path, resolution);
  const shown: (Hover & { name: string })[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) {
      const isOfPackage = declaredIn(node.getStart()).some((file) => file.includes('/@fairlead/contract/'));
      if (isOfPackage) shown.push({ name: node.text, ...hoverAt(node.getStart()) });
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
  return shown;
}
