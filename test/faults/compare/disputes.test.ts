import { describe, expect, it } from '@jest/globals';
import { compareDisputes } from '../../../scripts/faults/compare/disputes.rules.js';
import { agreeing, changing, without } from '../../fixtures/faults/agreeing.js';

const { entries, intent, dispute } = agreeing();

function said(...given: Parameters<typeof compareDisputes>): string[] {
  return compareDisputes(...given).map(({ what }) => what);
}

describe('the comparison of disputes', () => {
  it('finds nothing where all agrees', () => {
    expect(compareDisputes(entries, [dispute], [intent])).toEqual([]);
  });

  it('names a dispute that is lost, and one that nobody sent', () => {
    expect(said(entries, [], [intent])).toEqual(['It was acknowledged and is lost.']);
    const unsent = without(without(entries, 'dispute_sent'), 'dispute_acknowledged');
    expect(said(unsent, [dispute], [intent])).toEqual(['It is stored, and nobody sent it.']);
  });

  it('names a dispute of another party than acknowledged, and a second one of the same party', () => {
    const other = changing(entries, 'dispute_acknowledged', { filedBy: 'anchor' });
    expect(said(other, [dispute], [intent])).toEqual([
      `It was acknowledged as that of the anchor of ${intent._id}, and is stored as another.`,
    ]);
    const second = { ...dispute, _id: `dsp_${'9'.repeat(36)}`, status: 'open' as const };
    const filed = dispute.audit.slice(0, 1);
    expect(said(entries, [dispute, { ...second, audit: filed }], [intent])).toContain(
      'The party has several disputes.',
    );
  });

  it('names a decision that is lost, was made twice, or was never made', () => {
    const open = { ...dispute, status: 'open' as const, audit: dispute.audit.slice(0, 1) };
    expect(said(entries, [open], [{ ...intent, disputeEffect: null }])).toEqual([
      'The decision accepted was acknowledged; stored is open.',
    ]);
    const twice = { ...dispute, audit: [...dispute.audit, ...dispute.audit.slice(1)] };
    expect(said(entries, [twice], [intent])).toEqual([
      'Its audit trail says: filed, accepted, accepted; it is accepted.',
    ]);
    const undecided = without(without(entries, 'decision_sent'), 'decision_acknowledged');
    expect(said(undecided, [dispute], [intent])).toEqual(['Nobody decided that it is accepted.']);
  });

  it('names a verdict that the intent does not show', () => {
    expect(said(entries, [dispute], [{ ...intent, disputeEffect: null }])).toEqual([
      'It is accepted, and the intent keeps the effect null, not counts_not_filled.',
    ]);
  });
});
