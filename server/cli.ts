/**
 * The operator's program: `node dist/server/cli.js <command>`. Standard output has only the report, as JSON. Exits with 0
 * when the command is done, with 1 when its report says what remains to be done, and with 2 when it could not be done.
 */
import type { Command } from './commands/command.js';
import { erase } from './commands/erase.js';
import { migrate, pauseWebhooks, rebuild } from './commands/maintenance.js';
import { takeBatches } from './commands/take-batches.js';
import { OperatorError } from './errors.js';
import { endBy, stopSignals } from './process.js';

const commands: Record<string, Command> = {
  migrate,
  rebuild,
  erase,
  'take-batches': takeBatches,
  'pause-webhooks': pauseWebhooks,
};

const notDone = 2;

async function run([name, ...args]: readonly string[]): Promise<number> {
  if (name === undefined) return refuse(overview());
  if (name === '--help' || name === 'help') {
    process.stdout.write(overview());
    return 0;
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) return refuse(`There is no command ${name}.\n\n${overview()}`);
  if (args.includes('--help')) {
    process.stdout.write(helpOf(name, command));
    return 0;
  }
  try {
    const { report, complete } = await command.run(args);
    process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
    return complete ? 0 : 1;
  } catch (error) {
    if (isUsageError(error)) return refuse(`${error.message}\n\n${helpOf(name, command)}`);
    return refuse(error instanceof OperatorError ? error.message : String(error));
  }
}

function overview(): string {
  const width = Math.max(...Object.keys(commands).map(({ length }) => length));
  const lines = Object.entries(commands).map(([name, { does }]) => `  ${name.padEnd(width)}  ${does}`);
  return `Usage: fairlead <command>, or fairlead <command> --help\n\n${lines.join('\n')}\n`;
}

function helpOf(name: string, { usage, does, guide }: Command): string {
  return `Usage: ${['fairlead', name, usage].join(' ').trim()}\n\n${does}\nSee ${guide}.\n`;
}

/** Thrown by `parseArgs` for options and arguments that a command does not have. */
function isUsageError(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS_');
}

function refuse(why: string): typeof notDone {
  process.stderr.write(`${why.trimEnd()}\n`);
  return notDone;
}

// Without these handlers, a signal does not end the first process of a container.
for (const signal of stopSignals) process.once(signal, endBy);
process.exitCode = await run(process.argv.slice(2));
