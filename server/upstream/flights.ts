/** Joins whoever asks for a key while work on it is under way; else begins it. */
export type Join<T> = (key: string, epoch: number, begin: () => Promise<T>) => Promise<T>;

/** Work that several ask for at once is done once. What was begun under another epoch is out of date: not joined. */
export function createFlights<T>(): Join<T> {
  const flights = new Map<string, { epoch: number; promise: Promise<T> }>();
  return (key, epoch, begin) => {
    const known = flights.get(key);
    if (known?.epoch === epoch) return known.promise;
    const flight = { epoch, promise: begin() };
    flights.set(key, flight);
    const clear = () => {
      if (flights.get(key) === flight) flights.delete(key);
    };
    flight.promise.then(clear, clear);
    return flight.promise;
  };
}
