class Session:
    def __init__(self):
        #: Whether the environment says which proxy to take.
        self.trusts = True

        #: How long to wait, in seconds.
        self.patience = None

        #: The jar that all cookies go to which the answers set in this
        #: session. By default it is one of ours, but any object may stand
        #: for it that has the same methods.
        self.cookies = jar_of({})

        # Who answers for which address.
        self.adapters = {}
