'use client'

import { a } from './a'
import { b } from './b'

export function One() {
  return a(1)
}

export function Two() {
  return b(2)
}
