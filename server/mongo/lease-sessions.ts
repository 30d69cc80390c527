import { type ClientSession, type Connection, type mongo, Schema } from 'mongoose';
import type { Logger } from '../ports.js';
import { type LeaseTerm, leaseModel } from './lease-store.js';
import { defineModel } from './models.js';

/** A server session that a holder of a lease runs transactions in. */
interface LeaseSessionRow {
  /** `lease:session id in hex`. */
  _id: string;
  lease: string;
  token: number;
  session: mongo.Binary;
}

const leaseSessionSchema = new Schema<LeaseSessionRow>(
  {
    _id: { type: String, required: true },
    lease: { type: String, required: true },
    token: { type: Number, required: true },
    session: { type: Schema.Types.Mixed, required: true },
  },
  { collection: 'lease_sessions', versionKey: false },
);
leaseSessionSchema.index({ lease: 1, token: 1 }, { name: 'by_lease' });

/** The driver keeps a few sessions in its pool; a holder that ran through more than this would be at fault. */
const maxSessions = 100;

/**
 * Ends what a dead holder of a lease has left open. A process that is killed inside a transaction leaves it open on
 * the server, with its locks, until `transactionLifetimeLimitSeconds` (60 s unless set otherwise): until then nobody
 * could even take the lease over, since its document is one of those that are locked. (Measured: every attempt timed
 * out.) So holders write down their sessions before they lock anything, and a successor kills those first.
 */
export interface LeaseSessions {
  /** To be called before the first operation of every transaction under the lease. */
  register(lease: LeaseTerm, session: ClientSession): Promise<void>;
  /** To be called before acquiring: where the lease has lapsed, kills the sessions of its last holder. */
  endDead(name: string): Promise<void>;
  /** To be called after acquiring: whoever had the lease before can lock nothing under it any more. */
  succeed(lease: LeaseTerm): Promise<void>;
  /** To be called when the work under the lease is done: its sessions are used for other things again. */
  forget(lease: LeaseTerm): Promise<void>;
}

export function createLeaseSessions(deps: { connection: Connection; logger: Logger }): LeaseSessions {
  const { connection, logger } = deps;
  const leases = leaseModel(connection);
  const rows = defineModel(connection, 'LeaseSession', leaseSessionSchema);
  const registered = new Map<string, number>();

  return {
    async register({ name, token }, session) {
      const id = session.id?.id as mongo.Binary;
      const _id = `${name}:${id.toString('hex')}`;
      if (registered.get(_id) === token) return;
      await rows.updateOne({ _id }, { $set: { lease: name, token, session: id } }, { upsert: true });
      registered.set(_id, token);
    },

    async succeed({ name, token }) {
      await rows.deleteMany({ lease: name, token: { $lt: token } });
    },

    async endDead(name) {
      const lapsed = await leases
        .findOne({ _id: name, $expr: { $lte: ['$expiresAt', '$$NOW'] } }, { token: 1 })
        .lean();
      if (lapsed === null) return;
      const left = await rows
        .find({ lease: name, token: { $lte: lapsed.token } })
        .limit(maxSessions)
        .lean<LeaseSessionRow[]>();
      if (left.length === 0) return;
      // They stay written down until the lease has a new holder: this one may be revived by a late renewal, or what
      // it sent last may arrive only now. A session at rest can be killed without harm; what a living process has under
      // way in one fails, and it comes back.
      try {
        await connection.db?.admin().command({ killSessions: left.map(({ session }) => ({ id: session })) });
        logger.warn(
          { lease: name, sessions: left.length },
          'ended what a dead holder of the lease left open',
        );
      } catch (error) {
        // Not allowed here, say: the server ends them itself, later.
        logger.warn({ err: error, lease: name }, 'could not end what a dead holder of the lease left open');
      }
    },

    async forget({ name, token }) {
      for (const _id of registered.keys()) if (_id.startsWith(`${name}:`)) registered.delete(_id);
      await rows.deleteMany({ lease: name, token });
    },
  };
}
