import { jest } from '@jest/globals';

// Processes are stopped and killed here by the clock of a shared machine: in CI a test may run once more, and the run
// says which ones did, and why. What is wrong fails twice.
if (process.env.CI === 'true') jest.retryTimes(1, { logErrorsBeforeRetry: true });
