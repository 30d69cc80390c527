/** Run as a process by fetch.ts: downloads into the given folder and prints the path as its last line. */
import { DryMongoBinary, MongoBinary } from 'mongodb-memory-server-core';

const downloadDir = process.argv[2];
if (downloadDir === undefined) throw new Error('usage: download-official <folder>');
try {
  // Not getPath, which may return a binary of another project's cache, while the caller moves the returned file.
  const options = await DryMongoBinary.generateOptions({ downloadDir });
  const path = await MongoBinary.download({
    ...options,
    downloadDir,
    systemBinary: '',
    platform: process.platform,
    checkMD5: true,
  });
  console.log(path);
} catch (error) {
  const reason = error instanceof Error ? error.message : String(error);
  console.error(reason.replaceAll(/\s+/g, ' '));
  process.exitCode = 1;
}
