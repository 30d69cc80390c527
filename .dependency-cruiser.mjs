/**
 * Who may import whom. The names carry the roles, so that the rules can be told from a path:
 *
 *   contract/**                            the package front ends install: nothing of ours, nothing of Node
 *   server/crypto/**, **\/*.rules.ts        pure: values in, values out (what a path cannot tell, such as
 *                                          Date.now(), scripts/check-pure-files.ts tells)
 *   server/features/<feature>/router.ts    knows the contract, the type of its own service, errors, http helpers
 *   server/features/<feature>/store.ts     the models; only the own feature imports them
 *   server/features/<feature>/**           takes from other features only types; functions are handed to it
 *   server/compose.ts                      the one place that sees everything
 *   server/main.ts, scripts/*.ts           programs
 *
 * test/house/import-rules.test.ts shows that each rule bites.
 *
 * @type {import('dependency-cruiser').IConfiguration}
 */
const typeOnly = ['type-only'];
const pureFiles = '^server/crypto/|^server/.+\\.rules\\.ts$';

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
      from: { orphan: true, pathNot: ['^[^/]+\\.config\\.ts$', '^scripts/[^/]+\\.ts$', '\\.test\\.ts$'] },
      to: {},
    },
    {
      name: 'no-dead-server-files',
      comment: 'Server code that no program reaches is dead, even where a test reaches it.',
      severity: 'error',
      from: { path: '^server/(main|rebuild)\\.ts$' },
      to: { path: '^server/', pathNot: '^server/(main|rebuild)\\.ts$', reachable: false },
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
        'A package that package.json does not name arrives by accident and leaves by accident. zod and ' +
        '@ts-rest/core are named by the contract package, whose very copies the server has to share.',
      severity: 'error',
      from: {},
      to: {
        dependencyTypes: ['npm-no-pkg', 'npm-unknown'],
        pathNot: '(^|/)node_modules/(zod|@ts-rest/core)/',
      },
    },
    {
      name: 'no-development-packages-in-production',
      comment: 'The production image installs dependencies only.',
      severity: 'error',
      from: { path: '^(server|contract)/' },
      to: { dependencyTypes: ['npm-dev'] },
    },
    {
      name: 'contract-stands-alone',
      comment:
        'Front ends install the contract: nothing of ours outside it, and nothing that a browser lacks.',
      severity: 'error',
      from: { path: '^contract/' },
      to: { path: '^(server|scripts|test)/' },
    },
    {
      name: 'contract-runs-in-a-browser',
      severity: 'error',
      from: { path: '^contract/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'contract-own-packages',
      comment: 'Only what contract/package.json declares; the root declares more.',
      severity: 'error',
      from: { path: '^contract/' },
      to: {
        path: '(^|/)node_modules/',
        pathNot: '(^|/)node_modules/(@noble/(ed25519|hashes)|@ts-rest/core|canonicalize|zod)/',
      },
    },
    {
      name: 'nothing-imports-tests',
      severity: 'error',
      from: { pathNot: '^test/' },
      to: { path: '^test/' },
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
      comment: 'Rules take values and give values: no storage, no wire, no clock, no chance, no log.',
      severity: 'error',
      from: { path: pureFiles },
      to: {
        path: [
          '(^|/)node_modules/(mongoose|mongodb|express|undici|pino|prom-client|rate-limiter-flexible|cockatiel)/',
          '^server/(http|mongo|jobs|outbound)/',
          '^server/(ports|config|logger|app|compose|main)\\.ts$',
        ],
      },
    },
    {
      name: 'pure-files-are-called',
      comment:
        'Services call rules and not the other way; the type of a document may be what a rule is about.',
      severity: 'error',
      from: { path: pureFiles },
      to: { path: '^server/features/.+/(router|service|store)\\.ts$', dependencyTypesNot: typeOnly },
    },
    {
      name: 'pure-files-use-no-machine',
      comment: 'Of Node itself only what computes: hashes and signatures, bytes and text.',
      severity: 'error',
      from: { path: pureFiles },
      to: { dependencyTypes: ['core'], pathNot: '^(node:)?(crypto|buffer|util|url|assert)$' },
    },
    {
      name: 'routers-know-no-storage',
      comment: 'A router maps the contract to its service and back; it reads and writes nothing itself.',
      severity: 'error',
      from: { path: '^server/features/([^/]+)/router\\.ts$' },
      to: {
        path: [
          '(^|/)node_modules/(mongoose|mongodb|undici|rate-limiter-flexible)/',
          '^server/(mongo|jobs|outbound|crypto)/',
          '^server/(config|logger|app|compose|main|routers)\\.ts$',
          '^server/features/$1/.*store\\.ts$',
        ],
      },
    },
    {
      name: 'routers-are-handed-their-service',
      comment: 'A router knows the type of its service; compose.ts hands it the service.',
      severity: 'error',
      from: { path: '^server/features/([^/]+)/router\\.ts$' },
      to: { path: '^server/features/$1/.*service\\.ts$', dependencyTypesNot: typeOnly },
    },
    {
      name: 'services-know-no-http',
      comment: 'What a service does is the same whoever asks: a request, a job, a script.',
      severity: 'error',
      from: { path: '^server/features/.+/(service|store)\\.ts$' },
      to: {
        path: [
          '(^|/)node_modules/(express|@ts-rest/express)/',
          '^server/http/',
          '^server/features/.+/router\\.ts$',
        ],
      },
    },
    {
      name: 'features-share-only-types',
      comment: 'A feature is handed the functions of another by compose.ts, as narrow as it needs them.',
      severity: 'error',
      from: { path: '^server/features/([^/]+)/' },
      to: { path: '^server/features/', pathNot: '^server/features/$1/', dependencyTypesNot: typeOnly },
    },
    {
      name: 'stores-stay-at-home',
      comment: 'Not even the types of another feature: its documents are its own business.',
      severity: 'error',
      from: { path: '^server/features/([^/]+)/' },
      to: { path: '^server/features/.+/store\\.ts$', pathNot: '^server/features/$1/' },
    },
    {
      name: 'only-compose-sees-features',
      comment: 'The ring of http, mongo, jobs and outbound knows no feature.',
      severity: 'error',
      from: { path: '^server/', pathNot: '^server/(features/|compose\\.ts$|main\\.ts$|rebuild\\.ts$)' },
      to: { path: '^server/features/', dependencyTypesNot: typeOnly },
    },
    {
      name: 'only-main-composes',
      severity: 'error',
      from: { path: '^(server|contract)/', pathNot: '^server/main\\.ts$' },
      to: { path: '^server/(compose|main)\\.ts$' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^contract/dist/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'types', 'default'],
      extensions: ['.ts', '.js', '.mjs', '.json'],
    },
  },
};
