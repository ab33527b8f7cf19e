"""The local page's server: the use cases of the command line over HTTP, for a browser on this machine.

Owns who may ask, the numbered log of what happened, and each turn as the page shows it. Nothing is written before the
user applies it, and what is written is the plan that was shown. Content travels as JSON text and never as markup. The
page is built from `page/` into `static/` (see `build`). Begin to read at `routes`.
"""
