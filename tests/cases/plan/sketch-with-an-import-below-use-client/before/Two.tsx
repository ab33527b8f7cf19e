'use client'

import { a } from './a'

export function One() {
  return a(1)
}

export function Two() {
  return a(2)
}
