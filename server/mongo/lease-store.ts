import { type ClientSession, type Connection, type mongo, Schema } from 'mongoose';
import { retriedOnce } from './failures.js';
import { defineModel } from './models.js';

/** A lease as stored. Its times are the database server's. */
interface LeaseDocument {
  /** The name of the lease. */
  _id: string;
  owner: string | null;
  /** The fencing token: grows with every acquisition. */
  token: number;
  acquiredAt: Date | null;
  expiresAt: Date;
  /** Counts the transactions under the lease: each updates this document first. */
  fences: number;
}

/** A server session that a holder of a lease runs transactions in. */
interface LeaseSessionDocument {
  /** `lease:session id in hex`. */
  _id: string;
  lease: string;
  token: number;
  session: mongo.Binary;
}

/** One holding of a lease. */
export interface LeaseTerm {
  readonly name: string;
  readonly token: number;
}

export type LeaseState = Pick<LeaseDocument, 'token' | 'acquiredAt' | 'expiresAt'>;

export interface LeaseStore {
  /** Inserts the lease, free to be taken, if it does not exist. Returns whether it was inserted. */
  seed(name: string): Promise<boolean>;
  /** Takes the lease if it has expired, and returns the new term; null while another holds it. */
  acquire(name: string, owner: string, ttlMs: number): Promise<LeaseTerm | null>;
  read(name: string): Promise<LeaseState | null>;
  /** Makes the lease expire in `ttlMs` from now. False if another holds it by now. */
  setExpiry(term: LeaseTerm, owner: string, ttlMs: number): Promise<boolean>;
  /** Hands the lease back: it is free whatever the time, even if the database's clock is set back. */
  release(term: LeaseTerm, owner: string): Promise<void>;
  /** Locks the lease for the transaction of `session`. False if another holds it by now. */
  lock(term: LeaseTerm, owner: string, session: ClientSession): Promise<boolean>;
  /** Stores that the holder runs transactions in this session. */
  addSession(term: LeaseTerm, session: mongo.Binary): Promise<void>;
  /** The sessions of the last holders of a lease that has expired; none while it is held. */
  sessionsOfExpired(name: string): Promise<mongo.Binary[]>;
  /** Deletes the sessions stored by this holder. */
  deleteSessions(term: LeaseTerm): Promise<void>;
  /** Deletes the sessions stored by all holders before this one. */
  deleteEarlierSessions(term: LeaseTerm): Promise<void>;
}

const leaseSchema = new Schema<LeaseDocument>(
  {
    _id: { type: String, required: true },
    owner: { type: String, default: null },
    token: { type: Number, required: true },
    acquiredAt: { type: Date, default: null },
    expiresAt: { type: Date, required: true },
    fences: { type: Number, required: true },
  },
  { collection: 'leases', versionKey: false },
);

const leaseSessionSchema = new Schema<LeaseSessionDocument>(
  {
    _id: { type: String, required: true },
    lease: { type: String, required: true },
    token: { type: Number, required: true },
    session: { type: Schema.Types.Mixed, required: true },
  },
  { collection: 'lease_sessions', versionKey: false },
);
leaseSessionSchema.index({ lease: 1, token: 1 }, { name: 'by_lease' });

/** The driver keeps a few sessions in its pool; a holder with more than this would be at fault. */
const maxSessions = 100;

export function createLeaseStore(connection: Connection): LeaseStore {
  const leases = defineModel(connection, 'Lease', leaseSchema);
  const sessions = defineModel(connection, 'LeaseSession', leaseSessionSchema);
  const expired = (name: string) => ({ _id: name, $expr: { $lte: ['$expiresAt', '$$NOW'] } });

  return {
    async seed(name) {
      const free = { owner: null, token: 0, acquiredAt: null, expiresAt: new Date(0), fences: 0 };
      const { upsertedCount } = await leases.updateOne(
        { _id: name },
        { $setOnInsert: free },
        { upsert: true },
      );
      return upsertedCount > 0;
    },

    async acquire(name, owner, ttlMs) {
      const taken = {
        owner,
        token: { $add: ['$token', 1] },
        acquiredAt: '$$NOW',
        expiresAt: { $add: ['$$NOW', ttlMs] },
      };
      const lease = await leases
        .findOneAndUpdate(expired(name), [{ $set: taken }], { returnDocument: 'after' })
        .lean();
      return lease === null ? null : { name, token: lease.token };
    },

    async read(name) {
      return leases.findById(name, { token: 1, acquiredAt: 1, expiresAt: 1 }).lean();
    },

    async setExpiry({ name, token }, owner, ttlMs) {
      const result = await leases.updateOne({ _id: name, owner, token }, [
        { $set: { expiresAt: { $add: ['$$NOW', ttlMs] } } },
      ]);
      return result.matchedCount === 1;
    },

    async release({ name, token }, owner) {
      // Clears the owner, so that a renewal which is still on its way matches nothing.
      await leases.updateOne({ _id: name, owner, token }, { $set: { owner: null, expiresAt: new Date(0) } });
    },

    async lock({ name, token }, owner, session) {
      const result = await leases.updateOne(
        { _id: name, owner, token },
        { $inc: { fences: 1 } },
        { session },
      );
      return result.matchedCount === 1;
    },

    async addSession({ name, token }, session) {
      const _id = `${name}:${session.toString('hex')}`;
      await sessions.updateOne({ _id }, { $set: { lease: name, token, session } }, { upsert: true });
    },

    async sessionsOfExpired(name) {
      const lease = await leases.findOne(expired(name), { token: 1 }).lean();
      if (lease === null) return [];
      const left = await sessions
        .find({ lease: name, token: { $lte: lease.token } })
        .limit(maxSessions)
        .lean<LeaseSessionDocument[]>();
      return left.map(({ session }) => session);
    },

    async deleteSessions({ name, token }) {
      await retriedOnce(() => sessions.deleteMany({ lease: name, token }));
    },

    async deleteEarlierSessions({ name, token }) {
      await sessions.deleteMany({ lease: name, token: { $lt: token } });
    },
  };
}
