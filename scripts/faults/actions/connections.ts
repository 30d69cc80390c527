import { memberNumbers } from '../cluster/members.js';
import type { Action } from './stage.js';
import { untilWriting } from './until-writing.js';

/** Longer than the time for which another fault prevents all commits. */
const commitWithinMs = 30_000;

export const cutConnections: Action = async (fault, stage) => {
  const primary = await stage.members.untilPrimary();
  await untilWriting(stage);
  const count = stage.members.proxy(primary).cutServices();
  stage.chronicle.say(fault, `resets ${count} connections of services to member ${primary}`);
  return count > 0 ? 'done' : 'missed';
};

/** Cuts at any member, because the primary may be another one by the next commit. */
function cutAtCommit(when: 'before' | 'after'): Action {
  return async (fault, { members, chronicle }) => {
    const seen = new AbortController();
    const tooLate = setTimeout(() => seen.abort(), commitWithinMs);
    const cuts = await Promise.all(
      memberNumbers.map(async (number) => {
        const cut = await members.proxy(number).cutAtCommit(when, seen.signal);
        if (cut) seen.abort();
        return cut;
      }),
    );
    clearTimeout(tooLate);
    const member = memberNumbers.find((number) => cuts[number] === true);
    const what =
      member === undefined ? 'sees no commit' : `resets a connection ${when} a commit at member ${member}`;
    chronicle.say(fault, what);
    return member === undefined ? 'missed' : 'done';
  };
}

export const loseCommit = cutAtCommit('before');
export const loseAnswerToCommit = cutAtCommit('after');
