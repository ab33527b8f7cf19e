class Kiosk {
  /**
   * What a dish costs.
   * @param dish - Its name
   */
  price(dish) {
    return 4;
  }

  /** Whether it is open. */
  open() {
    return true;
  }
}
