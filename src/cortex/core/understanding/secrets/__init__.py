"""Secrets in a text: keys, tokens, passwords, and numbers of cards and accounts, by their shape.

Everything takes time linear in the text. Each rule asks first whether the letters it begins with are there at all.
"""

from cortex.core.understanding.secrets.find import concealed, mask, secret_named, secrets_in

__all__ = ["concealed", "mask", "secret_named", "secrets_in"]
