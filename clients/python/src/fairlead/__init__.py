"""A client of a Fairlead service: off-ramp rates, intents, disputes, webhooks and provable scores.

`fairlead.client.connect` makes a client, and `fairlead.rest.api` has a module for each operation. The modules that
verify (`batches`, `disputes`, `intents`, `webhooks`) need the standard library alone.
"""

__version__ = "2.3.0-alpha"
