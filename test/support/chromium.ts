import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { itWhere } from './it-where.js';

const programs = ['chromium', 'chromium-browser', 'google-chrome'];

/** Flags that switch off the browser's own services, so that it connects to the test's server only. */
const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** CHROMIUM_PATH, else the first Chromium or Chrome on PATH; undefined where there is none. */
export function findChromium(env: NodeJS.ProcessEnv = process.env): string | undefined {
  if (env.CHROMIUM_PATH !== undefined && env.CHROMIUM_PATH !== '') return env.CHROMIUM_PATH;
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.flatMap((folder) => programs.map((program) => join(folder, program))).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A real browser with a new profile, which is removed when it closes. */
export function launchChromium(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, args: flags, timeout: 20_000 });
}

/** `it` where there is a browser. */
export const itInBrowser = itWhere(
  findChromium() !== undefined,
  'no Chromium found (set CHROMIUM_PATH): the tests in a browser',
);
