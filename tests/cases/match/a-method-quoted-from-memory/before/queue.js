'use strict'

class Queue {
  constructor (limit) {
    this.limit = limit
    this.waiting = []
  }

  push (task) {
    if (this.closed) throw new QueueClosed(this.name)
    this._remember(task)
    this.waiting.push(task)
    return this
  }

  unshift (task) {
    if (this.closed) throw new QueueClosed(this.name)
    this.waiting.unshift(task)
    return this
  }

  drain (each) {
    const waiting = this._sorted(this.waiting)
    this.waiting = []
    for (const task of waiting) {
      each(task, this)
    }
    return this
  }
}

module.exports = Queue
