import { setTimeout as delay } from 'node:timers/promises';
import { type MemberNumber, memberNumbers } from '../cluster/members.js';
import type { Fault } from '../plan.rules.js';
import type { Action, Stage } from './stage.js';
import { untilWriting } from './until-writing.js';

const delayOfMemberMs = 400;
const withoutElectionSeconds = 8;
const smallDiskMember: MemberNumber = 2;

export const killPrimary: Action = async (fault, stage) => {
  const primary = await stage.members.untilPrimary();
  const member = stage.members.member(primary);
  const writesUnderWay = await untilWriting(stage);
  stage.chronicle.kills.push({
    atMs: stage.clock(),
    number: fault.number,
    whom: `member ${primary}`,
    writesUnderWay,
  });
  stage.chronicle.say(fault, `kills member ${primary}, ${writesUnderWay} writes under way`);
  await member.kill();
  await delay(fault.lastsMs);
  await member.start();
  return untilWhole(stage);
};

export const freezePrimary: Action = async (fault, stage) => {
  await stage.instances.untilWhole();
  const primary = await stage.members.untilPrimary();
  stage.chronicle.say(fault, `stops member ${primary} for ${fault.lastsMs} ms`);
  // None of the others stands for election for this long, to resemble MongoDB's own timeout of ten seconds.
  const others = memberNumbers.filter((number) => number !== primary);
  await Promise.all(
    others.map((number) => stage.members.member(number).admin({ replSetFreeze: withoutElectionSeconds })),
  );
  const fromMs = stage.clock();
  stage.members.member(primary).pause();
  await delay(fault.lastsMs);
  stage.chronicle.freezes.push({ fromMs, toMs: stage.clock() });
  stage.members.member(primary).resume();
  return untilWhole(stage);
};

export const stepDown: Action = async (fault, stage) => {
  const primary = await stage.members.untilPrimary();
  stage.chronicle.say(fault, `member ${primary} steps down`);
  try {
    await stage.members.member(primary).admin({ replSetStepDown: 10, secondaryCatchUpPeriodSecs: 5 });
  } catch (error) {
    // The step-down is refused, for example because no secondary has caught up.
    stage.chronicle.say(fault, `refused: ${String(error)}`);
    return 'missed';
  }
  return untilWhole(stage);
};

/** Cuts the primary off from members and services, in one direction or both. */
function disturbPrimary(ways: 'sends' | 'receives' | 'both', what: string): Action {
  return async (fault, stage) => {
    const primary = await stage.members.untilPrimary();
    stage.chronicle.say(fault, `member ${primary} ${what} for ${fault.lastsMs} ms`);
    stage.members.network.disturb(primary, ways, { held: true });
    await delay(fault.lastsMs);
    return healNetwork(fault, stage);
  };
}

export const cutOffPrimary = disturbPrimary('both', 'is cut off');
export const mutePrimary = disturbPrimary('sends', 'is heard by nobody');
export const deafenPrimary = disturbPrimary('receives', 'hears nobody');

/** Writes that only this primary acknowledged are rolled back once it hears of the primary that the others elect. */
export const isolatePrimary: Action = async (fault, stage) => {
  const primary = await stage.members.untilPrimary();
  await untilWriting(stage);
  stage.chronicle.say(
    fault,
    `member ${primary} reaches services and no other member for ${fault.lastsMs} ms`,
  );
  stage.members.network.disturb(primary, 'both', { held: true }, [0, 1, 2]);
  await delay(fault.lastsMs);
  return healNetwork(fault, stage);
};

export const delayMember: Action = async (fault, stage) => {
  const member = (fault.pick % 3) as MemberNumber;
  stage.chronicle.say(fault, `everything to and from member ${member} takes ${delayOfMemberMs} ms longer`);
  stage.members.network.disturb(member, 'both', { delayMs: delayOfMemberMs });
  await delay(fault.lastsMs);
  return healNetwork(fault, stage);
};

async function healNetwork(fault: Fault, stage: Stage): Promise<'done'> {
  stage.members.network.heal();
  stage.chronicle.say(fault, 'the network is whole');
  return untilWhole(stage);
}

export const fillDisk: Action = async (fault, stage) => {
  const { smallDisk } = stage.members;
  if (smallDisk === undefined) throw new Error('there is no small disk');
  const member = stage.members.member(smallDiskMember);
  stage.chronicle.say(fault, `the disk of member ${smallDiskMember} is full`);
  await smallDisk.fill();
  await delay(fault.lastsMs);
  const ended = member.pid() === undefined;
  stage.chronicle.say(fault, `there is room again; the member ${ended ? 'had ended' : 'held out'}`);
  await smallDisk.empty();
  if (ended) await member.start();
  return untilWhole(stage);
};

async function untilWhole(stage: Stage): Promise<'done'> {
  await stage.members.untilWhole();
  return 'done';
}
