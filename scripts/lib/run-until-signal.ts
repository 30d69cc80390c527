/** Starts a program and stops it on SIGINT or SIGTERM. A failure of either is printed and ends with exit code 1. */
export function runUntilSignal(start: () => Promise<{ stop(): Promise<void> }>): void {
  const run = async () => {
    const program = await start();
    const stop = () => {
      program.stop().catch(fail);
    };
    process.once('SIGINT', stop);
    process.once('SIGTERM', stop);
  };
  run().catch(fail);
}

function fail(fault: unknown): void {
  console.error(fault instanceof Error ? fault.message : fault);
  process.exitCode = 1;
}
