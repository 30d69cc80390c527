import type { AdminDispute, ResolveDisputeBody } from '@fairlead/contract/client';

/** What the admin typed, before it is a verdict. */
export interface Draft {
  action: 'accept' | 'reject' | undefined;
  note: string;
  evidence: string;
  actor: string;
}

/** What a draft still lacks; undefined where it is a verdict. */
export function lackOf(draft: Draft, support: AdminDispute['support']): 'action' | 'evidence' | undefined {
  if (draft.action === undefined) return 'action';
  const needsEvidence = draft.action === 'accept' && support === 'unsupported';
  return needsEvidence && draft.evidence.trim() === '' ? 'evidence' : undefined;
}

/** The request of a draft: what was left empty is left out. */
export function verdictOf(id: string, draft: Draft & { action: 'accept' | 'reject' }): ResolveDisputeBody {
  const [note, evidence, actor] = [draft.note, draft.evidence, draft.actor].map((text) => text.trim());
  return {
    id,
    action: draft.action,
    ...(note && { note }),
    ...(evidence && { evidence }),
    ...(actor && { actor }),
  };
}

/** Whether a refusal says that another admin had decided the other way. Others leave the dispute open. */
export function isOvertaken({ status, body }: { status: number; body: { code: string } }): boolean {
  return status === 409 && body.code === 'DISPUTE_RESOLVED';
}

/**
 * Whether the stored verdict is that of another admin, who made the same decision at the same moment. It is then answered
 * like ours, but the note, the evidence and the name in the audit trail are theirs.
 */
export function isOfAnother(sent: ResolveDisputeBody, { audit }: Pick<AdminDispute, 'audit'>): boolean {
  const last = audit.findLast(({ action }) => action !== 'filed');
  return (
    last === undefined ||
    last.note !== (sent.note ?? null) ||
    last.evidence !== (sent.evidence ?? null) ||
    last.actor !== (sent.actor ?? 'admin')
  );
}
