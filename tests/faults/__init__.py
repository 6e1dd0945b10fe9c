"""A regime of failing one thing at a time: every call to the system fails in turn while each public operation runs."""
