"""Stopping a request from another thread.

A `Cancellation` is set once and stays set. Setting it shuts down the watched socket, which wakes a thread that waits in
it; the thread that owns the socket closes it. A socket is shut down only while it is watched, under the lock: after it
is closed, the system may have given its number to another file.
"""

from __future__ import annotations

import socket
import threading


class Cancellation:
    """Stops one request; whoever may want to stop it makes one and passes it along."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None

    @property
    def cancelled(self) -> bool:
        """Whether somebody asked to stop."""
        return self._event.is_set()

    def cancel(self) -> None:
        """Ask to stop. May be called from any thread, and more than once."""
        self._event.set()
        with self._lock:
            self._shut_down()

    def wait(self, seconds: float) -> bool:
        """Sleep, and return early with True when somebody asks to stop."""
        return self._event.wait(seconds)

    def watch(self, sock: socket.socket | None) -> None:
        """Set the socket that a thread waits in from now on; None before it is closed."""
        with self._lock:
            self._socket = sock
            if self.cancelled:
                self._shut_down()

    def _shut_down(self) -> None:
        if self._socket is None:
            return
        try:
            # Not the TLS socket's own method, which takes the session away under a reader's feet.
            socket.socket.shutdown(self._socket, socket.SHUT_RDWR)
        except OSError:
            return  # it was not connected, or the other side was faster
