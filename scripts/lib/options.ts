import { type ParseArgsConfig, parseArgs } from 'node:util';

type Options = NonNullable<ParseArgsConfig['options']>;

/** The options of a command. With `--help` it prints the text and ends; on an unknown option it says so and ends with 2. */
export function readOptions<const O extends Options>(help: string, options: O, args = process.argv.slice(2)) {
  const config = {
    args,
    allowPositionals: true,
    options: { help: { type: 'boolean', short: 'h' }, ...options },
  } as const;
  let parsed: ReturnType<typeof parseArgs<{ args: string[]; allowPositionals: true; options: O }>>;
  try {
    parsed = parseArgs(config) as typeof parsed;
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${help}`);
    process.exit(2);
  }
  if ('help' in parsed.values && parsed.values.help === true) {
    console.log(help);
    process.exit(0);
  }
  return parsed;
}
