class Kiosk {
  /**
   * What a dish costs.
   * @param dish - Its name
   */
  price(dish) {
    return 4;
  }

  /**
   * What a tip is.
   */
  tip() {
    return 1;
  }

  /** Whether it is open. */
  open() {
    return true;
  }
}
