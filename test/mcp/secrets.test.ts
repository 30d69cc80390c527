import { describe, expect, it } from '@jest/globals';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { createLog } from '../../mcp/log.js';
import { readOptions, UsageError } from '../../mcp/options.js';
import { createMcpServer } from '../../mcp/server.js';
import { createTools } from '../../mcp/tools.js';

const url = 'https://fairlead.example';
const adminKey = 'an-admin-key-of-these-tests';

describe('a secret', () => {
  it.each([
    ['a line break', `${adminKey}\nmore`],
    ['a space', `${adminKey} more`],
    ['another letter than ASCII has', `${adminKey}é`],
  ])('that has %s is refused as an admin key without being repeated', (_what, key) => {
    const read = () => readOptions([url], { FAIRLEAD_ADMIN_KEY: key });
    expect(read).toThrow(UsageError);
    expect(read).toThrow(/FAIRLEAD_ADMIN_KEY: it must consist of visible ASCII characters/);
    expect(read).not.toThrow(new RegExp(adminKey));
  });

  it('in an error that nobody foresaw reaches neither the host nor the log', async () => {
    const lines: string[] = [];
    const log = createLog([undefined, adminKey], (line) => lines.push(line));
    const [tool] = createTools({
      url,
      timeoutMs: 1_000,
      keys: [],
      intents: false,
      adminKey: undefined,
      accountSecret: undefined,
    });
    if (tool === undefined) throw new Error('there is no tool');
    const faulty = {
      ...tool,
      run: () => Promise.reject(new TypeError(`invalid header value: ${adminKey}`)),
    };
    const server = createMcpServer({ version: '1.0.0', tools: [faulty], log });
    const client = new Client({ name: 'test-host', version: '1.0.0' });
    const [left, right] = InMemoryTransport.createLinkedPair();
    await Promise.all([server.connect(left), client.connect(right)]);

    const answered: unknown = await client.callTool({ name: tool.definition.name, arguments: {} }).then(
      (answer) => JSON.stringify(answer),
      (error: Error) => error.message,
    );
    await client.close();
    expect(answered).toMatch(/a fault of fairlead-mcp/);
    expect(answered).not.toContain(adminKey);
    expect(lines.join('\n')).toMatch(/TypeError: invalid header value: \[secret\][\s\S]*secrets\.test/);
    expect(lines.join('\n')).not.toContain(adminKey);
  });
});
