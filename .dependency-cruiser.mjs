/**
 * Who may import whom. The rules go by folders and roles, and a path tells the role:
 *
 *   contract/**                         the package that front ends install: nothing of ours, nothing of Node
 *   mcp/**                              the MCP server: the contract, and what the generators read of it
 *   web/**                              the web page: the entries of the contract package, and packages of its own
 *   server/main.ts, cli.ts              programs: the service, and the operator's, with a file of commands/ for each subcommand
 *   server/compose.ts                   the table of contents, and what is done once before serving
 *   server/{http,streams,limits,mongo,jobs,cache,outbound,ledger,crypto}/   the technical ring: knows no feature
 *   server/features/<feature>/, server/webhooks/    in each, by the name of the file:
 *     feature.ts                        the factory and its router: wires the files of its folder, and maps the contract to them
 *     store.ts, *-store.ts              every query of the feature's collections
 *     *.rules.ts                        pure: values in, values out
 *     any other file                    a service: knows no HTTP, no mongoose, no other feature's values
 *
 * What a path cannot tell, such as who reads the clock, is checked by biome (biome.json, .biome/).
 *
 * @type {import('dependency-cruiser').IConfiguration}
 */
const typeOnly = ['type-only'];
const ring = 'http|streams|limits|mongo|jobs|cache|outbound|ledger|crypto';
const store = '[-/]store\\.ts$';
const factory = '^server/(features/[^/]+|webhooks)/feature\\.ts$';
const rules = '\\.rules\\.ts$';
const pure = `^server/crypto/|^server/.+${rules}`;
/** Everything of a feature that is not one of the other roles; the same holds for webhooks. */
const service = { path: '^server/(features|webhooks)/', pathNot: [store, factory, rules] };
/** Builds the package, and is not part of it. */
const contractBuild = '^contract/build\\.mjs$';
const programs = '^server/((main|cli)\\.ts$|commands/)';

