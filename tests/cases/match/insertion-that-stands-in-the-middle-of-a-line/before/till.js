class Till {
  open(key) {
    if (key.fits) {
      if (key.turns) {
    }

  }
  /** Shuts it. */
  shut() {}
}
