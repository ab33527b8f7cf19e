function hall(a, b, c) {
  if (a < b) {
    one(a)
  }
  say(one.replace(/&lt;/g, '<')) // a &lt; b
}
