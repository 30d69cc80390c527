import type { adminDisputesContract, disputesContract } from '../endpoints/disputes.js';
import type { AdminDispute, DisputeAnswer } from '../schemas/disputes.js';
import type { ExamplesOf } from './examples-of.js';

const exampleAnswer = {
  id: 'dsp_019ab5d6c1a04f1b2c3d4e5f60718293a4b5',
  status: 'open',
  intentHash: 'acffc35a01a279d205d20851c951e760b811d65b6e16f396ed99c108b054f3f7',
  anchorId: 'harbour',
  corridor: 'usdc-ngn',
  filedBy: 'account',
  createdAt: '2026-11-21T12:00:00.000Z',
  resolvedAt: null,
} satisfies DisputeAnswer;

const exampleAdmin = {
  ...exampleAnswer,
  publicKey: 'GBXFXNDLV4LSWA4VB7YIL5GBD7BVNR22SGBTDKMO2SBZZHDXSKZYCP7L',
  reason: 'The bank says that nothing arrived.',
  outcomeStatus: 'settled',
  support: 'supported',
  effect: 'counts_not_filled',
  audit: [
    {
      at: '2026-11-21T12:00:00.000Z',
      action: 'filed',
      actor: 'GBXFXNDLV4LSWA4VB7YIL5GBD7BVNR22SGBTDKMO2SBZZHDXSKZYCP7L',
      note: null,
      evidence: null,
    },
  ],
} satisfies AdminDispute;

export const disputesExamples: ExamplesOf<typeof disputesContract> = {
  fileDispute: {
    body: {
      intentHash: exampleAnswer.intentHash,
      publicKey: exampleAdmin.publicKey,
      signature: 'qISqk+A3rhYqj79sMtNUUT+l0QneKRTxekpgbS0W0PLeJ7Vn+PNuQI7G+T7R7RdQHn1Y6SxM63slbnwczItZDg==',
      anchorId: 'harbour',
      reason: exampleAdmin.reason,
    },
    answer: exampleAnswer,
  },
};

export const adminDisputesExamples: ExamplesOf<typeof adminDisputesContract> = {
  listDisputes: { query: { status: 'open' }, answer: { items: [exampleAdmin], nextCursor: null } },
  getDispute: { params: { id: exampleAnswer.id }, answer: exampleAdmin },
  resolveDispute: {
    body: {
      id: exampleAnswer.id,
      action: 'accept',
      note: 'The anchor did not reply.',
      evidence: 'Bank statement of 20 to 22 November.',
      actor: 'ada',
    },
    answer: {
      ...exampleAdmin,
      status: 'accepted',
      resolvedAt: '2026-11-22T08:00:00.000Z',
      audit: [
        ...exampleAdmin.audit,
        {
          at: '2026-11-22T08:00:00.000Z',
          action: 'accepted',
          actor: 'ada',
          note: 'The anchor did not reply.',
          evidence: 'Bank statement of 20 to 22 November.',
        },
      ],
    },
  },
};
