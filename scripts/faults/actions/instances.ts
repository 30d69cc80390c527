import { setTimeout as delay } from 'node:timers/promises';
import type { Action } from './stage.js';
import { untilWriting } from './until-writing.js';

const clockOffByMs = 60_000;

export const killInstance: Action = async (fault, stage) => {
  const { instance, breaks, mend } = await stage.instances.take(fault.pick);
  const writesUnderWay = await untilWriting(stage, instance.url);
  breaks();
  const { name: whom } = instance;
  stage.chronicle.kills.push({ atMs: stage.clock(), number: fault.number, whom, writesUnderWay });
  stage.chronicle.say(fault, `kills ${whom}, ${writesUnderWay} writes under way`);
  await instance.end('SIGKILL');
  mend(async () => {
    await delay(fault.lastsMs);
    await instance.start();
  });
  return 'done';
};

export const freezeInstance: Action = async (fault, stage) => {
  const { instance, breaks, mend } = await stage.instances.take(fault.pick);
  await untilWriting(stage, instance.url);
  breaks();
  stage.chronicle.say(fault, `stops ${instance.name} for ${fault.lastsMs} ms`);
  instance.pause();
  await delay(fault.lastsMs);
  instance.resume();
  mend(() => instance.untilReady());
  return 'done';
};

export const exhaustFiles: Action = async (fault, stage) => {
  const { instance, breaks, mend } = await stage.instances.take(fault.pick);
  breaks();
  stage.chronicle.say(fault, `${instance.name} can open no file for ${fault.lastsMs} ms`);
  await instance.limitFiles('none');
  await delay(fault.lastsMs);
  await instance.limitFiles('as before');
  mend(() => instance.untilReady());
  return 'done';
};

export const wrongClock: Action = async (fault, stage) => {
  const { instance, breaks, serves, mend } = await stage.instances.take(fault.pick);
  const offByMs = fault.pick % 2 === 0 ? clockOffByMs : -clockOffByMs;
  breaks();
  stage.chronicle.say(
    fault,
    `starts ${instance.name} again with its clock ${offByMs} ms off, for ${fault.lastsMs} ms`,
  );
  stage.chronicle.stops.push(await instance.end('SIGTERM'));
  await instance.start({ clockOffByMs: offByMs });
  serves();
  await delay(fault.lastsMs);
  breaks();
  stage.chronicle.stops.push(await instance.end('SIGTERM'));
  mend(() => instance.start());
  return 'done';
};

export const rollingRestart: Action = async (fault, stage) => {
  // Otherwise `take` would choose another instance instead of one that is still being repaired.
  await stage.instances.untilWhole();
  for (const place of stage.instances.all.keys()) {
    const { instance, breaks, mend } = await stage.instances.take(place);
    breaks();
    const how = await instance.end('SIGTERM');
    stage.chronicle.stops.push(how);
    stage.chronicle.say(fault, `${instance.name} ended with ${how}`);
    mend(() => instance.start());
    await stage.instances.untilWhole();
  }
  return 'done';
};
