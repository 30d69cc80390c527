export {
  type MoneyMoved,
  moneyMovements,
  OfframpError,
  type OfframpErrorCode,
  offrampErrors,
} from './errors.js';
export type { OfframpResult } from './follow.js';
export { type InstructionFault, instructionFaults } from './instructions.js';
export { resumeOfframp, startOfframp } from './offramp.js';
export type { OfframpOptions, OfframpQuote, OfframpService, OfframpWallet } from './options.js';
export { type ChallengeFault, challengeFaults } from './sep10.js';
export type { OfframpPayment, OfframpState, OfframpStep, PaymentInstructions } from './state.js';
