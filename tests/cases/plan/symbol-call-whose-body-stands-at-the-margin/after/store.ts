import { db } from "./db";

export class Store {
  private cache = new Map();

  /** One item. */
  get(id: string) {
    return db.find(id);
  }

  @logged
  put(id: string, value: unknown) {
    this.cache.set(id, value);
    return db.save(id, value);
  }
}

export const get = (id: string) => {
  return new Store().get(id);
};
