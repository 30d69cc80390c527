import type { FaultKind } from '../plan.rules.js';
import { cutConnections, loseAnswerToCommit, loseCommit } from './connections.js';
import { crowdTick } from './crowd.js';
import { exhaustFiles, freezeInstance, killInstance, rollingRestart, wrongClock } from './instances.js';
import {
  cutOffPrimary,
  deafenPrimary,
  delayMember,
  fillDisk,
  freezePrimary,
  isolatePrimary,
  killPrimary,
  mutePrimary,
  stepDown,
} from './members.js';
import type { Action } from './stage.js';

export const actions: Record<FaultKind, Action> = {
  'kill-primary': killPrimary,
  'freeze-primary': freezePrimary,
  'step-down': stepDown,
  'cut-off-primary': cutOffPrimary,
  'mute-primary': mutePrimary,
  'deafen-primary': deafenPrimary,
  'isolate-primary': isolatePrimary,
  'delay-member': delayMember,
  'fill-disk': fillDisk,
  'kill-instance': killInstance,
  'freeze-instance': freezeInstance,
  'exhaust-files': exhaustFiles,
  'wrong-clock': wrongClock,
  'rolling-restart': rollingRestart,
  'cut-connections': cutConnections,
  'crowd-tick': crowdTick,
  'lose-commit': loseCommit,
  'lose-answer-to-commit': loseAnswerToCommit,
};
