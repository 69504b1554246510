"""Readers of published files, one a format. Each turns paths into a :class:`~allpass.data.draft.Draft`."""
