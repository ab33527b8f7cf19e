class Station:
    """A stop of a line.

    It knows the trains that call at it.
    """

    platforms = 2

    def announce(self, train, minutes):
        """Say when a train comes."""
        # nobody hears it at night
        loud = not self.is_night(minutes)
        return self.speaker.say(train.name, minutes, loud=loud)

    def depart(self, train, minutes):
        """Let a train go.

        The signal is red behind it.
        """
        # the doors close first
        train.close_doors(self.platforms)
        self.signal.set_red(train, minutes)
        return train.start(minutes)
