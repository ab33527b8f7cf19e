function light() {
  if (night) {
    shine();
  }
  }
}
