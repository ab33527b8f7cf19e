"""The tools over the Model Context Protocol: for a client that starts the server, or over HTTP on this machine.

Needs the extra ``[mcp]``. `server` has the protocol, `dovetail.tools` carries out the calls.
"""
