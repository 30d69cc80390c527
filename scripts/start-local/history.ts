import { connectMongo } from '../../server/mongo/connection.js';
import { seedHistory } from '../seed-history.js';
import type { Fleet } from '../simulated-anchors/index.js';
import { pace } from './anchors.js';

/** Gives a new database the simulated anchors' past, so that a first visit sees scores; an old one is left alone. */
export async function seedLocalHistory(
  mongodbUri: string,
  fleet: Fleet,
  say: (line: string) => void,
): Promise<void> {
  const connection = await connectMongo({ uri: mongodbUri });
  try {
    const written = await seedHistory({ connection, fleet, clock: Date.now, random: Math.random, pace });
    if (written > 0) say(`Made up a past of ${written} simulated off-ramps.`);
  } finally {
    await connection.close();
  }
}
