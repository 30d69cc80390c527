import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor';
import { emitForReport } from './declarations.js';

/** The declarations of the entries of the package, by the name of their report. */
const entries = { index: 'index.d.ts', client: 'client/index.d.ts', offramp: 'offramp/index.d.ts' };

/** The public types of the package in this folder, as text for people, by the name of the report. */
export function reportsOf(packageFolder: string): Map<string, string> {
  // Inside the package, so that the imports of other packages resolve as they do for it.
  mkdirSync(join(packageFolder, 'dist'), { recursive: true });
  const declarations = mkdtempSync(join(packageFolder, 'dist/report-'));
  try {
    emitForReport(join(packageFolder, 'tsconfig.json'), declarations);
    writeFileSync(join(declarations, 'package.json'), '{ "type": "module" }\n');
    return new Map(
      Object.entries(entries).map(([name, entry]) => [
        `${name}.api.md`,
        reportOf(packageFolder, declarations, entry),
      ]),
    );
  } finally {
    rmSync(declarations, { recursive: true, force: true });
  }
}

function reportOf(packageFolder: string, declarations: string, entry: string): string {
  const made = mkdtempSync(join(declarations, 'made-'));
  const reportFileName = 'report.api.md';
  const silent = { default: { logLevel: ExtractorLogLevel.None } };
  const config = ExtractorConfig.prepare({
    configObject: {
      projectFolder: declarations,
      mainEntryPointFilePath: join(declarations, entry),
      compiler: { overrideTsconfig: { compilerOptions, files: [entry] } },
      apiReport: { enabled: true, reportFolder: made, reportTempFolder: made, reportFileName },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      newlineKind: 'lf',
      messages: { extractorMessageReporting: silent, tsdocMessageReporting: silent },
    },
    configObjectFullPath: join(declarations, 'api-extractor.json'),
    packageJsonFullPath: join(packageFolder, 'package.json'),
  });
  const { succeeded } = Extractor.invoke(config, {
    localBuild: true,
    messageCallback: (message) => {
      // In an empty folder the extractor warns that the report is new; only errors count.
      message.handled = message.logLevel !== ExtractorLogLevel.Error;
    },
  });
  if (!succeeded) throw new Error(`no report of ${entry}`);
  return readFileSync(join(made, reportFileName), 'utf8');
}

const compilerOptions = {
  module: 'nodenext',
  target: 'es2022',
  lib: ['ES2022', 'DOM'],
  strict: true,
  types: [],
  skipLibCheck: true,
};
