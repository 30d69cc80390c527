import { dirname, isAbsolute, relative } from 'node:path';
import ts from 'typescript';

/**
 * Emits the declarations of the contract for the report, which is read by people: a schema as the type that it accepts and
 * answers, not as its construction, and a router as the names of its routes, which docs/openapi.json describes.
 */
export function emitForReport(configFile: string, outDir: string): void {
  const { config } = ts.readConfigFile(configFile, ts.sys.readFile);
  const folder = ts.sys.resolvePath(`${configFile}/..`);
  const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, folder);
  const program = ts.createProgram(fileNames, {
    ...options,
    outDir,
    emitDeclarationOnly: true,
    declarationMap: false,
    sourceMap: false,
  });
  const { emitSkipped } = program.emit(undefined, undefined, undefined, true, {
    afterDeclarations: [abbreviate(program.getTypeChecker())],
  });
  if (emitSkipped) throw new Error('the declarations of the contract were not emitted');
}

function abbreviate(checker: ts.TypeChecker): ts.TransformerFactory<ts.SourceFile | ts.Bundle> {
  return (context) => (file) => {
    const visit = (node: ts.Node): ts.Node => {
      if (!ts.isVariableDeclaration(node)) return ts.visitEachChild(node, visit, context);
      const source = ts.getOriginalNode(node);
      const type = shortType(checker, source);
      return type === undefined
        ? node
        : ts.factory.updateVariableDeclaration(node, node.name, node.exclamationToken, type, undefined);
    };
    return ts.visitNode(file, visit) as ts.SourceFile;
  };
}

const inFull =
  ts.NodeBuilderFlags.NoTruncation |
  ts.NodeBuilderFlags.InTypeAlias |
  ts.NodeBuilderFlags.MultilineObjectLiterals;

/** The compiler lists the members of a union as it first met them, which depends on files that have nothing to do with it. */
function inOrder<Node extends ts.TypeNode>(type: Node): Node {
  const visit = (node: ts.Node): ts.Node => {
    const visited = ts.visitEachChild(node, visit, undefined);
    if (!ts.isUnionTypeNode(visited)) return visited;
    const members = [...visited.types].sort((a, b) => (textOf(a) < textOf(b) ? -1 : 1));
    return ts.factory.createUnionTypeNode(members);
  };
  return visit(type) as Node;
}

/** The compiler names modules that the file does not import by their whole path, which is another one in every checkout. */
function withoutFolders<Node extends ts.TypeNode>(type: Node, fileName: string): Node {
  const visit = (node: ts.Node): ts.Node => {
    const visited = ts.visitEachChild(node, visit, undefined);
    if (!ts.isImportTypeNode(visited) || !ts.isLiteralTypeNode(visited.argument)) return visited;
    const { literal } = visited.argument;
    if (!ts.isStringLiteral(literal) || !isAbsolute(literal.text)) return visited;
    const path = relative(dirname(fileName), literal.text);
    const { factory } = ts;
    const argument = factory.createLiteralTypeNode(
      factory.createStringLiteral(`${path.startsWith('.') ? path : `./${path}`}.js`),
    );
    const { attributes, qualifier, typeArguments, isTypeOf } = visited;
    return factory.updateImportTypeNode(visited, argument, attributes, qualifier, typeArguments, isTypeOf);
  };
  return visit(type) as Node;
}

/** The type of a schema or a router; undefined for anything else. */
function shortType(checker: ts.TypeChecker, declaration: ts.Node): ts.TypeNode | undefined {
  const type = checker.getTypeAtLocation(declaration);
  const written = (of: ts.Type) => {
    const node = checker.typeToTypeNode(of, declaration, inFull);
    return node && inOrder(withoutFolders(node, declaration.getSourceFile().fileName));
  };
  const [output, input] = ['_output', '_input'].map((name) => {
    const property = type.getProperty(name);
    return property && written(checker.getTypeOfSymbolAtLocation(property, declaration));
  });
  if (output && input) return schemaType(output, input);
  return isRouter(checker, type, declaration) ? routerType(checker, type, declaration) : undefined;
}

/** One type if the schema accepts what it returns, else both. */
function schemaType(output: ts.TypeNode, input: ts.TypeNode): ts.TypeNode {
  const { factory } = ts;
  const same = textOf(output) === textOf(input);
  const definition = factory.createTypeReferenceNode(qualified('ZodTypeDef'));
  return factory.createTypeReferenceNode(qualified('ZodType'), same ? [output] : [output, definition, input]);
}

function qualified(name: string): ts.QualifiedName {
  return ts.factory.createQualifiedName(ts.factory.createIdentifier('z'), name);
}

function isRouter(checker: ts.TypeChecker, type: ts.Type, at: ts.Node): boolean {
  if (type.getProperty('method') && type.getProperty('responses')) return true;
  const members = type.getProperties();
  return (
    members.length > 0 &&
    type.getCallSignatures().length === 0 &&
    members.every((member) => {
      const of = checker.getTypeOfSymbolAtLocation(member, at);
      return (of.flags & ts.TypeFlags.Object) !== 0 && of !== type && isRouter(checker, of, at);
    })
  );
}

/** `"GET /api/rates/:corridor"` for a route, and for a router its members. */
function routerType(checker: ts.TypeChecker, type: ts.Type, at: ts.Node): ts.TypeNode {
  const literal = (name: string) => {
    const property = type.getProperty(name);
    const of = property && checker.getTypeOfSymbolAtLocation(property, at);
    return of?.isStringLiteral() ? of.value : undefined;
  };
  const [method, path] = [literal('method'), literal('path')];
  if (method !== undefined && path !== undefined) {
    return ts.factory.createLiteralTypeNode(ts.factory.createStringLiteral(`${method} ${path}`));
  }
  return ts.factory.createTypeLiteralNode(
    type
      .getProperties()
      .map((member) =>
        ts.factory.createPropertySignature(
          undefined,
          member.name,
          undefined,
          routerType(checker, checker.getTypeOfSymbolAtLocation(member, at), at),
        ),
      ),
  );
}

const printer = ts.createPrinter();
const nowhere = ts.createSourceFile('nowhere.ts', '', ts.ScriptTarget.Latest);

function textOf(node: ts.TypeNode): string {
  return printer.printNode(ts.EmitHint.Unspecified, node, nowhere);
}
