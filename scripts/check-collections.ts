/**
 * Every collection is named by one store and by nobody else: a part of `npm run check:pure`. Import rules cannot see a
 * collection that is opened by a string.
 */
import ts from 'typescript';

export interface SourceFile {
  name: string;
  source: string;
}

const storeFile = /^server\/mongo\/|[-/]store\.ts$|\/store\//;
/** `collection('intents')`, `bulkCollection(connection, 'intents')`. */
const opensCollection = /collections?$/i;
/** `{ collection: 'intents' }`, and the stages of a pipeline that read or write another collection. */
const namesCollection = new Set(['collection', 'from', 'coll', 'into', '$out', '$unionWith']);

/** One line for each collection that a file names though it is not the store that defines it. */
export function collectionsOutsideTheirStore(files: readonly SourceFile[]): string[] {
  const home = new Map<string, string>();
  const found: string[] = [];
  for (const file of files) {
    if (!storeFile.test(file.name)) continue;
    for (const { collection, isDefinition } of namedIn(file)) {
      if (isDefinition) home.set(collection, file.name);
    }
  }
  for (const file of files) {
    for (const { collection, isDefinition, line } of namedIn(file)) {
      const at = `${file.name}:${line}`;
      const owner = home.get(collection);
      if (!storeFile.test(file.name))
        found.push(`${at} ${isDefinition ? 'defines' : 'opens'} ${collection} outside a store`);
      else if (owner !== undefined && folderOf(owner) !== folderOf(file.name))
        found.push(`${at} names ${collection}, the collection of ${owner}`);
    }
  }
  return found;
}

interface Named {
  collection: string;
  /** Whether the name is the option of a schema, which defines the collection, and not a use. */
  isDefinition: boolean;
  line: number;
}

function namedIn({ name, source }: SourceFile): Named[] {
  const file = ts.createSourceFile(name, source, ts.ScriptTarget.Latest, true);
  const found: Named[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node)) {
      const { parent } = node;
      const isProperty = ts.isPropertyAssignment(parent) && namesCollection.has(parent.name.getText());
      const isArgument = ts.isCallExpression(parent) && opensCollection.test(calleeName(parent));
      if (isProperty || isArgument) {
        const { line } = file.getLineAndCharacterOfPosition(node.getStart());
        const isDefinition = isProperty && parent.name.getText() === 'collection';
        found.push({ collection: node.text, isDefinition, line: line + 1 });
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

function calleeName({ expression }: ts.CallExpression): string {
  return ts.isPropertyAccessExpression(expression) ? expression.name.text : expression.getText();
}

/** The stores of one folder may join each other's collections. */
function folderOf(name: string): string {
  return name.replace(/(\/store)?\/[^/]+$/, '');
}
