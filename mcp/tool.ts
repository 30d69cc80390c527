import type { ObjectSchema } from './json-schema.js';

export type Arguments = Record<string, unknown>;

export interface Tool {
  definition: {
    name: string;
    title: string;
    description: string;
    inputSchema: ObjectSchema;
    outputSchema: ObjectSchema;
    annotations: {
      readOnlyHint: boolean;
      destructiveHint: boolean;
      idempotentHint: boolean;
      openWorldHint: boolean;
    };
  };
  /** Throws ToolError. */
  run(args: Arguments, signal: AbortSignal): Promise<Arguments>;
}
