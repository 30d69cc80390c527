import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { openLog } from '../../server/logger.js';
import { waitFor } from '../support/wait-for.js';

const folder = mkdtempSync(join(tmpdir(), 'fairlead-log-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const { O_RDONLY, O_WRONLY, O_NONBLOCK } = constants;

let pipes = 0;
/** A log that writes to a pipe, which this process reads. */
function logToPipe(maxWaitingBytes: number) {
  pipes += 1;
  const path = join(folder, `pipe-${pipes}`);
  execFileSync('mkfifo', [path]);
  const openReader = () => openSync(path, O_RDONLY | O_NONBLOCK);
  let reader = openReader();
  const fd = openSync(path, O_WRONLY | O_NONBLOCK);
  const { logger, output } = openLog({ level: 'info', fd, maxWaitingBytes });
  let text = '';
  return {
    logger,
    output,
    closeReader: () => closeSync(reader),
    reopenReader: () => {
      reader = openReader();
    },
    /** The lines read so far, after reading what the pipe holds now. */
    read: (): Record<string, unknown>[] => {
      const chunk = Buffer.alloc(65_536);
      for (;;) {
        let size = 0;
        try {
          size = readSync(reader, chunk);
        } catch {
          // EAGAIN: the pipe is empty.
        }
        if (size === 0) break;
        text += chunk.toString('utf8', 0, size);
      }
      return text
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    },
  };
}

const padding = 'x'.repeat(900);

describe('a log whose reader has stopped reading', () => {
  it('keeps what fits into its buffer, and writes all of it in order when the reader goes on', async () => {
    const { logger, output, read } = logToPipe(1_000_000);
    for (let n = 0; n < 200; n += 1) logger.info({ n, padding }, 'line');
    expect(output.fault()).toBeUndefined();
    await waitFor(() => expect(read().map(({ n }) => n)).toEqual([...Array(200).keys()]));
    expect(output.droppedLines()).toBe(0);
  });

  it('drops and counts what does not fit, says so, and writes everything again when the reader goes on', async () => {
    const { logger, output, read } = logToPipe(100_000);
    for (let n = 0; n < 5_000; n += 1) logger.info({ n, padding }, 'line');
    expect(output.fault()).toMatch(/cannot be written/);
    const dropped = output.droppedLines();
    // The buffer of 100 KB and the pipe of 64 KB hold fewer than 200 lines.
    expect(dropped).toBeGreaterThan(4_800);
    await waitFor(() => {
      read();
      expect(output.fault()).toBeUndefined();
    });
    logger.info({ n: 'after' }, 'line');
    await waitFor(() => expect(read().at(-1)).toMatchObject({ n: 'after' }));
    const lines = read();
    expect(lines.at(-2)).toMatchObject({ level: 'warn', lines: dropped });
    expect(lines.length - 2 + dropped).toBe(5_000);
    expect(output.droppedLines()).toBe(dropped);
  });
});

describe('a log whose reader is gone', () => {
  it('is failing at the first line, and writes all lines when there is a reader again, without a further line', async () => {
    const { logger, output, read, closeReader, reopenReader } = logToPipe(100_000);
    closeReader();
    for (let n = 0; n < 1_000; n += 1) logger.info({ n, padding }, 'line');
    await waitFor(() => expect(output.fault()).toMatch(/cannot be written/));
    reopenReader();
    await waitFor(() => {
      read();
      expect(output.fault()).toBeUndefined();
    });
    await waitFor(() => expect(read().at(-1)).toMatchObject({ lines: output.droppedLines() }));
    expect(read().length - 1 + output.droppedLines()).toBe(1_000);
  });
});

describe('flush', () => {
  it('waits until every line is written', async () => {
    const { logger, output, read } = logToPipe(100_000);
    for (let n = 0; n < 50; n += 1) logger.info({ n, padding }, 'line');
    await output.flush(5_000);
    expect(read()).toHaveLength(50);
  });

  it('gives up after its time where nothing can be written', async () => {
    const { logger, output, read } = logToPipe(100_000);
    for (let n = 0; n < 100; n += 1) logger.info({ n, padding }, 'line');
    await output.flush(100);
    expect(output.droppedLines()).toBe(0);
    await waitFor(() => expect(read()).toHaveLength(100));
  });
});