export default {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Two files that need each other are one file, or lack a third.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-orphans',
      comment: 'A file that imports nothing and that nothing imports does nothing.',
      severity: 'error',
      from: {
        orphan: true,
        pathNot: ['^scripts/[^/]+\\.ts$', '\\.test\\.ts$', '\\.d\\.ts$'],
      },
      to: {},
    },
    {
      name: 'no-dead-server-files',
      comment: 'Server code that no program reaches is dead, even where a test reaches it.',
      severity: 'error',
      from: { path: programs },
      to: { path: '^server/', pathNot: `${programs}|\\.d\\.ts$`, reachable: false },
    },
    {
      name: 'resolvable',
      comment: 'An import that leads nowhere fails at run time only.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'declared-packages-only',
      comment:
        'A package that package.json does not name arrives by accident and leaves by accident. zod, @ts-rest/core ' +
        'and @noble/ed25519 are named by the contract package, whose very copies the server has to share; the SDK is ' +
        'named by mcp/package.json; @stellar/stellar-base is a peer, which the tool takes for one that nobody named.',
      severity: 'error',
      from: {},
      to: {
        dependencyTypes: ['npm-no-pkg', 'npm-unknown'],
        pathNot:
          '(^|/)node_modules/(zod|@ts-rest/core|@noble/ed25519|@modelcontextprotocol/sdk|@stellar/stellar-base)/',
      },
    },
    {
      name: 'no-development-packages-in-production',
      comment: 'The production image installs dependencies only.',
      severity: 'error',
      from: { path: '^(server|contract)/', pathNot: contractBuild },
      to: { dependencyTypes: ['npm-dev'] },
    },
    {
      name: 'contract-stands-alone',
      comment:
        'Front ends install the contract: nothing of ours outside it, and nothing that a browser lacks.',
      severity: 'error',
      from: { path: '^contract/' },
      to: { path: '^(mcp|server|scripts|test)/' },
    },
    {
      name: 'contract-runs-in-a-browser',
      severity: 'error',
      from: { path: '^contract/', pathNot: contractBuild },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'contract-own-packages',
      comment: 'Only what contract/package.json declares; the root declares more.',
      severity: 'error',
      from: { path: '^contract/', pathNot: contractBuild },
      to: {
        path: '(^|/)node_modules/',
        pathNot:
          '(^|/)node_modules/(@noble/(ed25519|hashes)|@ts-rest/core|@stellar/stellar-base|canonicalize|decimal\\.js|smol-toml|zod)/',
      },
    },
    {
      name: 'mcp-stands-on-the-contract',
      comment:
        'What it knows of the service it knows from the contract, and from how the generators read that.',
      severity: 'error',
      from: { path: '^mcp/' },
      to: { path: '^(server|scripts|test)/', pathNot: '^scripts/openapi/' },
    },
    {
      name: 'mcp-own-packages',
      comment:
        'What is in the published file is in the licences beside it, and small: the SDK and the contract.',
      severity: 'error',
      from: { path: '^mcp/' },
      to: {
        path: '(^|/)node_modules/',
        pathNot: '(^|/)node_modules/(@modelcontextprotocol/sdk|@ts-rest/core|zod|esbuild)/',
      },
    },
    {
      name: 'web-stands-on-the-contract',
      comment: 'What a page of anyone else could import: the entries of the published package.',
      severity: 'error',
      from: { path: '^web/' },
      to: { path: '^(contract|mcp|server|scripts|test)/', pathNot: '^contract/(client/)?index\\.ts$' },
    },
    {
      name: 'web-own-packages',
      comment:
        'A reader loads each of them before the page shows: under 100 kB in all, and no second way to do a thing.',
      severity: 'error',
      from: { path: '^web/src/' },
      to: {
        path: '(^|/)node_modules/',
        pathNot:
          '(^|/)node_modules/(preact|preact-iso|@stellar/freighter-api|@tanstack/query-core|intl-messageformat|uplot)/',
      },
    },
    {
      name: 'only-tests-import-mcp-and-web',
      severity: 'error',
      from: { path: '^(contract|server|scripts)/' },
      to: { path: '^(mcp|web)/' },
    },
    {
      name: 'light-client-is-light',
      comment:
        'The entry ./client weighs under 5 kB: no schema, no package, no validation, no route of the operator.',
      severity: 'error',
      from: { path: '^contract/client/', pathNot: '^contract/client/validating/' },
      to: {
        path: '.',
        pathNot: '^contract/client/(?!validating/)',
      },
    },
    {
      name: 'offramp-weighs-on-nobody-else',
      comment: 'What reads transactions and TOML is heavy: only the entry that needs it loads it.',
      severity: 'error',
      from: { path: '^contract/', pathNot: '^contract/(offramp/|anchor-documents/|build\\.mjs)' },
      to: {
        path: [
          '^contract/(offramp|anchor-documents)/',
          '(^|/)node_modules/(@stellar/stellar-base|smol-toml)/',
        ],
      },
    },
    {
      name: 'nothing-imports-tests',
      severity: 'error',
      from: { pathNot: '^test/|^[^/]+\\.config\\.(ts|mjs)$' },
      to: { path: '^test/' },
    },
    {
      name: 'tests-share-only-fixtures',
      comment: 'A test is read in its own folder; what several folders need is a fixture or support.',
      severity: 'error',
      from: { path: '^test/([^/]+)/' },
      to: { path: '^test/', pathNot: '^test/(fixtures|support|vectors|$1)/' },
    },
    {
      name: 'server-imports-no-scripts',
      comment: 'Scripts are programs and tools around the service; the build does not contain them.',
      severity: 'error',
      from: { path: '^server/' },
      to: { path: '^scripts/' },
    },
    {
      name: 'pure-files-touch-nothing',
      comment: 'Rules take values and return values: no storage, no wire, no clock, no chance, no log.',
      severity: 'error',
      from: { path: pure },
      to: {
        path: [
          '(^|/)node_modules/(mongoose|mongodb|express|undici|pino|prom-client|rate-limiter-flexible|cockatiel)/',
          `^server/(${ring.replace('|crypto', '')})/(?!.+${rules})`,
          '^server/(ports|config|logger|lifecycle|app|compose|main)\\.ts$',
        ],
      },
    },
    {
      name: 'pure-files-are-called',
      comment:
        'Services call rules and not the other way; the type of a document may be what a rule is about.',
      severity: 'error',
      from: { path: rules },
      to: { path: '^server/(features|webhooks)/', pathNot: rules, dependencyTypesNot: typeOnly },
    },
    {
      name: 'pure-files-use-no-machine',
      comment: 'Of Node itself only what computes: hashes and signatures, bytes and text.',
      severity: 'error',
      from: { path: pure },
      to: { dependencyTypes: ['core'], pathNot: '^(node:)?(crypto|buffer|util|url|assert)$' },
    },
    {
      name: 'only-the-edge-knows-http',
      comment: 'What a service does is the same whoever asks: a request, a job, a script.',
      severity: 'error',
      from: {
        path: `^server/(features|webhooks|${ring.replace('http|streams|', '')})/`,
        pathNot: factory,
      },
      to: { path: ['(^|/)node_modules/(express|@ts-rest/express)/', '^server/http/'] },
    },
    {
      name: 'only-stores-know-collections',
      comment:
        'Every query stands in the store of its collection, as a verb; a factory hands it the connection. A service that passes a session on takes its ' +
        'type from mongo/transactions.ts.',
      severity: 'error',
      from: { path: service.path, pathNot: [store, factory] },
      to: { path: ['(^|/)node_modules/(mongoose|mongodb)/', '^server/mongo/(models|connection)\\.ts$'] },
    },
    {
      name: 'features-share-only-types',
      comment: 'compose.ts hands a feature the functions of another, as narrow as it needs them.',
      severity: 'error',
      from: { path: '^server/features/([^/]+)/' },
      to: {
        path: '^server/(features|webhooks)/',
        pathNot: '^server/features/$1/',
        dependencyTypesNot: typeOnly,
      },
    },
    {
      name: 'stores-stay-at-home',
      comment: 'Not even the types of a store: the documents of a feature are its own business.',
      severity: 'error',
      from: { path: '^server/(features/[^/]+|[a-z]+)/', pathNot: programs },
      to: { path: store, pathNot: ['^server/$1/', 'node_modules'] },
    },
    {
      name: 'compose-sees-factories-and-stores',
      comment: 'How the files of a folder fit together is written in its feature.ts.',
      severity: 'error',
      from: { path: '^server/compose\\.ts$' },
      to: { path: '^server/(features|webhooks)/', pathNot: [factory, store], dependencyTypesNot: typeOnly },
    },
    {
      name: 'only-compose-sees-features',
      comment: 'The technical ring knows no feature, not even by type.',
      severity: 'error',
      from: {
        path: [`^server/(${ring})/`, '^server/[^/]+\\.ts$'],
        pathNot: `^server/compose\\.ts$|${programs}`,
      },
      to: { path: '^server/(features|webhooks)/' },
    },
    {
      name: 'only-programs-compose',
      severity: 'error',
      from: { path: '^(server|contract)/', pathNot: `^server/compose\\.ts$|${programs}` },
      to: { path: '^server/(compose|main)\\.ts$' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(contract|mcp|web)/dist/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'types', 'default'],
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.json'],
    },
  },
};
